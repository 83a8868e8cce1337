"""Keeping the store small, in steps that hold up nobody: old history goes, offers that nobody confirms are closed."""

from __future__ import annotations

import asyncio
import logging

from bot.product import Product
from storage.retention import Retention

log = logging.getLogger(__name__)

BITE_EACH_S = 5.0
"""Real seconds between two bites while there is something left to delete: scans and answers go first."""
LOOK_EACH_S = 3600.0


class Upkeep:
    """The hourly work of a running product."""

    def __init__(self, product: Product) -> None:
        self._clock = product.clock
        self._retention = Retention(product.store, raw_days=product.settings.history.raw_days)

    async def step(self) -> float:
        """Do a little; the real seconds until the next step."""
        deleted = await asyncio.to_thread(self._retention.bite, self._clock.now())
        if deleted:
            return BITE_EACH_S
        closed = await asyncio.to_thread(self._retention.close_unseen, self._clock.now())
        if closed:
            log.info("%d offers that no answer has shown for a day are closed", closed)
        return LOOK_EACH_S

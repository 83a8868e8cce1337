"""What waits by the wall clock is put right when that clock was set back, whether or not the product ran meanwhile."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime

from bot.clock import SKEW_S, SetBack
from bot.product import Product

log = logging.getLogger(__name__)

CLOCK_EACH_S = 5.0
KEPT_EACH_S = 60.0
"""How often the time is kept, so that the next start can compare."""
_FACT = "clock"


class Timekeeper:
    """Moves the alerts that wait for a moment: a cool-down or another attempt is not put off by the clock."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._set_back = SetBack(product.clock)
        self._kept_s = 0.0

    async def begin(self) -> None:
        """Compare the clock with the time that an earlier run has kept."""
        kept = await asyncio.to_thread(self._product.chats.fact, _FACT)
        back = (datetime.fromisoformat(kept) - self._product.clock.now()).total_seconds() if kept else 0.0
        if back > SKEW_S:
            await self._moved(back)
        await self._keep()

    async def look(self) -> float:
        """Notice that the clock was set back; the seconds until the next look."""
        back = self._set_back.seconds()
        if back:
            await self._moved(back)
        if back or self._product.clock.monotonic() - self._kept_s >= KEPT_EACH_S:
            await self._keep()
        return CLOCK_EACH_S

    async def _moved(self, seconds: float) -> None:
        log.warning("the clock was set back by %.0f s; alerts that wait for a moment are moved with it", seconds)
        await asyncio.to_thread(self._product.outbox.set_back, seconds)

    async def _keep(self) -> None:
        self._kept_s = self._product.clock.monotonic()
        now = self._product.clock.now().isoformat()
        await asyncio.to_thread(self._product.chats.put_fact, _FACT, now)

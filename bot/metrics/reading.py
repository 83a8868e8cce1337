"""One reading of everything that metrics and `/healthz` tell, from the store, as other commands would read it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from bot.metrics.tallies import Delays, EndedAlerts, OnTheWay, on_the_way, open_offers, rules
from bot.product import Product
from bot.questions import MarketStatus, problems, status

FRESH_S: Final = 1.0
"""A reading serves everybody who asks within so many seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MarketReading:
    """One market's status with what only metrics tell of it."""

    status: MarketStatus
    reserved: int
    """Rows set aside today."""
    offers: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """How the product was doing at one moment."""

    at: datetime
    problems: tuple[str, ...] = ()
    """Plain sentences, as `health` says them."""
    markets: Mapping[str, MarketReading] = field(default_factory=dict)
    outbox: Mapping[str, OnTheWay] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    outcomes: Mapping[tuple[str, str], int] = field(default_factory=dict)
    delays: Delays = field(default_factory=Delays)
    database_bytes: int = 0


class Reader:
    """Reads the store when asked, at most once a second however many ask. Any thread may. Raises StoreError."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._ended = EndedAlerts(product.store)
        self._elapsed: Callable[[], float] = product.clock.monotonic
        self._lock = threading.Lock()
        self._last: tuple[float, Reading] | None = None

    def __call__(self) -> Reading:
        """A reading that is not older than a second."""
        with self._lock:
            moment = self._elapsed()
            if self._last is None or not 0 <= moment - self._last[0] < FRESH_S:
                self._last = (moment, self._read())
            return self._last[1]

    def _read(self) -> Reading:
        product = self._product
        state = status(product)
        self._ended.take_up()
        with product.store.read() as connection:
            offers, outbox, by_state = open_offers(connection), on_the_way(connection), rules(connection)
        return Reading(
            at=state.at,
            problems=tuple(problems(product)),
            markets={
                name: MarketReading(
                    status=market,
                    reserved=product.usage.spent(name, state.at).reserved,
                    offers=offers.get(name, 0),
                )
                for name, market in state.markets.items()
            },
            outbox=outbox,
            rules=by_state,
            outcomes=self._ended.outcomes(),
            delays=self._ended.delays(),
            database_bytes=state.database_bytes,
        )

"""What a market was asked lately, and how it went: read from the log of questions, one line a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.product import Product
from market.coverage import Coverage
from storage.knowledge import answers, hold_ms
from storage.times import from_ms, to_ms


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A query with a good answer, and whether the latest one is complete and still stands."""

    coverage: Coverage
    at: datetime
    """When the latest good answer came; where a failed one followed, when it ceased to count."""
    times: int
    """Good answers in the time looked at."""
    complete: bool


def answered_since(product: Product, market: str, cards: frozenset[str], since: datetime) -> tuple[Answered, ...]:
    """The queries that had a good answer since then; no cards: only those that ask for any card. Raises StoreError."""
    now = product.clock.now()
    # an answer holds for two gaps, or until the next question of the same query: here for the whole time looked at
    gap_s = (now - since).total_seconds() / 2
    held_ms = hold_ms(gap_s)
    with product.store.read() as connection:
        found = answers(connection, cards, start=to_ms(since), end=to_ms(now), gap_of=lambda name: gap_s, market=market)
    return tuple(
        Answered(
            coverage=each.coverage,
            at=from_ms(min(each.good[-1][1], each.last - held_ms)),
            times=each.samples,
            complete=bool(each.whole) and each.whole[-1][1] > to_ms(now),
        )
        for each in found
        if each.samples and each.good
    )

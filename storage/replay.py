"""The past as the answers it was made of, so that a rule can be tried on it: what would it have told?

Each stored answer becomes a snapshot again, of the cards asked for: it shows what was on offer then and fits its
query. What a span does not hold is the offer's last description, so filters on place, memory or link are judged by
that. Prices for interruptible use were not kept for each offer: a closed one has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection

from market.coverage import Coverage
from market.offer import Offer
from market.snapshot import Snapshot
from storage.heartbeat import FAILED, WHOLE
from storage.lines import lines_of
from storage.presences import Presence, presences
from storage.store import Store
from storage.times import from_ms, to_ms

_SCANS = """
SELECT s.at, s.status, s.coverage_id FROM coverage c CROSS JOIN scan s ON s.coverage_id = c.coverage_id
WHERE s.at >= ? AND s.at <= ? AND s.status <> ? ORDER BY s.at
"""


def replay(
    store: Store, *, cards: frozenset[str] | None, start: datetime, end: datetime, market: str | None = None
) -> Iterator[Snapshot]:
    """The good answers between two moments, in order, as far as they speak about these cards (None: about any).

    Raises StoreError, and ValueError for naive datetimes.
    """
    first, last = to_ms(start), to_ms(end)
    with store.read() as connection:
        coverages = _coverages(connection, cards, market)
        lines = [line.market_id for line in lines_of(connection, cards, market=market)]
        there = presences(connection, lines, first // 1000, last // 1000 + 1)
        past = _Past(sorted(there, key=lambda presence: presence.start))
        for at, status, coverage_id in connection.exec_driver_sql(_SCANS, (first, last, FAILED)):
            coverage = coverages.get(coverage_id)
            if coverage is not None:
                offers = past.shown(coverage_id, coverage, at)
                yield Snapshot(
                    market=coverage.market,
                    coverage=coverage,
                    complete=status == WHOLE,
                    offers=offers,
                    taken_at=from_ms(at),
                    rows=len(offers),
                )


def _coverages(connection: Connection, cards: frozenset[str] | None, market: str | None) -> dict[int, Coverage]:
    rows = connection.exec_driver_sql("SELECT coverage_id, text FROM coverage").all()
    found = {coverage_id: Coverage.from_text(text) for coverage_id, text in rows}
    return {
        coverage_id: coverage
        for coverage_id, coverage in found.items()
        if (market is None or coverage.market == market)
        and (cards is None or coverage.cards is None or coverage.cards & cards)
    }


class _Past:
    """What was on offer, moving forward in time."""

    def __init__(self, coming: list[Presence]) -> None:
        self._coming = coming
        self._next = 0
        self._there: dict[str, Presence] = {}
        self._first_end: int | None = None
        self._version = 0
        self._seen: dict[int, tuple[int, tuple[Offer, ...]]] = {}

    def shown(self, coverage_id: int, coverage: Coverage, at: int) -> tuple[Offer, ...]:
        """What an answer at `at`, milliseconds, shows; worked out again only when something changed."""
        self._advance(at // 1000)
        version, offers = self._seen.get(coverage_id, (-1, ()))
        if version != self._version:
            moment = from_ms(at)
            offers = tuple(each.offer for each in self._there.values() if coverage.expects(each.offer, moment))
            self._seen[coverage_id] = (self._version, offers)
        return offers

    def _advance(self, now: int) -> None:
        if self._first_end is not None and self._first_end <= now:
            self._there = {key: each for key, each in self._there.items() if each.end is None or each.end > now}
            self._version += 1
        while self._next < len(self._coming) and self._coming[self._next].start <= now:
            presence = self._coming[self._next]
            self._next += 1
            if presence.end is None or presence.end > now:
                self._there[presence.offer.key] = presence
                self._version += 1
        self._first_end = min((each.end for each in self._there.values() if each.end is not None), default=None)

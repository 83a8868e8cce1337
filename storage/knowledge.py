"""When something was known: which stretches of time the answers speak for.

A complete answer that shows all of a card holds until the next one, at most two gaps; a failed or cut one ends it.
Any answer proves that what it showed was there. Neither counts while the market itself was out of contact. The rest
of time is unknown, which is neither "available" nor not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from market.coverage import Coverage
from market.offer import Tier
from storage.heartbeat import FAILED, WHOLE
from storage.intervals import Intervals, common, merged

Cell = tuple[str, str, Tier]
"""(market, card, tier)."""

_ASKED = """
SELECT coverage_id, text FROM coverage c
WHERE market = ? AND EXISTS (SELECT 1 FROM scan s WHERE s.coverage_id = c.coverage_id AND s.at > ? AND s.at <= ?)
"""
_MARKETS = "SELECT DISTINCT market FROM coverage ORDER BY market"
_EDGES = """
SELECT at, status, next_at, next_status = status AND next_at <= at + :hold AS goes_on FROM (
  SELECT at, status, lag(at) OVER w AS last_at, lag(status) OVER w AS last_status,
    lead(at) OVER w AS next_at, lead(status) OVER w AS next_status
  FROM scan WHERE coverage_id = :coverage_id AND at > :early AND at <= :end WINDOW w AS (ORDER BY at))
WHERE NOT coalesce(last_status = status AND at <= last_at + :hold AND next_status = status AND next_at <= at + :hold, 0)
ORDER BY at
"""
# A probe is asked every few seconds: only the edges of each run of like answers come back.
_COUNT = "SELECT count(*) FROM scan WHERE coverage_id = ? AND at >= ? AND at <= ? AND status <> ?"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """The answers to one query in a stretch of time, epoch milliseconds."""

    coverage: Coverage
    whole: Intervals
    """Where complete answers hold."""
    good: Intervals
    """Where complete and cut answers hold."""
    samples: int
    """Good answers inside the stretch asked for."""
    first: int
    last: int
    """When the query was first and last asked, answered or not, and for how long that holds."""

    def during(self, contact: Intervals) -> Answers:
        """The same, as far as the market was in contact."""
        return replace(self, whole=common(self.whole, contact), good=common(self.good, contact))


def hold_ms(gap_s: float) -> int:
    """How long an answer holds when answers ordinarily come so often: two gaps, milliseconds."""
    return round(2000 * gap_s)


def answers(
    connection: Connection,
    cards: Iterable[str],
    *,
    start: int,
    end: int,
    gap_of: Callable[[str], float],
    market: str | None,
) -> list[Answers]:
    """The answers to all queries that may show one of these cards.

    `gap_of` tells the seconds that may ordinarily pass between two answers of a market to the same query.
    """
    wanted = frozenset(cards)
    found = []
    markets = [market] if market is not None else connection.exec_driver_sql(_MARKETS).scalars().all()
    for name in markets:
        hold = hold_ms(gap_of(name))
        for coverage_id, text in connection.exec_driver_sql(_ASKED, (name, start - hold, end)).all():
            coverage = Coverage.from_text(text)
            if coverage.cards is not None and not coverage.cards & wanted:
                continue
            bounds = {"coverage_id": coverage_id, "early": start - hold, "end": end, "hold": hold}
            edges = connection.exec_driver_sql(_EDGES, bounds).all()
            samples = connection.exec_driver_sql(_COUNT, (coverage_id, start, end, FAILED)).scalar_one()
            found.append(_answers(coverage, edges, samples, hold))
    return found


def _answers(coverage: Coverage, edges: Sequence[Any], samples: int, hold: int) -> Answers:
    whole, good = [], []
    for index, (at, status, next_at, goes_on) in enumerate(edges):
        until = edges[index + 1].at if goes_on else min(at + hold, at + hold if next_at is None else next_at)
        if status != FAILED:
            good.append((at, until))
        if status == WHOLE:
            whole.append((at, until))
    return Answers(
        coverage=coverage,
        whole=merged(whole),
        good=merged(good),
        samples=samples,
        first=edges[0].at,
        last=edges[-1].at + hold,
    )

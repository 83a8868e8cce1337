"""When something was known: which stretches of time the answers speak for.

A complete answer that shows all of a card holds until the next one, at most two gaps; a failed or cut one ends it.
Any answer proves that what it showed was there. The rest of time is unknown, which is neither "available" nor not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from market.coverage import Coverage
from market.offer import Tier
from storage.heartbeat import FAILED, WHOLE
from storage.intervals import Intervals, merged

Cell = tuple[str, str, Tier]
"""(market, card, tier)."""

_ASKED = """
SELECT coverage_id, text FROM coverage c
WHERE EXISTS (SELECT 1 FROM scan s WHERE s.coverage_id = c.coverage_id AND s.at > ? AND s.at <= ?)
"""
_SCANS = "SELECT at, status FROM scan WHERE coverage_id = ? AND at > ? AND at <= ? ORDER BY at"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """The answers to one query in a stretch of time, epoch milliseconds."""

    coverage: Coverage
    whole: Intervals
    """Where complete answers hold."""
    good: Intervals
    """Where complete and cut answers hold."""
    moments: tuple[int, ...]
    """When a good answer came, inside the stretch asked for."""
    first: int
    last: int
    """When the query was first and last asked, answered or not."""


def answers(
    connection: Connection, cards: Iterable[str], *, start: int, end: int, gap_s: float, market: str | None
) -> list[Answers]:
    """The answers to all queries that may show one of these cards."""
    wanted = frozenset(cards)
    hold = round(2000 * gap_s)
    found = []
    for coverage_id, text in connection.exec_driver_sql(_ASKED, (start - hold, end)).all():
        coverage = Coverage.from_text(text)
        if (market is not None and coverage.market != market) or (
            coverage.cards is not None and not coverage.cards & wanted
        ):
            continue
        scans = connection.exec_driver_sql(_SCANS, (coverage_id, start - hold, end)).all()
        found.append(_answers(coverage, [(at, status) for at, status in scans], start, hold))
    return found


def _answers(coverage: Coverage, scans: list[tuple[int, int]], start: int, hold: int) -> Answers:
    whole, good = [], []
    for index, (at, status) in enumerate(scans):
        until = min(scans[index + 1][0], at + hold) if index + 1 < len(scans) else at + hold
        if status != FAILED:
            good.append((at, until))
        if status == WHOLE:
            whole.append((at, until))
    moments = [at for at, status in scans if status != FAILED]
    return Answers(
        coverage=coverage,
        whole=merged(whole),
        good=merged(good),
        moments=tuple(moments[bisect_left(moments, start) :]),
        first=scans[0][0],
        last=scans[-1][0] + hold,
    )

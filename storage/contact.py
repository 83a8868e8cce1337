"""When a market was in contact: the time in which some answer of it, to whatever question, was fresh.

A census is asked now and then and its answer holds for long; that may only count while the market keeps answering at
all. A failed question ends the contact, and so does silence: a process that was killed leaves no failed question.
"""

from __future__ import annotations

from sqlalchemy import Connection

from storage.heartbeat import FAILED
from storage.intervals import Intervals, merged, without

_FIRST = """
SELECT min((SELECT min(at) FROM scan s WHERE s.coverage_id = c.coverage_id AND s.at > :early AND s.at <= :end))
FROM coverage c WHERE market = :market
"""
_DARK = """
SELECT at, status, next_at FROM (
  SELECT at, status, lead(at) OVER (ORDER BY at, status) AS next_at FROM scan
  WHERE coverage_id IN (SELECT coverage_id FROM coverage WHERE market = :market) AND at > :early AND at <= :end)
WHERE status = :failed OR next_at IS NULL OR next_at > at + :hold
"""
# a market is asked every few seconds for weeks: only the questions after which it was dark come back


def contact(connection: Connection, market: str, *, start: int, end: int, hold: int) -> Intervals:
    """Where a market was in contact between two moments, all in epoch milliseconds.

    A good answer to any question keeps contact until the market's next question, at most `hold` milliseconds; a
    failed one ends it until the next good answer.
    """
    bounds = {"market": market, "early": start - hold, "end": end}
    first = connection.exec_driver_sql(_FIRST, bounds).scalar_one()
    if first is None:
        return []
    rows = connection.exec_driver_sql(_DARK, {**bounds, "failed": FAILED, "hold": hold}).all()
    dark = merged(
        (at if status == FAILED else at + hold, end if next_at is None else next_at) for at, status, next_at in rows
    )
    return without([(max(first, start), end)] if max(first, start) < end else [], dark)

"""One line for every question asked of a market, and the state of each market drawn from them.

Without a line nobody knows: time that no answer covers is neither "available" nor "gone".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from market.coverage import Coverage
from storage.store import Store
from storage.times import from_maybe_ms

WHOLE, CUT, FAILED = 0, 1, 2
LATE_MS = 60_000
"""An answer older than the latest by no more than this was overtaken; by more, the clock was set back."""

_SCAN = "INSERT OR REPLACE INTO scan (coverage_id, at, status, rows, ms, error) VALUES (?, ?, ?, ?, ?, ?)"
_UNDO = "DELETE FROM scan WHERE coverage_id = ? AND at > ?"
_ASKED = "UPDATE coverage SET last_at = ? WHERE coverage_id = ?"
_PULSE = """
INSERT INTO pulse (market, last_at, last_ok_at, last_complete_at, failures, error) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (market) DO UPDATE SET last_at = max(last_at, excluded.last_at),
  last_ok_at = coalesce(excluded.last_ok_at, last_ok_at),
  last_complete_at = coalesce(excluded.last_complete_at, last_complete_at),
  failures = CASE excluded.failures WHEN 0 THEN 0 ELSE failures + 1 END,
  error = excluded.error
"""
_LATEST = """
SELECT c.text, s.status FROM coverage c
JOIN scan s ON s.coverage_id = c.coverage_id AND s.at = (SELECT max(at) FROM scan WHERE coverage_id = c.coverage_id)
WHERE c.market = :market AND s.at > (SELECT last_at FROM pulse WHERE market = :market) - :back
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Freshness:
    """How one market is doing. A cut answer is a good one, but not a complete one."""

    last_ok_at: datetime | None = None
    last_complete_at: datetime | None = None
    failures_in_a_row: int = 0
    error: str | None = None
    """Of the latest question, None if it was answered."""


def beat(
    connection: Connection,
    *,
    market: str,
    coverage_id: int,
    at: int,
    status: int,
    rows: int = 0,
    took_ms: int = 0,
    error: str | None = None,
) -> None:
    """Note a question and its outcome; `at` is epoch milliseconds."""
    # lines from a time that is still to come are those of a clock that was set back since: they would stay the latest
    connection.exec_driver_sql(_UNDO, (coverage_id, at + LATE_MS))
    connection.exec_driver_sql(_SCAN, (coverage_id, at, status, rows, took_ms, error))
    ok = None if status == FAILED else at
    complete = at if status == WHOLE else None
    connection.exec_driver_sql(_PULSE, (market, at, ok, complete, int(status == FAILED), error))


def beats(connection: Connection, *, market: str, coverage_id: int, moments: Sequence[int]) -> None:
    """Note many questions that were answered in full, oldest first and at least one; epoch milliseconds."""
    *earlier, last = moments
    if earlier:
        connection.exec_driver_sql(_SCAN, [(coverage_id, at, WHOLE, 0, 0, None) for at in earlier])
    beat(connection, market=market, coverage_id=coverage_id, at=last, status=WHOLE)


def answered(connection: Connection, coverage_id: int, at: int) -> None:
    """Note when a query was last answered: all that belongs to it was seen then."""
    connection.exec_driver_sql(_ASKED, (at, coverage_id))


def freshness(store: Store) -> dict[str, Freshness]:
    """How each market that was ever asked is doing."""
    query = "SELECT market, last_ok_at, last_complete_at, failures, error FROM pulse"
    with store.read() as connection:
        rows = connection.exec_driver_sql(query).all()
    return {
        market: Freshness(
            last_ok_at=from_maybe_ms(last_ok_at),
            last_complete_at=from_maybe_ms(last_complete_at),
            failures_in_a_row=failures,
            error=error,
        )
        for market, last_ok_at, last_complete_at, failures, error in rows
    }


def whole_lately(store: Store, market: str, *, within_s: float) -> bool | None:
    """Whether a market answers in full: the latest answer to each of its queries is complete.

    Those count that were asked within so many seconds before the market was last asked; queries for single machines
    do not. None when there are none. Raises StoreError.
    """
    with store.read() as connection:
        rows = connection.exec_driver_sql(_LATEST, {"market": market, "back": round(1000 * within_s)}).all()
    statuses = [status for text, status in rows if Coverage.from_text(text).machines is None]
    return all(status == WHOLE for status in statuses) if statuses else None

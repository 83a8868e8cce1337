"""Keeping the file from growing for ever: old raw history goes, in bites so small that no answer waits for one.

Nothing is compacted: the pages that become free are used again. What is open, queued or remembered is never touched,
but for offers that no answer spoke of for so long that nobody can say they are still there.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from storage.book import Book
from storage.counters import BOOK, WATCHES, bump
from storage.floors import move_floors
from storage.posting import CLOSE, FLOOR, SPAN
from storage.rates import NO_RATES
from storage.spans import span_rows
from storage.store import Store
from storage.times import to_ms, to_s, utc_day

BITE = 10_000
"""Rows deleted in one transaction."""
LOG_DAYS = 90
USAGE_DAYS = 400
TOLD_DAYS = 1
"""A cool-down is forgotten after six hours; its row may go a little later."""

_SPANS = """
DELETE FROM span WHERE (market_id, t1, offer_id) IN (
  SELECT s.market_id, s.t1, s.offer_id FROM market m CROSS JOIN span s ON s.market_id = m.market_id AND s.t1 < :s
  LIMIT :bite)
"""
_FLOORS = """
DELETE FROM floor WHERE (market_id, terms, class, at) IN (
  SELECT f.market_id, f.terms, f.class, f.at
  FROM (SELECT market_id, terms, class, (
      SELECT max(n.at) FROM floor n
      WHERE n.market_id = m.market_id AND n.terms = t.terms AND n.class = c.class AND n.at <= :ms) AS last
    FROM market m, (SELECT 0 AS terms UNION ALL SELECT 1) t, (SELECT 0 AS class UNION ALL SELECT 95) c) g
  CROSS JOIN floor f ON f.market_id = g.market_id AND f.terms = g.terms AND f.class = g.class AND f.at < g.last
  LIMIT :bite)
"""
# the last change before the edge stays: it tells the price at the edge
_SCANS = """
DELETE FROM scan WHERE (coverage_id, at) IN (
  SELECT s.coverage_id, s.at FROM coverage c CROSS JOIN scan s ON s.coverage_id = c.coverage_id AND s.at < :ms
  LIMIT :bite)
"""
_COVERAGES = """
DELETE FROM coverage WHERE coverage_id IN (
  SELECT coverage_id FROM coverage c WHERE last_at < :ms
    AND NOT EXISTS (SELECT 1 FROM cur WHERE cur.coverage_id = c.coverage_id)
    AND NOT EXISTS (SELECT 1 FROM scan WHERE scan.coverage_id = c.coverage_id)
  LIMIT :bite)
"""
_ALERTS = """
DELETE FROM outbox WHERE id IN (
  SELECT id FROM outbox WHERE queued_at < :log AND state NOT IN ('queued', 'held') LIMIT :bite)
"""
_TOLD = "DELETE FROM told WHERE (watch_id, key) IN (SELECT watch_id, key FROM told WHERE told_at < :told LIMIT :bite)"
_USAGE = "DELETE FROM usage WHERE day < :day"
_UNUSED = """
DELETE FROM offer WHERE offer_id = ? AND NOT EXISTS (SELECT 1 FROM cur WHERE cur.offer_id = offer.offer_id)
  AND NOT EXISTS (
    SELECT 1 FROM span s WHERE s.market_id = offer.market_id AND s.t1 >= ? AND s.offer_id = offer.offer_id)
"""


class Retention:
    """What is kept for how long. Raises StoreError."""

    def __init__(self, store: Store, *, raw_days: float) -> None:
        self._store = store
        self._raw = timedelta(days=raw_days)

    def bite(self, now: datetime) -> int:
        """Delete some of what is too old, in one short transaction; the rows deleted, 0 when nothing is left to do.

        The caller pauses between two bites: whoever waits for the write lock then has it.
        """
        old = now - self._raw
        values = {
            "s": to_s(old),
            "ms": to_ms(old),
            "log": to_ms(now - timedelta(days=LOG_DAYS)),
            "told": to_ms(now - timedelta(days=TOLD_DAYS)),
            "day": utc_day(now - timedelta(days=USAGE_DAYS)),
            "bite": BITE,
        }
        for statement in (_SPANS, _FLOORS, _SCANS, _COVERAGES, _ALERTS, _TOLD, _USAGE):
            with self._store.write() as connection:
                deleted = connection.exec_driver_sql(statement, values).rowcount
                if deleted and statement == _COVERAGES:
                    bump(connection, BOOK)
                if deleted and statement == _TOLD:
                    bump(connection, WATCHES)
            if deleted:
                return deleted
        return 0

    def close_unseen(self, now: datetime, *, after: timedelta = timedelta(days=1)) -> int:
        """Close the offers that no answer showed for so long, at the moment they were last seen; how many."""
        limit = to_ms(now - after)
        with self._store.write() as connection:
            book = Book.load(connection)
            closed = [offer for known in book.known.values() for offer in known.values()]
            closed = [offer for offer in closed if book.seen_ms(offer.key) < limit]
            if not closed:
                return 0
            moves, spans, ids = [], [], []
            for offer in closed:
                seen = book.seen_ms(offer.key) // 1000
                stay = book.drop(offer)
                moves.append((stay.market_id, stay.rates, NO_RATES))
                spans.extend(
                    span_rows(offer, offer_id=stay.offer_id, market_id=stay.market_id, start=stay.t0, end=seen)
                )
                ids.append((stay.offer_id,))
            connection.exec_driver_sql(CLOSE, ids)
            if spans:
                connection.exec_driver_sql(SPAN, spans)
            at = max(to_ms(now), *book.latest.values())
            floors = [(*place, at, price) for place, price in move_floors(book, moves)]
            if floors:
                connection.exec_driver_sql(FLOOR, floors)
            bump(connection, BOOK)
        return len(closed)

    def drop_unused(self, now: datetime) -> int:
        """Forget the descriptions of offers that neither history nor the present names; how many. For once a day."""
        moment = to_s(now)
        with self._store.read() as connection:
            candidates = _unused(connection, moment - self._raw.total_seconds())
        deleted = 0
        for start in range(0, len(candidates), BITE):
            with self._store.write() as connection:
                rows = [(offer_id, moment) for offer_id in candidates[start : start + BITE]]
                deleted += connection.exec_driver_sql(_UNUSED, rows).rowcount
        return deleted


def _unused(connection: Connection, before: float) -> list[int]:
    query = "SELECT offer_id FROM offer WHERE first_at < ? EXCEPT SELECT offer_id FROM cur"
    old = {offer_id for (offer_id,) in connection.exec_driver_sql(query, (before,))}
    if old:
        used = connection.exec_driver_sql("SELECT DISTINCT offer_id FROM span")
        old.difference_update(offer_id for (offer_id,) in used)
    return sorted(old)

"""History for other tools: each table with names instead of numbers, US dollars and UTC times, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from storage.store import Store

_OFFERS = """
SELECT m.provider AS market, o.key, c.ask AS offer_id, m.gpu, o.gpu_count, m.vram_gb, m.tier,
  c.price / 1e6 AS usd_per_hour, c.price / 1e6 / o.gpu_count AS usd_per_gpu_hour,
  c.interruptible_price / 1e6 AS interruptible_usd_per_hour, o.disk_gb AS disk_gb_included,
  c.reliability_ppm / 1e6 AS reliability, c.verified,
  CASE c.stock WHEN 1 THEN 'low' WHEN 2 THEN 'medium' WHEN 3 THEN 'high' END AS stock, o.country, o.place,
  strftime('%Y-%m-%dT%H:%M:%SZ', c.since, 'unixepoch') AS since,
  strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(c.seen_at, v.last_at) / 1000, 'unixepoch') AS seen_at
FROM cur c JOIN offer o USING (offer_id) JOIN market m ON m.market_id = c.market_id
LEFT JOIN coverage v ON v.coverage_id = c.coverage_id ORDER BY o.key
"""
_SPANS = """
SELECT m.provider AS market, o.key, m.gpu, o.gpu_count, m.vram_gb, m.tier,
  strftime('%Y-%m-%dT%H:%M:%SZ', s.t1 - s.dur, 'unixepoch') AS start,
  strftime('%Y-%m-%dT%H:%M:%SZ', s.t1, 'unixepoch') AS "end",
  s.price / 1e6 AS usd_per_hour, s.price / 1e6 / o.gpu_count AS usd_per_gpu_hour, s.rel_bp / 1e4 AS reliability,
  CASE s.stock WHEN 1 THEN 'low' WHEN 2 THEN 'medium' WHEN 3 THEN 'high' END AS stock, NOT s.unverified AS verified,
  o.country
FROM market m CROSS JOIN span s ON s.market_id = m.market_id JOIN offer o ON o.offer_id = s.offer_id
"""
_PRICES = """
SELECT m.provider AS market, m.gpu, m.vram_gb, m.tier,
  CASE f.terms WHEN 0 THEN 'on_demand' ELSE 'interruptible' END AS terms, f.class / 1e2 AS reliability_above,
  strftime('%Y-%m-%dT%H:%M:%SZ', f.at / 1000, 'unixepoch') AS at, f.price / 1e6 AS usd_per_gpu_hour
FROM market m CROSS JOIN floor f ON f.market_id = m.market_id
"""
_ANSWERS = """
SELECT c.market, c.text AS query, strftime('%Y-%m-%dT%H:%M:%SZ', s.at / 1000, 'unixepoch') AS at,
  CASE s.status WHEN 0 THEN 'complete' WHEN 1 THEN 'cut' ELSE 'failed' END AS status, s.rows, s.ms, s.error
FROM coverage c CROSS JOIN scan s ON s.coverage_id = c.coverage_id
"""
_ALERTS = """
SELECT id, chat, kind, gpu, market, key, price_per_gpu / 1e6 AS usd_per_gpu_hour,
  strftime('%Y-%m-%dT%H:%M:%SZ', seen_at / 1000, 'unixepoch') AS seen_at,
  strftime('%Y-%m-%dT%H:%M:%SZ', queued_at / 1000, 'unixepoch') AS queued_at,
  strftime('%Y-%m-%dT%H:%M:%SZ', sent_at / 1000, 'unixepoch') AS sent_at, state, reason
FROM outbox ORDER BY id
"""
_QUERIES = {"offers": _OFFERS, "spans": _SPANS, "prices": _PRICES, "answers": _ANSWERS, "alerts": _ALERTS}

EXPORTS = tuple(_QUERIES)
"""What can be exported: the open offers, closed spans, the cheapest price of each card, the answers, the alerts."""


def export(store: Store, table: str) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
    """The columns of an export and its rows, read while they are taken. Raises KeyError for an unknown name."""
    query = _QUERIES[table]
    with store.read() as connection:
        columns = tuple(connection.exec_driver_sql(query).keys())
    return columns, _rows(store, query)


def _rows(store: Store, query: str) -> Iterator[tuple[Any, ...]]:
    with store.read() as connection:
        for row in connection.exec_driver_sql(query):
            yield tuple(row)

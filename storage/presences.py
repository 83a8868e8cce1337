"""Who was on offer when: closed spans and the open offers alike, read back as offers with a beginning and an end.

What a span does not hold (place, memory, link) is the offer's last description; a closed one has no price for
interruptible use.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from market.offer import Offer
from storage.listing import offer_of, open_offers, stock_of
from storage.spans import LONGEST_S

_DESCRIBED = """
SELECT o.offer_id, o.key, m.provider, o.machine, m.gpu, o.spelling, o.gpu_count, m.vram_gb, m.tier, 0, '', o.disk_gb,
  o.storage_price, NULL, NULL, NULL, NULL, o.country, o.place, o.data_centers, o.gpu_ids, o.machine_gpus,
  o.disk_space_gb, o.down_mbps, o.ram_gb, o.cuda, o.ends_at
FROM offer o JOIN market m USING (market_id) WHERE o.market_id = ?
"""
_SPANS = """
SELECT offer_id, t1 - dur, t1, price, rel_bp, stock, unverified FROM span
WHERE market_id = ? AND t1 > ? AND t1 <= ? AND t1 - dur < ?
"""


class Presence(NamedTuple):
    """An offer at one price from `start` until `end`, epoch seconds; `end` None: it is still open."""

    offer: Offer
    start: int
    end: int | None


def presences(
    connection: Connection, market_ids: Sequence[int], start: int, end: int, *, at: Sequence[int] | None = None
) -> Iterator[Presence]:
    """Every presence that touches the stretch from `start` to `end`, epoch seconds, in no order.

    With `at`, sorted moments, only those that hold at one of them.
    """
    wanted = set(market_ids)
    for market_id in market_ids:
        described: dict[int, Offer] = {}
        for row in connection.exec_driver_sql(_SPANS, (market_id, start, end + LONGEST_S, end)):
            offer_id, since, until, price, points, stock, unverified = row
            if at is not None and not _holds(at, since, until):
                continue
            if not described:
                described = _described(connection, market_id)
            offer = described[offer_id]._replace(
                price=price,
                reliability_ppm=None if points is None else points * 100,
                stock=stock_of(stock),
                verified=not unverified,
            )
            yield Presence(offer, since, until)
    for there in open_offers(connection):
        if there.market_id in wanted and there.t0 < end and (at is None or _holds(at, there.t0, None)):
            yield Presence(there.offer, there.t0, None)


def _holds(at: Sequence[int], start: int, end: int | None) -> bool:
    index = bisect_left(at, start)
    return index < len(at) and (end is None or at[index] < end)


def _described(connection: Connection, market_id: int) -> dict[int, Offer]:
    rows: Any = connection.exec_driver_sql(_DESCRIBED, (market_id,))
    return {row[0]: offer_of(tuple(row[1:])) for row in rows}

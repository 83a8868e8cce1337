"""Offers as rows and rows as offers: the one place that knows which column holds which field.

What is slow to change stands in `offer`, what a scan moves in `cur`; together they make an `Offer` again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection

from market.offer import Offer, Stock

_LEVELS: tuple[Stock, ...] = ("low", "medium", "high")
_LEVEL_OF: dict[int | None, Stock | None] = {None: None, 1: "low", 2: "medium", 3: "high"}

_SELECT_OPEN = """
SELECT o.key, m.provider, o.machine, m.gpu, o.spelling, o.gpu_count, m.vram_gb, m.tier, c.price, c.ask, o.disk_gb,
       o.storage_price, c.interruptible_price, c.reliability_ppm, c.verified, c.stock, o.country, o.place,
       o.data_centers, o.gpu_ids, o.machine_gpus, o.disk_space_gb, o.down_mbps, o.ram_gb, o.cuda, o.ends_at,
       c.offer_id, c.market_id, c.since, c.t0, c.coverage_id, coalesce(c.seen_at, v.last_at)
FROM cur c JOIN offer o USING (offer_id) JOIN market m ON m.market_id = c.market_id
LEFT JOIN coverage v ON v.coverage_id = c.coverage_id
"""
_SLOW = attrgetter(
    "machine", "gpu_count", "spelling", "disk_gb", "storage_price", "country", "place", "data_centers", "gpu_ids",
    "machine_gpus", "disk_space_gb", "down_mbps", "ram_gb", "cuda", "ends_at",
)  # fmt: skip
_OF_LINES = "WHERE c.market_id IN (SELECT value FROM json_each(?))"


class OpenOffer(NamedTuple):
    """An open offer with its place in the store. `since` and `t0` are epoch seconds, `seen_at` milliseconds."""

    offer: Offer
    offer_id: int
    market_id: int
    since: int
    t0: int
    coverage_id: int | None
    seen_at: int


def open_offers(connection: Connection, market_ids: Sequence[int] | None = None) -> Iterator[OpenOffer]:
    """Every open offer, or those of some lines of history."""
    if market_ids is None:
        rows = connection.exec_driver_sql(_SELECT_OPEN)
    else:
        rows = connection.exec_driver_sql(_SELECT_OPEN + _OF_LINES, (json.dumps(list(market_ids)),))
    for row in rows:
        yield OpenOffer(offer_of(tuple(row[:26])), *row[26:])


def offer_of(row: tuple[Any, ...]) -> Offer:
    """An offer from its 26 columns, in the order of its fields."""
    fields = list(row)
    verified = row[14]
    fields[14] = None if verified is None else bool(verified)
    fields[15] = _LEVEL_OF[row[15]]
    fields[18] = _tuple(row[18])
    fields[19] = _tuple(row[19])
    return Offer(*fields)


def description(offer: Offer) -> tuple[Any, ...]:
    """Values for the columns of `offer` that describe it, `machine` to `ends_at`."""
    slow = _SLOW(offer)
    return (*slow[:7], _text(offer.data_centers), _text(offer.gpu_ids), *slow[9:])


def described_alike(one: Offer, other: Offer) -> bool:
    """Whether two offers have the same description."""
    return _SLOW(one) == _SLOW(other)


def state(offer: Offer) -> tuple[Any, ...]:
    """Values for the columns of `cur` that an answer moves, `ask` to `stock`."""
    verified = offer.verified
    return (
        offer.offer_id,
        offer.price,
        offer.interruptible_price,
        offer.reliability_ppm,
        None if verified is None else int(verified),
        level(offer.stock),
    )


def level(stock: Stock | None) -> int | None:
    """A stock level as a number from 1, low, to 3, high."""
    return None if stock is None else _LEVELS.index(stock) + 1


def stock_of(value: int | None) -> Stock | None:
    """The stock level of its number."""
    return _LEVEL_OF[value]


_COMPACT = json.JSONEncoder(separators=(",", ":"))


def _text(values: tuple[Any, ...]) -> str | None:
    return _COMPACT.encode(values) if values else None


def _tuple(text: str | None) -> tuple[Any, ...]:
    return tuple(json.loads(text)) if text else ()

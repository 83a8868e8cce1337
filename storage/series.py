"""The points of a history: what was on offer at regular moments, as far as it was known then."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sqlalchemy import Connection

from market.money import HOURS_PER_MONTH
from market.offer import DEFAULT_DISK_GB, Offer, Stock, Terms, Tier, physical_gpus
from storage.availability import Cells
from storage.intervals import latest_within
from storage.lines import Line
from storage.listing import stock_of
from storage.presences import Moments, Spell, spells
from storage.times import from_ms

LEVELS_ONLY = frozenset({"runpod"})
"""Markets that tell a stock level and never how many GPUs there are."""

_FLOOR = "SELECT at, price FROM floor WHERE market_id = ? AND terms = 1 AND class = 0 AND at <= ? ORDER BY at"


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """One market and tier at one moment. Prices are micro-dollars per GPU-hour; None is unknown, or none on offer."""

    at: datetime
    market: str
    tier: Tier
    terms: Terms
    best: int | None
    median: int | None
    gpus: int | None
    """Physical GPUs, each once; None where the market tells a level only, and for interruptible use."""
    offers: int | None
    """Pod types where the market tells a level only: sizes of one are the same thing. None for interruptible use."""
    stock: Stock | None


def series(
    connection: Connection, cells: Cells, lines: Sequence[Line], *, start: int, end: int, step: int
) -> list[Point]:
    """The points between two moments, epoch milliseconds, one each `step` (milliseconds)
    counted back from the end.

    A moment at which nothing was known is told as the last known one since the point before it, or not at all.
    """
    # whole seconds, as spans are: most moments then stand in a row
    grid = range(end // 1000 * 1000, start, -max(step // 1000, 1) * 1000)
    points: list[Point] = []
    for market, tier in sorted({(cell[0], cell[2]) for cell in cells.sights}):
        known = cells.known_in(market, tier)
        moments = sorted({at for each in grid if (at := latest_within(known, each, -grid.step)) is not None})
        if moments:
            own = [line.market_id for line in lines if (line.market, line.tier) == (market, tier)]
            points.extend(_on_demand(connection, own, moments, grid, market, tier))
            points.extend(_interruptible(connection, own, moments, market, tier))
    return sorted(points, key=lambda point: (point.at, point.market, point.tier, point.terms == "interruptible"))


def _on_demand(
    connection: Connection, own: Sequence[int], moments: Sequence[int], grid: range, market: str, tier: Tier
) -> Iterator[Point]:
    seconds = [at // 1000 for at in moments]
    base, step = grid.start // 1000, -grid.step // 1000
    regular = Moments(base, step, tuple(each for each in seconds if (each - base) % step))
    prices: list[list[int]] = [[] for _ in seconds]
    offers: list[list[Offer]] = [[] for _ in seconds]
    stocks = [0] * len(seconds)
    for spell in spells(connection, own, seconds[0] - 1, seconds[-1] + 1, at=regular):
        first = bisect_left(seconds, spell.start)
        last = len(seconds) if spell.end is None else bisect_left(seconds, spell.end)
        if first < last and not spell.unverified:
            price = _per_gpu(spell)
            for index in range(first, last):
                prices[index].append(price)
                offers[index].append(spell.offer)
                stocks[index] = max(stocks[index], spell.stock or 0)
    levels_only = market in LEVELS_ONLY
    for index, at in enumerate(moments):
        there = offers[index]
        yield Point(
            at=from_ms(at),
            market=market,
            tier=tier,
            terms="on_demand",
            best=min(prices[index], default=None),
            median=round(median(prices[index])) if prices[index] else None,
            gpus=None if levels_only else physical_gpus(there),
            offers=len({offer.machine for offer in there} if levels_only else there),
            stock=stock_of(stocks[index] or None),
        )


def _per_gpu(spell: Spell) -> int:
    """`Offer.monthly` on demand with the default disk, for one GPU: written out, because it is asked so often."""
    offer = spell.offer
    disk = (DEFAULT_DISK_GB - offer.disk_gb) * (offer.storage_price or 0)
    return round((spell.price * HOURS_PER_MONTH + disk) / (HOURS_PER_MONTH * offer.gpu_count))


def _interruptible(
    connection: Connection, own: Sequence[int], moments: Sequence[int], market: str, tier: Tier
) -> Iterator[Point]:
    """Only where there ever was such a price: most markets have none."""
    floors = [connection.exec_driver_sql(_FLOOR, (market_id, moments[-1])).all() for market_id in own]
    floors = [rows for rows in floors if rows]
    if not floors:
        return
    for at in moments:
        prices = []
        for rows in floors:
            index = bisect_right(rows, at, key=lambda row: row.at) - 1
            if index >= 0 and rows[index].price is not None:
                prices.append(rows[index].price)
        yield Point(
            at=from_ms(at),
            market=market,
            tier=tier,
            terms="interruptible",
            best=min(prices, default=None),
            median=None,
            gpus=None,
            offers=None,
            stock=None,
        )

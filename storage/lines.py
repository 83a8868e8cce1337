"""The lines of history: one card of one memory size in one tier of one market each."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection

from market.offer import Tier


class Line(NamedTuple):
    """One row of `market`."""

    market_id: int
    market: str
    gpu: str
    vram_gb: int
    tier: Tier


def lines_of(
    connection: Connection,
    cards: frozenset[str] | None,
    *,
    vram_gb: int | None = None,
    market: str | None = None,
    tier: Tier | None = None,
) -> list[Line]:
    """The lines of these cards (None: of all), narrowed down as asked."""
    rows = connection.exec_driver_sql("SELECT market_id, provider, gpu, vram_gb, tier FROM market")
    return [
        line
        for line in map(Line._make, rows)
        if (cards is None or line.gpu in cards)
        and (vram_gb is None or line.vram_gb == vram_gb)
        and (market is None or line.market == market)
        and (tier is None or line.tier == tier)
    ]

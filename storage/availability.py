"""Whether a card could be had, as far as anybody knows: availability joined with knowledge, cell by cell.

A cell is a card in a tier of a market. Where its full picture is known, the cheapest price tells whether it was on
offer; elsewhere only the offers that an answer really showed prove anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from market.offer import Tier
from storage.intervals import Intervals, clipped, common, merged, without
from storage.knowledge import Answers, Cell
from storage.lines import Line
from storage.presences import presences
from storage.times import from_s

_FLOOR = """
SELECT at, price FROM floor WHERE market_id = ? AND terms = 0 AND class = 0 AND at < ? AND at >= coalesce(
  (SELECT max(at) FROM floor WHERE market_id = ? AND terms = 0 AND class = 0 AND at <= ?), ?)
ORDER BY at
"""


@dataclass(slots=True)
class Sight:
    """What is known of one cell, epoch milliseconds."""

    full: Intervals = field(default_factory=list)
    """Where its full picture is known."""
    tried: Intervals = field(default_factory=list)
    """From the first to the last time that the full picture was asked for."""
    offered: Intervals = field(default_factory=list)
    """Where it was on offer, by what was known then."""
    proved: Intervals = field(default_factory=list)
    """Where, outside of the full picture, an answer showed it."""

    def available(self) -> Intervals:
        """Where it was known to be on offer."""
        return merged([*common(self.offered, self.full), *self.proved])


class Cells:
    """The cells of a question."""

    def __init__(self) -> None:
        self.sights: dict[Cell, Sight] = {}

    def sight(self, cell: Cell) -> Sight:
        """What is known of a cell."""
        return self.sights.setdefault(cell, Sight())

    def available(self) -> Intervals:
        """Where any of them was known to be on offer."""
        return merged(part for sight in self.sights.values() for part in sight.available())

    def known(self) -> Intervals:
        """Where it is known whether any of them was on offer: one that was is enough, none needs the picture of all."""
        full = merged(part for sight in self.sights.values() for part in sight.full)
        dark = merged(part for sight in self.sights.values() for part in without(sight.tried, sight.full))
        return merged([*self.available(), *without(full, dark)])

    def known_in(self, market: str, tier: Tier) -> Intervals:
        """Where something is known of a tier of a market."""
        return merged(
            part
            for (name, _, level), sight in self.sights.items()
            if name == market and level == tier
            for part in (*sight.full, *sight.proved)
        )


def observed(
    connection: Connection,
    found: Sequence[Answers],
    lines: Sequence[Line],
    cards: Iterable[str],
    *,
    start: int,
    end: int,
    vram_gb: int | None,
    tier: Tier | None,
) -> Cells:
    """What the answers tell of these cards between two moments, epoch milliseconds."""
    cells = Cells()
    pairs = [
        (each, (each.coverage.market, card, name))
        for each in found
        for card in cards
        if each.coverage.cards is None or card in each.coverage.cards
        for name in each.coverage.tiers
        if tier is None or name == tier
    ]
    for each, cell in pairs:
        if each.coverage.shows_all_of(cell[1], cell[2], vram_gb):
            sight = cells.sight(cell)
            sight.full = clipped([*sight.full, *each.whole], start, end)
            sight.tried = clipped([*sight.tried, (each.first, each.last)], start, end)
    for line in lines:
        cell = (line.market, line.gpu, line.tier)
        if cell in cells.sights:
            sight = cells.sight(cell)
            sight.offered = merged([*sight.offered, *_offered(connection, line, start, end)])
    for each, cell in pairs:
        full = cells.sights[cell].full if cell in cells.sights else []
        beyond = without(clipped(each.good, start, end), full)
        proof = _shown(connection, each, [line for line in lines if line[1:3] + line[4:] == cell], beyond)
        if proof:
            sight = cells.sight(cell)
            sight.proved = merged([*sight.proved, *proof])
    return cells


def _offered(connection: Connection, line: Line, start: int, end: int) -> Intervals:
    rows = connection.exec_driver_sql(_FLOOR, (line.market_id, end, line.market_id, start, start)).all()
    ends = [*(row.at for row in rows[1:]), end][: len(rows)]  # no rows yet where the first price is of this very moment
    return clipped(
        ((row.at, until) for row, until in zip(rows, ends, strict=True) if row.price is not None), start, end
    )


def _shown(connection: Connection, each: Answers, lines: Sequence[Line], beyond: Intervals) -> Intervals:
    """Where, in these stretches, offers were open that the query shows."""
    if not beyond or not lines:
        return []
    first, last = beyond[0][0], beyond[-1][1]
    there = [
        (presence.start * 1000, last if presence.end is None else presence.end * 1000)
        for presence in presences(connection, [line.market_id for line in lines], first // 1000, -(-last // 1000))
        if each.coverage.expects(presence.offer, from_s(presence.start))
    ]
    return common(merged(there), beyond)

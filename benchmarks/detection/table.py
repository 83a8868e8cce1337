"""The comparison as a table: every poller on every market."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks import report
from benchmarks.detection.claims import LABELS, bound_of
from benchmarks.detection.delays import Delays, chosen, delays
from benchmarks.detection.outcome import Outcome
from benchmarks.detection.runs import MARKETS, Comparison

HEADER = (
    "market", "poller", "median", "95th percentile", "seen", "seen of the long", "median of the long",
    "falling prices: seen", "median", "rows a day", "requests a day", "refused",
)  # fmt: skip


def table(comparison: Comparison) -> list[tuple[str, ...]]:
    """Header and rows of cells."""
    pollers = (comparison.planner, *comparison.rivals)
    return [HEADER, *(_cells(comparison, market, poller) for market in MARKETS for poller in pollers)]


def text(rows: Sequence[Sequence[str]]) -> str:
    """Columns for the terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(comparison: Comparison, command: str) -> str:
    """The same for a page."""
    header, *rows = table(comparison)
    lines = [header, ("---",) * len(header), *rows]
    cells = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"`{command}` on {report.machine()}, {comparison.days:g} days:\n\n{cells}"


def _cells(comparison: Comparison, market: str, poller: Outcome) -> tuple[str, ...]:
    late = bound_of(comparison.planner, market).late
    every = delays(poller.sightings, chosen(comparison.windows, market))
    long = delays(poller.sightings, chosen(comparison.windows, market, longer_than=late))
    fallen = delays(poller.sightings, chosen(comparison.windows, market, how="falls"))
    spent = poller.spent[market]
    return (
        LABELS[market],
        poller.name,
        _seconds(every.median),
        _seconds(every.late),
        _share(every),
        _share(long),
        _seconds(long.median),
        _share(fallen),
        _seconds(fallen.median),
        f"{spent.rows / comparison.days:,.0f}" if market == "vast" else "free",
        f"{spent.requests / comparison.days:,.0f}",
        f"{spent.refused / spent.requests:.0%}" if spent.refused else "none",
    )


def _seconds(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,.1f} s" if math.isfinite(value) else "never"


def _share(value: Delays) -> str:
    return f"{value.seen:.1%} of {value.windows}" if value.windows else "-"

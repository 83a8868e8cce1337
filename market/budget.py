"""How fast rows may be spent: evenly until their reset, and a little faster in the busy hours of the day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf, sqrt
from typing import Final

BUSY_HOURS: Final = range(15, 24)
"""UTC: cards are scarcest then, on both markets."""
BUSY_WEIGHT: Final = 1.5
CENSUS_SHARE: Final = 0.5
"""Of the rows: full pictures use no more than this, """
CENSUS_LEAST: Final = 0.1
"""and where probes need the rows, no more than this."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What may be spent now. Nothing is charged where `row_rate` is None."""

    row_rate: float | None = None
    """Rows a second."""
    census_rows_left: float = inf
    """Rows that full pictures may still take today."""


def row_rate(now: datetime, left: int, resets_at: datetime) -> float:
    """Rows a second that may be spent at `now`, so that those left last until the reset."""
    weighted, at = 0.0, now
    while at < resets_at:
        until = min(at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1), resets_at)
        weighted += _weight(at) * (until - at).total_seconds()
        at = until
    return _weight(now) * left / weighted if weighted > 0 else float(left)


def shared_periods(demands: Sequence[tuple[float, float]], supply: float) -> list[float]:
    """Seconds between two askings of each of these, so that together they stay within `supply` rows a second.

    A demand is (rows each time, the fewest seconds between two times). Where there are too few rows, the periods grow
    with the square root of the rows: of all ways to share them that is the one with the shortest wait on average.
    """
    found = [least for _, least in demands]
    short = {index for index, (rows, _) in enumerate(demands) if rows > 0}
    while short:
        spared = supply - sum(rows / least for index, (rows, least) in enumerate(demands) if index not in short)
        unit = sum(sqrt(demands[index][0]) for index in short) / spared if spared > 0 else inf
        enough = {index for index in short if sqrt(demands[index][0]) * unit <= demands[index][1]}
        if not enough:
            found = [sqrt(demands[i][0]) * unit if i in short else least for i, least in enumerate(found)]
            break
        short -= enough
    return found


def _weight(at: datetime) -> float:
    return BUSY_WEIGHT if at.hour in BUSY_HOURS else 1.0

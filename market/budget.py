"""How fast rows may be spent: evenly until their reset, and a little faster in the busy hours of the day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from typing import Final

BUSY_HOURS: Final = range(15, 24)
"""UTC: cards are scarcest then, on both markets."""
BUSY_WEIGHT: Final = 1.5
CENSUS_SHARE: Final = 0.5
"""Of the rows: full pictures use no more than this."""


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


def level(demands: list[float], supply: float) -> float:
    """The highest rate that each of these may have, so that together they stay within the supply.

    Whoever wants less has what it wants; the others share the rest evenly. `inf` where there is enough for all.
    """
    left = supply
    for index, demand in enumerate(sorted(demands)):
        share = left / (len(demands) - index)
        if demand > share:
            return share
        left -= demand
    return inf


def _weight(at: datetime) -> float:
    return BUSY_WEIGHT if at.hour in BUSY_HOURS else 1.0

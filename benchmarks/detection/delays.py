"""From sightings to figures: how soon, and how many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.detection.windows import Sightings, Window
from benchmarks.timing import percentile

SETTLING_S = 1_800.0
"""Windows that open before are not counted: the first census is still to come."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delays:
    """Seconds from appearance to alert over some windows; one never told of counts as infinite."""

    windows: int
    median: float
    late: float
    """The 95th percentile."""
    seen: float
    """Share of the windows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bound:
    """What a planner that asks each of its probes in turn, as fast as allowed, owes."""

    spacing_s: float
    probes: int

    @property
    def round_s(self) -> float:
        """Seconds in which each probe has its turn once."""
        return self.spacing_s * self.probes

    @property
    def median(self) -> float:
        """At most."""
        return self.round_s / 2 + 1

    @property
    def late(self) -> float:
        """The 95th percentile at most; windows that are longer are owed."""
        return 1.2 * self.round_s + 2


def chosen(windows: Sequence[Window], market: str, *, how: str = "appears", longer_than: float = 0.0) -> list[Window]:
    """The windows of one market that were opened that way and stay long enough."""
    return [
        window
        for window in windows
        if window.market == market and window.how == how and window.length > longer_than and window.start >= SETTLING_S
    ]


def delays(sightings: Sightings, windows: Sequence[Window]) -> Delays:
    """Figures over these windows; not a number without any."""
    if not windows:
        return Delays(windows=0, median=math.nan, late=math.nan, seen=math.nan)
    found = [sightings.delay(window) for window in windows]
    return Delays(
        windows=len(found),
        median=median(found),
        late=percentile(found, 0.95),
        seen=sum(map(math.isfinite, found)) / len(found),
    )

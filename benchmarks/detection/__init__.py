"""How soon is a scarce offer seen? Simulated days of this planner and of fixed pollers, in virtual time.

The real marketplace modules ask the simulator in this process; the truth is the schedule by which scarce offers come
and go. Rules, market sizes and what is counted are written out in docs/detection.md.
"""

from __future__ import annotations

from typing import Final

from benchmarks.detection.claims import claims
from benchmarks.detection.economy import less_quota, more_rules, planning
from benchmarks.detection.runs import Comparison, compared
from benchmarks.figure import Figure, Result
from benchmarks.size import Size

DAY_S: Final = 86_400.0
SIX_HOURS_S: Final = DAY_S / 4


def measure(size: Size) -> list[Result]:
    """Every claim."""
    return [*measured(size)[1]]


def measured(size: Size) -> tuple[Comparison, list[Figure]]:
    """The comparison, and every claim."""
    comparison = compared(size.watched_s)
    figures = [
        *claims(comparison),
        more_rules(min(size.watched_s / 12, SIX_HOURS_S)),
        *less_quota(min(size.watched_s, DAY_S)),
        planning(min(1_000, size.rules)),
    ]
    return comparison, figures

"""How soon is a scarce offer seen? A simulated week of this planner and of fixed pollers, in virtual time.

The real marketplace modules ask the simulator in this process; the truth is the schedule by which scarce offers come
and go. Rules, market sizes and what is counted are written out in docs/detection.md.
"""

from __future__ import annotations

from benchmarks.detection.claims import claims
from benchmarks.detection.economy import less_quota, more_rules, planning
from benchmarks.detection.runs import Comparison, compared
from benchmarks.figure import Figure, Result
from benchmarks.size import Size


def measure(size: Size) -> list[Result]:
    """Every claim."""
    return [*measured(size)[1]]


def measured(size: Size) -> tuple[Comparison, list[Figure]]:
    """The comparison, and every claim."""
    comparison = compared(size.watched_s)
    figures = [
        *claims(comparison),
        more_rules(size.watched_s / 28),
        *less_quota(min(size.watched_s, 86_400.0)),
        planning(min(1_000, size.rules)),
    ]
    return comparison, figures

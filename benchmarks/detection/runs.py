"""The runs of the comparison: the same windows for the product and for every fixed poller."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

from benchmarks.detection.course import at_once
from benchmarks.detection.outcome import Outcome, lived, planned
from benchmarks.detection.rivals import HABITS, Habit
from benchmarks.detection.windows import Window, schedule

SEED: Final = 1
MARKETS: Final = ("vast", "runpod")
LONG_S: Final = 86_400.0
"""From so much on the runs share out the processors."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All runs over the same windows."""

    seconds: float
    windows: Sequence[Window]
    planner: Outcome
    rivals: Sequence[Outcome]

    @property
    def days(self) -> float:
        """Of virtual time."""
        return self.seconds / 86_400

    def rival(self, habit: Habit) -> Outcome:
        """The run of one fixed poller."""
        return next(each for each in self.rivals if each.name == habit.name)


def compared(seconds: float) -> Comparison:
    """Run them all for so much virtual time."""
    jobs = [(None, seconds), *((habit, seconds) for habit in HABITS)]
    if seconds < LONG_S:
        outcomes = [_run(job) for job in jobs]
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
            outcomes = list(pool.map(_run, jobs))
    planner, *rivals = outcomes
    return Comparison(seconds=seconds, windows=schedule(SEED, seconds), planner=planner, rivals=rivals)


def _run(job: tuple[Habit | None, float]) -> Outcome:
    habit, seconds = job
    windows = schedule(SEED, seconds)
    if habit is None:
        return at_once(planned(windows, seconds, seed=SEED))
    return at_once(lived(habit, windows, seconds, seed=SEED))

"""Medians of many: single runs on a shared machine say little."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median


def wall() -> Callable[[], float]:
    """A function that tells the real milliseconds since now: for work that waits for a disk or another thread."""
    start = time.perf_counter_ns()
    return lambda: (time.perf_counter_ns() - start) / 1e6


def work() -> Callable[[], float]:
    """A function that tells the milliseconds all threads of this process have worked since now."""
    start = time.process_time_ns()
    return lambda: (time.process_time_ns() - start) / 1e6


def effort() -> Callable[[], float]:
    """A function that tells the milliseconds this thread has worked since now, whatever else the machine does."""
    start = time.thread_time_ns()
    return lambda: (time.thread_time_ns() - start) / 1e6


def in_turn(*rivals: Callable[[], object], times: int) -> tuple[float, ...]:
    """The median effort of each rival, in milliseconds, after one run that warms up.

    They run alternately, so that a busy moment of the machine meets all of them.
    """
    for rival in rivals:
        rival()
    gc.collect()
    taken: tuple[list[float], ...] = tuple([] for _ in rivals)
    for _ in range(times):
        for rival, results in zip(rivals, taken, strict=True):
            elapsed = effort()
            rival()
            results.append(elapsed())
    return tuple(map(median, taken))


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of them lies."""
    ranked = sorted(values)
    return ranked[min(int(len(ranked) * share), len(ranked) - 1)]

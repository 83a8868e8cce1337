"""A clock that stands still until a test moves it. The fake dates messages and counts limits by such a clock."""

from __future__ import annotations

from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds since the epoch, UTC."""


class ManualClock:
    """Tells the time it was given."""

    def __init__(self, start: float = 1_796_126_400.0) -> None:
        self.now = start

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on; never backwards."""
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self.now += seconds

"""Virtual time for a simulated market: ticking many times faster than real time, or moved by hand.

No clock is read here: the source of real seconds is an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What tells the simulator the time."""

    def now(self) -> datetime:
        """Aware UTC; never earlier than it said before."""


class SimClock:
    """Starts at `start` and runs `speed` times as fast as the seconds that `monotonic` counts."""

    def __init__(self, start: datetime, speed: float, monotonic: Callable[[], float]) -> None:
        if start.tzinfo is None:
            raise ValueError("the start of a market needs a time zone")
        if not speed > 0:
            raise ValueError("the speed of a clock is above zero")
        self.speed = speed
        self._start = start
        self._monotonic = monotonic
        self._origin = monotonic()

    def now(self) -> datetime:
        """The virtual time."""
        return self._start + timedelta(seconds=(self._monotonic() - self._origin) * self.speed)


class ManualClock:
    """Stands still until a test moves it."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("the start of a market needs a time zone")
        self._now = start

    def now(self) -> datetime:
        """The time it was last moved to."""
        return self._now

    def move(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0) -> datetime:
        """Go forward and return the new time; backwards is refused with ValueError."""
        step = timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days)
        if step < timedelta(0):
            raise ValueError("virtual time does not run backwards")
        self._now += step
        return self._now

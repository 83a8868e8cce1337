"""The only place that reads clocks. Everything else is given a `Clock`.

Storage and display use `now` (UTC), pacing uses `monotonic`: a wall clock that is set back must not stall a scan.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

SKEW_S: Final = 2.0
"""Two clocks of one machine never part by so much unless one of them was set."""


class Clock(Protocol):
    """Wall time, elapsed time, and how long a span of it really takes."""

    def now(self) -> datetime:
        """Aware UTC."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment, those included in which the machine was suspended; never set back."""

    def real_seconds(self, seconds: float) -> float:
        """How long `seconds` of this clock take by the machine's own."""

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait until the event is set or so many seconds of this clock have passed; whether it was set."""


class LivedTime:
    """Seconds that have passed, whatever was done to the wall clock.

    The machine's monotonic clock stands still while it is suspended, and the wall clock does not: where the wall clock
    has leapt ahead of it, that time has passed too. Where it was set back, nothing has. Any thread may ask.
    """

    def __init__(self, wall: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._lead = wall() - monotonic()
        self._slept = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        """Seconds since some fixed moment."""
        with self._lock:
            monotonic = self._monotonic()
            lead = self._wall() - monotonic
            if lead - self._lead > SKEW_S:
                self._slept += lead - self._lead
            self._lead = lead
            return monotonic + self._slept


class SystemClock:
    """The machine's own clocks."""

    def __init__(self) -> None:
        self._lived = LivedTime(time.time, time.monotonic)

    def now(self) -> datetime:
        """The wall clock, aware UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds of the machine's monotonic clock, and those in which it was suspended."""
        return self._lived()

    def real_seconds(self, seconds: float) -> float:
        """Seconds as they are."""
        return seconds

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait for the event, at most so long."""
        return await _wait(event, seconds)


class FastClock:
    """A clock that starts at a given moment and runs `speed` times as fast as the machine's: for simulated markets."""

    def __init__(self, start: datetime, speed: float) -> None:
        self._start = start
        self._speed = speed
        self._zero = time.monotonic()

    def now(self) -> datetime:
        """Simulated UTC."""
        return self._start + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """Simulated seconds since the start."""
        return (time.monotonic() - self._zero) * self._speed

    def real_seconds(self, seconds: float) -> float:
        """The real time that simulated seconds take."""
        return seconds / self._speed

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait for the event, at most so many simulated seconds."""
        return await _wait(event, self.real_seconds(seconds))


class SetBack:
    """Notices when the wall clock was set back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lead = self._measure()

    def seconds(self) -> float:
        """By how much it was set back since the last time somebody asked; 0 if it was not."""
        lead = self._measure()
        back, self._lead = self._lead - lead, lead
        return back if back > SKEW_S else 0.0

    def _measure(self) -> float:
        return self._clock.now().timestamp() - self._clock.monotonic()


async def _wait(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
    except TimeoutError:
        return False
    return True

"""The only place that reads clocks. Everything else is given a `Clock`.

Storage and display use `now` (UTC), pacing uses `monotonic`: a wall clock that is set back must not stall a scan.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall time, elapsed time, and how long a span of it really takes."""

    def now(self) -> datetime:
        """Aware UTC."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never set back."""

    def real_seconds(self, seconds: float) -> float:
        """How long `seconds` of this clock take by the machine's own."""

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait until the event is set or so many seconds of this clock have passed; whether it was set."""


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """The wall clock, aware UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """The machine's monotonic clock, in seconds."""
        return time.monotonic()

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


async def _wait(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
    except TimeoutError:
        return False
    return True

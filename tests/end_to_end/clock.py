"""The clock of these tests: the product and the simulated market read the same one, and only a test moves it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from scanners.simulator import clock as simulated

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)


class ManualClock(simulated.ManualClock):
    """A `bot.clock.Clock` that stands still. Waiting for something moves it instead of taking time."""

    def __init__(self, start: datetime = START) -> None:
        super().__init__(start)
        self._start = start
        self._back = timedelta(0)

    def now(self) -> datetime:
        """The time it was last moved to, or set back to."""
        return super().now() - self._back

    def set_back(self, *, hours: float) -> None:
        """Somebody sets the wall clock back; no time passes."""
        self._back += timedelta(hours=hours)

    def monotonic(self) -> float:
        """Seconds since the start."""
        return (super().now() - self._start).total_seconds()

    def real_seconds(self, seconds: float) -> float:
        """As long as they are."""
        return seconds

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Let others run once; if the event is not set then, the time has passed."""
        await asyncio.sleep(0)
        if not event.is_set():
            self.move(seconds=max(seconds, 0.0))
        return event.is_set()

"""The clock of these tests: the product and the simulated market read the same one, and only a test moves it."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pkgutil import iter_modules

import pytest

import bot.cli
from scanners.simulator import clock as simulated

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)


def everywhere(clock: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every module of the product that asks for the system's clock have this one."""
    for command in iter_modules(bot.cli.__path__, "bot.cli."):
        import_module(command.name)  # a call loads its command only when it is made: too late to be given a clock
    for name in [name for name in sys.modules if name.startswith("bot.") and name != "bot.clock"]:
        if hasattr(sys.modules[name], "SystemClock"):
            monkeypatch.setattr(sys.modules[name], "SystemClock", lambda: clock)


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

"""A clock for waits that run beside the test: whoever waits is woken when the test has moved time far enough."""

from __future__ import annotations

import asyncio
from datetime import datetime

from tests.end_to_end.clock import START
from tests.end_to_end.clock import ManualClock as LeapingClock


class PatientClock(LeapingClock):
    """Stands still while others wait. Only `move` brings their moment."""

    def __init__(self, start: datetime = START) -> None:
        super().__init__(start)
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def move(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0) -> datetime:
        """Let time pass and wake those whose moment has come."""
        at = super().move(seconds=seconds, minutes=minutes, hours=hours, days=days)
        for due, woken in self._sleepers:
            if due <= self.monotonic():
                woken.set()
        return at

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Until the event is set, or the test has let so many seconds pass."""
        sleeper = (self.monotonic() + seconds, asyncio.Event())
        self._sleepers.append(sleeper)
        waits = [asyncio.create_task(each.wait()) for each in (event, sleeper[1])]
        try:
            await asyncio.wait(waits, timeout=None if seconds > 0 else 0, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._sleepers.remove(sleeper)
            for wait in waits:
                wait.cancel()
        return event.is_set()

"""A clock that stands still until the test moves it: for waits that run beside each other."""

from __future__ import annotations

import asyncio

from tests.bot.telegram.cast import LeapingClock


class StandingClock(LeapingClock):
    """Whoever waits is woken when time has been moved far enough."""

    def __init__(self) -> None:
        super().__init__()
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def advance(self, seconds: float) -> None:
        self.elapsed += seconds
        for due, woken in self._sleepers:
            if due <= self.elapsed:
                woken.set()

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        self.waits.append(seconds)
        sleeper = (self.elapsed + seconds, asyncio.Event())
        self._sleepers.append(sleeper)
        waits = [asyncio.create_task(each.wait()) for each in (event, sleeper[1])]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._sleepers.remove(sleeper)
            for wait in waits:
                wait.cancel()
        return event.is_set()

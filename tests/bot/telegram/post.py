"""An outbox and the worker between it and Telegram, for the tests of delivery."""

from __future__ import annotations

import asyncio

from bot.clock import Clock
from bot.delivery import Deliverer
from market.alerting import Policy
from tests.bot.telegram.cast import START, LeapingClock
from tests.bot.telegram.shelf import Shelf, StillThere
from tests.bot.telegram.stage import Stage


class PatientClock(LeapingClock):
    """It stands still: who waits is woken by an event, or never."""

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        await event.wait()
        return True


class Post:
    """An outbox, what is known, and the worker between them and Telegram."""

    def __init__(self, stage: Stage, clock: Clock | None = None) -> None:
        stage.build()
        self.stage = stage
        self.shelf = Shelf()
        self.known = StillThere()
        self.deliverer = Deliverer(
            outbox=self.shelf,
            known=self.known,
            channel_of=lambda chat: stage.channel,
            clock=clock or stage.clock,
            policy=Policy(),
        )

    async def rounds(self, until_s: float) -> None:
        """Send whenever something is due, up to that time."""
        clock = self.stage.clock
        while clock.elapsed <= until_s:
            if await self.deliverer.round():
                continue
            due = self.shelf.next_due()
            if due is None or (due - START).total_seconds() > until_s:
                clock.elapsed = max(clock.elapsed, until_s)
                return
            clock.elapsed = max(clock.elapsed, (due - START).total_seconds())

    @property
    def states(self) -> list[str]:
        return [row.state for row in self.shelf.rows]

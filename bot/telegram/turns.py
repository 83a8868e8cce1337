"""Whose turn it is to be answered in a chat: one after another, at the pace that leaves room for alerts.

People in a group are answered by turns, so that a flood of one of them delays the others by a message or two. Alerts
do not queue here: the pace keeps room for them.
"""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakValueDictionary

from bot.clock import Clock
from bot.telegram.line import Line
from bot.telegram.pace import ANSWERS

SOONEST_S: Final = 0.01
"""A wait that is a rounding error would be asked for again and again."""


class Turns:
    """Turns to speak, by chat and person."""

    def __init__(self, line: Line, clock: Clock) -> None:
        self._line = line
        self._clock = clock
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take(self, chat: str, user: str) -> bool:
        """Return when this person may be answered in this chat, and count one message.

        When the bot is being stopped nobody waits: what Telegram does not hold back may go at once, and for the rest
        the answer is False.
        """
        pace = self._line.pace
        while (wait_s := pace.take_person(chat, user)) > 0:
            if await self._wait(wait_s):
                break
        queue = self._queues.get(chat)
        if queue is None:
            queue = self._queues[chat] = asyncio.Lock()
        async with queue:
            while (wait_s := pace.take(chat, ANSWERS)) > 0:
                if await self._wait(wait_s):
                    return pace.held(chat) <= 0
        return True

    async def _wait(self, seconds: float) -> bool:
        return await self._clock.wait(self._line.closing, max(seconds, SOONEST_S))

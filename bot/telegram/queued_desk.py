"""The desk with a queue before it: work for one chat is done in order, and only so much of it at once."""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakValueDictionary

from bot.conversation import Desk, Outcome, Press, Request

AT_ONCE: Final = 8
"""Questions that are worked on at the same time; alerts need the machine too."""


class QueuedDesk:
    """A desk. Waiting for Telegram is not done here, so that it holds nobody up."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._free = asyncio.Semaphore(AT_ONCE)
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def commands(self, language: str) -> tuple[tuple[str, str], ...]:
        """As the desk says."""
        return self._desk.commands(language)

    def known(self, word: str) -> str | None:
        """As the desk says."""
        return self._desk.known(word)

    async def answer(self, request: Request) -> Outcome:
        """As the desk answers, after what the chat asked before."""
        async with self._queue(request.speaker.chat), self._free:
            return await self._desk.answer(request)

    async def press(self, press: Press) -> Outcome:
        """As the desk answers, after what the chat asked before."""
        async with self._queue(press.speaker.chat), self._free:
            return await self._desk.press(press)

    def _queue(self, chat: str) -> asyncio.Lock:
        queue = self._queues.get(chat)
        if queue is None:
            queue = self._queues[chat] = asyncio.Lock()
        return queue

"""Word to the owners: a key that was rejected, a chat that is gone. Also in the log, for who does not look here."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC
from typing import Final

from bot.language import speech_for
from bot.notice import Notice

log = logging.getLogger(__name__)

KEPT: Final = 20


class OwnerNotices:
    """Words that wait until the bot can say them; the oldest make room when Telegram is away for long."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Notice] = asyncio.Queue(KEPT)

    def tell(self, notice: Notice) -> None:
        """Leave a word for the owners; returns at once. Call it in the event loop."""
        log.warning("to the owner: %s", notice(speech_for("en"), UTC))
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(notice)

    async def next(self) -> Notice:
        """The next one, as soon as there is one."""
        return await self._waiting.get()

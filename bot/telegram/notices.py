"""Word to the owners: a key that was rejected, a chat that is gone. Also in the log, for who does not look here."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

log = logging.getLogger(__name__)

KEPT: Final = 20


class OwnerNotices:
    """Sentences that wait until the bot can say them; the oldest make room when Telegram is away for long."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str] = asyncio.Queue(KEPT)

    def tell(self, text: str) -> None:
        """Leave a sentence for the owners; returns at once. Call it in the event loop."""
        log.warning("to the owner: %s", text)
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(text)

    async def next(self) -> str:
        """The next sentence, as soon as there is one."""
        return await self._waiting.get()

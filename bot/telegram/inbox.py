"""Updates on their way through the store: kept before Telegram is told that they were taken, until they are done.

Without a store nothing is kept, and what was heard is answered all the same: that the database cannot be used is an
answer too.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, Protocol

from telegram import Bot, Update
from telegram.error import TelegramError

from storage.errors import StoreError

log = logging.getLogger(__name__)

_UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TelegramError, TypeError, ValueError)


class InboxStore(Protocol):
    """What is kept of a channel, by number. Calls block."""

    def keep(self, taken: Sequence[tuple[int, str]], now: datetime, *, confirmed: int = 0) -> frozenset[int]:
        """Keep (number, body); the numbers that are new. The channel repeats nothing below `confirmed`."""

    def done(self, number: int) -> None:
        """It is done."""

    def left(self, now: datetime) -> Sequence[tuple[int, str]]:
        """What an earlier run did not get done, in order."""


class Inbox:
    """Keeps updates as Telegram sends them: a later version reads them as well."""

    def __init__(self, store: InboxStore, bot: Bot, now: Callable[[], datetime]) -> None:
        self._store = store
        self._bot = bot
        self._now = now

    async def keep(self, updates: Sequence[Update], *, confirmed: int) -> frozenset[int]:
        """Keep updates; the numbers of those that are new. All are when nothing can be kept."""
        numbers = frozenset(update.update_id for update in updates)
        if not updates:
            return numbers
        taken = [(update.update_id, update.to_json()) for update in updates]
        try:
            return await asyncio.to_thread(self._store.keep, taken, self._now(), confirmed=confirmed)
        except StoreError as error:
            log.error("what is said is answered without being kept: %s", error)
            return numbers

    async def done(self, number: int) -> None:
        """An update has been seen to."""
        try:
            await asyncio.to_thread(self._store.done, number)
        except StoreError as error:
            log.error("message %d may be answered once more after the next start: %s", number, error)

    async def left(self) -> list[Update]:
        """What an earlier run has kept and not got done."""
        try:
            found = await asyncio.to_thread(self._store.left, self._now())
        except StoreError as error:
            log.error("what an earlier run has left cannot be read: %s", error)
            return []
        updates = []
        for number, body in found:
            update = self._read(number, body)
            if update is None:
                await self.done(number)
            else:
                updates.append(update)
        return updates

    def _read(self, number: int, body: str) -> Update | None:
        try:
            return Update.de_json(json.loads(body), self._bot)
        except _UNREADABLE as error:
            log.error("message %d of an earlier run cannot be read (%s)", number, type(error).__name__)
            return None

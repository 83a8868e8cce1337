"""Asking Telegram for news, for as long as it takes: every failure is waited out, one line each, never a traceback.

The library's own poller logs a page for every failure and ends silently when the token dies; this one says a line,
slows down, and goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from telegram import Update
from telegram.error import Conflict, InvalidToken

from bot.clock import Clock
from bot.telegram.faults import FOREIGN, Kind, fault_of, told
from bot.telegram.line import Line, TokenRejected
from bot.telegram.trouble import Trouble

log = logging.getLogger(__name__)

FIRST_CONTACT_S: Final = 10.0
"""Real seconds that the start of the product waits for Telegram."""
NAME_S: Final = 5.0
"""Real seconds that reading waits, each time, for the bot's own name; without it, it goes on."""
NAME_EACH_S: Final = 1.0
FIRST_WAIT_S: Final = 1.0
GROWTH: Final = 1.5
LONGEST_WAIT_S: Final = 15.0
CONFLICT_WAIT_S: Final = 5.0
CONFIRM_S: Final = 2.0

OTHER_READER: Final = "another program reads this bot's messages with the same token; one of the two must stop"
WEBHOOK: Final = "a webhook of this bot takes its messages; it is being removed"


Take = Callable[[Sequence[Update], int], Awaitable[None]]
"""Takes updates; the number says what Telegram knows to be taken: all below it."""


class Polling:
    """The loop that reads updates in order and hands them to `take`. Nothing but reading can keep it from reading."""

    def __init__(self, *, line: Line, clock: Clock, take_up: Callable[[], Awaitable[None]], take: Take) -> None:
        """`take_up` sees to what an earlier run has left, as soon as Telegram is there to hear the answers."""
        self._line = line
        self._clock = clock
        self._take_up: Callable[[], Awaitable[None]] | None = take_up
        self._take = take
        self._offset = 0
        self._named = False
        self._name_due_s = clock.monotonic()
        self._failures = 0
        self.trouble = Trouble(log, clock.monotonic)

    async def first_contact(self) -> None:
        """Try once to reach Telegram. Raises TokenRejected; that Telegram is away is noted and waited out later."""
        try:
            async with asyncio.timeout(FIRST_CONTACT_S):
                await self._learn_name()
        except InvalidToken:
            raise TokenRejected from None  # the original names the token
        except (*FOREIGN, TimeoutError) as error:
            self.trouble.broke(told(error))

    async def run(self) -> None:
        """Read until the line is closing or the token is dead."""
        while not self._line.closing.is_set() and not self._line.revoked:
            try:
                await self._ask_name()
                await self._read()
            except FOREIGN as error:
                await self._clock.wait(self._line.closing, await self._failed(error))

    async def confirm(self) -> None:
        """Tell Telegram what was taken, so that the next start does not take it again. Best effort."""
        if self._offset == 0 or self._line.revoked:
            return
        try:
            async with asyncio.timeout(CONFIRM_S):
                await self._line.bot.news(self._offset, wait=False)
        except (*FOREIGN, TimeoutError) as error:
            log.info("the last messages could not be confirmed and may come again: %s", told(error))

    async def _learn_name(self) -> None:
        me = await self._line.bot.get_me()
        self._line.username = me.username or ""
        self._named = True
        log.info("Telegram: this is @%s", self._line.username)

    async def _ask_name(self) -> None:
        """Learn the name before anything is read, if it can be had: commands in groups are addressed by it."""
        if self._named or self._clock.monotonic() < self._name_due_s:
            return
        try:
            async with asyncio.timeout(NAME_S):
                await self._learn_name()
        except (*FOREIGN, TimeoutError) as error:
            fault = fault_of(error)
            self._name_due_s = self._clock.monotonic() + max(NAME_EACH_S, fault.wait_s or 0.0)
            log.debug("the bot's name is not known yet: %s", fault.text)

    async def _read(self) -> None:
        if self._named:
            await self._begin()
        batch = await self._line.bot.news(self._offset, wait=self._take_up is None)
        self._failures = 0
        self.trouble.mended()
        await self._begin()
        await self._take(batch.updates, self._offset)
        self._offset = batch.offset  # asking from there confirms them: only now that they are taken

    async def _begin(self) -> None:
        take_up, self._take_up = self._take_up, None
        if take_up is not None:
            await take_up()

    async def _failed(self, error: Exception) -> float:
        """Note a failure; the seconds to wait."""
        fault = fault_of(error)
        wait_s = min(FIRST_WAIT_S * GROWTH ** min(self._failures, 20), LONGEST_WAIT_S)
        self._failures += 1
        if fault.kind is Kind.REVOKED:
            self._line.revoke()
            return 0.0
        if isinstance(error, Conflict):
            webhook = "webhook" in str(error).lower()
            self.trouble.broke(WEBHOOK if webhook else OTHER_READER)
            return max(wait_s, await self._remove_webhook()) if webhook else max(wait_s, CONFLICT_WAIT_S)
        self.trouble.broke(fault.text)
        return max(wait_s, fault.wait_s or 0.0)

    async def _remove_webhook(self) -> float:
        """Take it away, and keep what waits to be read; the seconds that Telegram wants to be left alone."""
        try:
            await self._line.bot.delete_webhook(drop_pending_updates=False)
        except FOREIGN as error:
            fault = fault_of(error)
            log.info("the webhook could not be removed: %s", fault.text)
            return fault.wait_s or 0.0
        return 0.0

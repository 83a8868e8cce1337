"""What strangers get: a word when there is room for it, and nothing when there is none.

Nobody who may be answered waits for it. It has a small budget of its own, one attempt each, and ends for as long as
Telegram wants to be left alone. A stranger makes no row.
"""

from __future__ import annotations

import logging
from collections import deque
from functools import partial
from typing import Final

from bot.clock import Clock
from bot.conversation import Reply
from bot.telegram.chats import ChatLife
from bot.telegram.faults import FOREIGN, Kind, fault_of
from bot.telegram.lanes import Lanes
from bot.telegram.letter import Faulted, Letter, send
from bot.telegram.line import Line
from bot.telegram.pace import REFUSALS

log = logging.getLogger(__name__)

A_MINUTE: Final = 30
WAITING: Final = 20
"""Refusals, and answers to presses, that may wait while Telegram is slow."""


class Courtesy:
    """Refuses strangers. Nothing here waits for anybody or raises for what Telegram does."""

    def __init__(self, line: Line, chats: ChatLife, clock: Clock) -> None:
        self._line = line
        self._chats = chats
        self._clock = clock
        self._lately: deque[float] = deque(maxlen=A_MINUTE)
        self._quiet_until_s = clock.monotonic()
        self.lanes = Lanes(depth=WAITING)

    def has_room(self, chat: str) -> bool:
        """Whether a refusal would be said now."""
        now_s = self._clock.monotonic()
        full = len(self._lately) == A_MINUTE and self._lately[0] > now_s - 60.0
        quiet = full or now_s < self._quiet_until_s or self._idle
        return not quiet and self.lanes.has_room("refusals") and self._line.pace.wait_s(chat, REFUSALS) <= 0

    def refuse(self, chat: str, reply: Reply, *, topic: str | None = None) -> None:
        """Say it soon, or never."""
        if self.has_room(chat):
            self._line.pace.take(chat, REFUSALS)
            self._lately.append(self._clock.monotonic())
            self.lanes.add("refusals", partial(self._refuse, chat, Letter(html=reply.html, silent=True, topic=topic)))

    def toast(self, query_id: str, notice: str) -> None:
        """End the waiting of who pressed a button, with a word; too many presses are left without an end."""
        self.lanes.add("presses", partial(self._toast, query_id, notice))

    async def _refuse(self, chat: str, letter: Letter) -> None:
        chat = self._chats.current(chat)
        if self._idle or self._clock.monotonic() < self._quiet_until_s:
            return
        try:
            await send(self._line.bot, chat, letter)
        except Faulted as error:
            fault = error.fault
            log.info("a refusal in chat %s was not said: %s", chat, fault.text)
            if fault.kind is Kind.WAIT and fault.wait_s is not None:
                self._line.pace.hold(chat, fault.wait_s)
                self._quiet_until_s = self._clock.monotonic() + fault.wait_s
            elif fault.kind is Kind.REVOKED:
                self._line.revoke()

    async def _toast(self, query_id: str, notice: str) -> None:
        if self._idle:
            return
        try:
            await self._line.bot.answer_callback_query(query_id, text=notice or None)
        except FOREIGN as error:
            fault = fault_of(error)
            log.info("a stranger's press was not answered: %s", fault.text)
            if fault.kind is Kind.REVOKED:
                self._line.revoke()

    @property
    def _idle(self) -> bool:
        return self._line.revoked or self._line.closing.is_set()

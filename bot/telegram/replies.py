"""Replies in a chat: somebody is waiting, so they go out at once, and are tried again for a short while only."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from bot.clock import Clock
from bot.conversation import Reply
from bot.telegram.chats import ChatLife
from bot.telegram.faults import FOREIGN, Fault, Kind, fault_of
from bot.telegram.letter import Faulted, Letter, edit, send
from bot.telegram.line import Line

log = logging.getLogger(__name__)

ATTEMPTS: Final = 4
FIRST_WAIT_S: Final = 1.0
NOTICE_CHARACTERS: Final = 200
LONGEST_WAIT_S: Final = 30.0
"""Nobody waits longer for an answer; a flood limit beyond it ends the attempt."""


class Replies:
    """Says things in chats. It never raises for what Telegram does: what could not be said is logged."""

    def __init__(self, line: Line, chats: ChatLife, clock: Clock) -> None:
        self._line = line
        self._chats = chats
        self._clock = clock

    async def say(self, chat: str, reply: Reply, *, topic: str | None = None, message_id: str | None = None) -> bool:
        """Send a reply, or put it in place of the message; whether it was said.

        A reply that may have arrived is sent once more, never twice; one to a topic that is gone goes to the chat.
        """
        letter = Letter(html=reply.html, keys=reply.keys, silent=reply.silent, topic=topic)
        doubts = 0
        fault = Fault(kind=Kind.UNSENT, text="the bot token was rejected")
        for attempt in range(ATTEMPTS):
            if self._line.revoked:
                break
            chat = self._chats.current(chat)
            try:
                if message_id is None:
                    await send(self._line.bot, chat, letter)
                else:
                    await edit(self._line.bot, chat, message_id, letter)
            except Faulted as error:
                fault = error.fault
            else:
                self._line.pace.note(chat)
                return True
            doubts += fault.kind is Kind.DOUBT
            if fault.kind in (Kind.NO_MESSAGE, Kind.TOPIC):
                message_id = None
            wait_s = await self._wait_s(chat, fault, attempt)
            if fault.kind is Kind.TOPIC and letter.topic is not None:
                letter, wait_s = replace(letter, topic=None), 0.0
            if wait_s is None or doubts > 1 or (wait_s and await self._clock.wait(self._line.closing, wait_s)):
                break
        log.warning("a reply in chat %s was not delivered: %s", chat, fault.text)
        return False

    async def toast(self, query_id: str, notice: str) -> None:
        """Answer a press: the notice, or nothing but the end of the waiting. Too late is no failure."""
        try:
            await self._line.bot.answer_callback_query(query_id, text=notice[:NOTICE_CHARACTERS] or None)
        except FOREIGN as error:
            fault = fault_of(error)
            if fault.kind is Kind.REVOKED:
                self._line.revoke()
            log.info("a press was not answered: %s", fault.text)

    async def _wait_s(self, chat: str, fault: Fault, attempt: int) -> float | None:
        """Seconds before the next attempt, None when there is no point in one."""
        match fault.kind:
            case Kind.WAIT:
                wait_s = fault.wait_s or FIRST_WAIT_S
                self._line.pace.hold(chat, wait_s)
                return wait_s if wait_s <= LONGEST_WAIT_S else None
            case Kind.UNSENT | Kind.DOUBT:
                return FIRST_WAIT_S * 2.0**attempt
            case Kind.NO_MESSAGE:
                return 0.0
            case Kind.MOVED if fault.new_chat is not None:
                await self._chats.moved(chat, fault.new_chat)
                return 0.0
            case Kind.GONE:
                await self._chats.gone(chat, fault.text)
            case Kind.REVOKED:
                self._line.revoke()
        return None

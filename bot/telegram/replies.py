"""Replies in a chat: somebody is waiting, so they go out as soon as Telegram lets them, however long that takes.

A command that was done is never left without a word: a reply waits for the end of a flood limit and of an outage, and
says then that it is late. Only a chat that cannot be reached any more, or a bot that is being stopped, ends it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Final

from bot.clock import Clock
from bot.conversation import Key, Reply
from bot.language import speech_for
from bot.render.html import Html, escape, fits, joined, phrase
from bot.render.numbers import span
from bot.telegram.chats import ChatLife
from bot.telegram.faults import FOREIGN, Fault, Kind, fault_of
from bot.telegram.letter import Faulted, Letter, chat_number, edit, markup, send
from bot.telegram.line import Line
from bot.telegram.turns import Turns

log = logging.getLogger(__name__)

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0
LATE_S: Final = 60.0
"""A reply that comes later than this after its time says so: what is in it was true then."""
MOST_DOUBTS: Final = 5
"""Attempts that may have arrived, after which a reply is not repeated any more."""
MOST_MOVES: Final = 3
NOTICE_CHARACTERS: Final = 200


@dataclass(kw_only=True, slots=True)
class _Errand:
    """One reply on its way."""

    chat: str
    letter: Letter
    message_id: str | None
    """Of the message that it replaces; None for a message of its own."""
    failures: int = 0
    doubts: int = 0
    moves: int = 0
    refused: bool = False


class Replies:
    """Says things in chats. It never raises for what Telegram does: what can never be said is logged."""

    def __init__(self, line: Line, chats: ChatLife, clock: Clock) -> None:
        self._line = line
        self._chats = chats
        self._clock = clock
        self._turns = Turns(line, clock)

    async def say(
        self, chat: str, reply: Reply, *, user: str = "", topic: str | None = None, message_id: str | None = None
    ) -> bool:
        """Send a reply to somebody, or put it in place of the message; whether it was said.

        It returns when it was said or never will be. One that may have arrived is sent again when Telegram answers,
        some few times; one to a topic that is gone goes to the chat; for one that Telegram refuses, a word of regret.
        """
        letter = Letter(html=reply.html, keys=reply.keys, silent=reply.silent, topic=topic)
        errand = _Errand(chat=chat, letter=letter, message_id=message_id)
        began_s = self._clock.monotonic()
        problem = "the bot token was rejected"
        while not self._line.revoked:
            errand.chat = self._chats.current(errand.chat)
            if not await self._turns.take(errand.chat, user):
                problem = "the bot is being stopped"
                break
            fault = await self._attempt(errand, self._clock.monotonic() - began_s)
            if fault is None:
                return True
            problem = fault.text
            wait_s = await self._wait_s(errand, fault)
            if wait_s is None or (wait_s and await self._clock.wait(self._line.closing, wait_s)):
                break
        log.warning("a reply in chat %s was not delivered: %s", errand.chat, problem)
        return False

    async def rekey(self, chat: str, message_id: str, keys: tuple[tuple[Key, ...], ...]) -> None:
        """Put other buttons under a message. They are decoration: tried once, and the old ones work as well."""
        try:
            number = chat_number(self._chats.current(chat))
            await self._line.bot.edit_message_reply_markup(number, int(message_id), reply_markup=markup(keys))
        except FOREIGN as error:
            fault = fault_of(error)
            if fault.kind is Kind.REVOKED:
                self._line.revoke()
            log.info("the buttons of a message were not changed: %s", fault.text)

    async def toast(self, query_id: str, notice: str) -> None:
        """Answer a press: the notice, or nothing but the end of the waiting. Too late is no failure."""
        try:
            await self._line.bot.answer_callback_query(query_id, text=notice[:NOTICE_CHARACTERS] or None)
        except FOREIGN as error:
            fault = fault_of(error)
            if fault.kind is Kind.REVOKED:
                self._line.revoke()
            log.info("a press was not answered: %s", fault.text)

    async def _attempt(self, errand: _Errand, late_s: float) -> Fault | None:
        """Try once; what went wrong."""
        letter = errand.letter if late_s <= LATE_S else await self._late(errand, late_s)
        try:
            if errand.doubts:
                await self._probe()
            if errand.message_id is None:
                await send(self._line.bot, errand.chat, letter)
            else:
                await edit(self._line.bot, errand.chat, errand.message_id, letter)
        except Faulted as error:
            return error.fault
        return None

    async def _probe(self) -> None:
        """See that Telegram answers at all, before something that may have arrived is sent again. Raises Faulted."""
        try:
            await self._line.bot.get_me()
        except FOREIGN as error:
            fault = fault_of(error)
            raise Faulted(replace(fault, kind=Kind.UNSENT) if fault.kind is Kind.DOUBT else fault) from error

    async def _late(self, errand: _Errand, late_s: float) -> Letter:
        """The letter with a line above that says by how much it is late, where there is room for it."""
        speech = speech_for((await self._chats.of(errand.chat)).language)
        line = phrase(speech, "This answer is {span} late: Telegram did not let it through.", span=span(late_s))
        html = joined([line, Html(errand.letter.html)])
        return replace(errand.letter, html=html) if fits(html) else errand.letter

    async def _wait_s(self, errand: _Errand, fault: Fault) -> float | None:
        """Mend the errand where that helps; seconds before the next attempt, None when there is no point in one."""
        match fault.kind:
            case Kind.WAIT:
                self._line.pace.hold(errand.chat, fault.wait_s or FIRST_WAIT_S)
                return 0.0  # its turn comes when that is over
            case Kind.UNSENT | Kind.DOUBT:
                errand.failures += 1
                errand.doubts += fault.kind is Kind.DOUBT
                wait_s = min(FIRST_WAIT_S * 2.0 ** min(errand.failures - 1, 10), LONGEST_WAIT_S)
                return wait_s if errand.doubts <= MOST_DOUBTS else None
            case Kind.NO_MESSAGE if errand.message_id is not None:
                errand.message_id = None
                return 0.0
            case Kind.TOPIC if errand.letter.topic is not None:
                errand.letter, errand.message_id = replace(errand.letter, topic=None), None
                return 0.0
            case Kind.MOVED if fault.new_chat is not None and errand.moves < MOST_MOVES:
                errand.moves += 1
                await self._chats.moved(errand.chat, fault.new_chat)
                return 0.0
            case Kind.GONE:
                await self._chats.gone(errand.chat, fault.text)
            case Kind.REVOKED:
                self._line.revoke()
            case Kind.REFUSED | Kind.MARKUP if not errand.refused:
                log.error("a reply in chat %s is refused by Telegram: %s", errand.chat, fault.text)
                await self._regret(errand)
                return 0.0
        return None

    async def _regret(self, errand: _Errand) -> None:
        """Let it say that there was an answer."""
        speech = speech_for((await self._chats.of(errand.chat)).language)
        text = speech.text("The answer to this could not be shown here, and it was noted.")
        errand.letter = Letter(html=escape(text), topic=errand.letter.topic)
        errand.message_id, errand.refused = None, True

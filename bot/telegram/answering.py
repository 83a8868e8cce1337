"""Answering what was heard: the desk is asked, and what it says goes out, in order within each chat.

Every press is answered exactly once. A fault of ours ends no conversation: it is logged, and the person is told.
"""

from __future__ import annotations

import logging

from bot.access import Access
from bot.clock import Clock
from bot.conversation import Desk, Outcome, Press, Reply, Request, Speaker
from bot.language import speech_for
from bot.render.html import escape, phrases
from bot.telegram.chats import ChatLife
from bot.telegram.heard import Pressed, Said
from bot.telegram.line import Line
from bot.telegram.refusals import apology
from bot.telegram.replies import Replies

log = logging.getLogger(__name__)


class CutOff(Exception):
    """The bot was stopped before the answer was out: it has to be answered after the next start."""


class Answering:
    """The answers, one at a time. Each raises CutOff; nothing else."""

    def __init__(
        self, *, line: Line, desk: Desk, access: Access, chats: ChatLife, replies: Replies, clock: Clock
    ) -> None:
        self._line = line
        self._desk = desk
        self._access = access
        self._chats = chats
        self._replies = replies
        self._clock = clock

    async def answer(self, said: Said) -> None:
        """Answer a command or free text."""
        speaker = said.speaker
        request = Request(speaker=speaker, command=said.command, argument=said.argument, at=self._clock.now())
        try:
            await self._chats.heard(speaker.chat)
            outcome = await self._desk.answer(request)
        except Exception:  # the bot's error handler: a fault of ours must not end the conversation
            log.exception("the command %r failed", said.command)
            outcome = Outcome(replies=(Reply(html=escape(apology(speaker))),))
        for reply in outcome.replies:
            await self.say(speaker, reply)

    async def press(self, pressed: Pressed) -> None:
        """Answer a button."""
        speaker = pressed.speaker
        if speaker is None or pressed.message_id is None:
            return
        message_id = str(pressed.message_id)
        press = Press(
            speaker=speaker, data=pressed.data, message_id=message_id, at=self._clock.now(), keys=pressed.keys
        )
        try:
            outcome = await self._desk.press(press)
        except Exception:  # the bot's error handler, for buttons
            log.exception("the button %r failed", pressed.data[:64])
            outcome = Outcome(notice=apology(speaker))
        await self._replies.toast(pressed.query_id, outcome.notice)
        for reply in outcome.replies:
            if reply.keys_only:
                await self._replies.rekey(speaker.chat, message_id, reply.keys)
            else:
                await self.say(speaker, reply, message_id if reply.edits else None)

    async def claim(self, speaker: Speaker, guess: str) -> bool:
        """Make who sent the one-time code the owner; whether it was the code."""
        if not await self._access.claim(int(speaker.user), guess):
            return False
        log.info("the one-time code was used: the owner is %s", speaker.user)
        welcome = speech_for(speaker.language).text("You are the owner of this bot now. /help shows what it can do.")
        await self.say(speaker, Reply(html=escape(welcome)))
        return True

    async def own_up(self, speaker: Speaker, unread: int) -> None:
        """Say how many messages of a chat came too fast to be read."""
        manner = await self._chats.of(speaker.chat)
        said = phrases(
            speech_for(manner.language),
            "{n} message from here came too fast and was not read. Please send it again.",
            "{n} messages from here came too fast and were not read. Please send them again.",
            unread,
        )
        await self.say(speaker, Reply(html=said))

    async def say(self, speaker: Speaker, reply: Reply, message_id: str | None = None) -> None:
        """Say it where it was spoken, or put it into the message."""
        said = await self._replies.say(
            speaker.chat, reply, user=speaker.user, topic=speaker.topic, message_id=message_id
        )
        if not said and self._line.closing.is_set():
            raise CutOff

"""Between what was heard and the desk: who asks is checked first, then it is answered, in order within each chat.

Strangers cost next to nothing: no row, no work, one sentence a day. Every press is answered exactly once.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from telegram import Update

from bot.access import Access, Right, needed_for_button, needed_for_command
from bot.clock import Clock
from bot.conversation import Desk, Outcome, Press, Reply, Request, Speaker
from bot.language import Speech, speech_for
from bot.render.html import escape
from bot.telegram.chats import ChatLife
from bot.telegram.heard import Moved, Pressed, Said, Standing, heard
from bot.telegram.lanes import Lanes, Work
from bot.telegram.line import Line
from bot.telegram.replies import Replies

log = logging.getLogger(__name__)


class Reception:
    """Takes updates one after the other and never waits: the work goes into lanes, one a chat."""

    def __init__(
        self, *, line: Line, desk: Desk, access: Access, chats: ChatLife, replies: Replies, clock: Clock
    ) -> None:
        self._line = line
        self._desk = desk
        self._access = access
        self._chats = chats
        self._replies = replies
        self._clock = clock
        self.lanes = Lanes()

    def take(self, update: Update) -> None:
        """See to one update, however odd: one that cannot be taken is logged and left out."""
        try:
            self._take(update)
        except Exception:  # the bot's error handler: one update must not end the reading of the others
            log.exception("update %d could not be taken", update.update_id)

    def _take(self, update: Update) -> None:
        match heard(update, username=self._line.username, known=self._desk.known):
            case Said() as said:
                self._take_said(said)
            case Pressed() as pressed:
                self._take_press(pressed)
            case Moved(old=old, new=new):
                self._later(str(old), partial(self._chats.moved, str(old), str(new)))
            case Standing(chat=chat, reachable=reachable):
                self._later(chat, partial(self._chats.heard if reachable else self._chats.left, chat))

    def _take_said(self, said: Said) -> None:
        speaker, right = self._known(said.speaker)
        said = replace(said, speaker=speaker)
        if not speaker.is_group and speaker.user and self._access.is_guess(_guess(said)):
            self._later(speaker.chat, partial(self._claim, said, right))
        elif right >= needed_for_command(said.command):
            self._later(speaker.chat, partial(self._answer, said))
        elif (said.command or not speaker.is_group) and self._refusal_due(speaker):
            reply = Reply(html=escape(_refusal(speaker, right)), silent=True)
            self._later(speaker.chat, partial(self._say, speaker, reply))

    def _take_press(self, pressed: Pressed) -> None:
        if pressed.speaker is None:
            self._later(f"press:{pressed.query_id}", partial(self._replies.toast, pressed.query_id, ""))
            return
        speaker, right = self._known(pressed.speaker)
        if right >= needed_for_button(pressed.data):
            self._later(speaker.chat, partial(self._press, replace(pressed, speaker=speaker)))
        else:
            notice = _speech(speaker).text("Only the owner and people on the bot's list can do this.")
            self._later(f"stranger:{speaker.user}", partial(self._replies.toast, pressed.query_id, notice))

    async def _answer(self, said: Said) -> None:
        speaker = said.speaker
        request = Request(speaker=speaker, command=said.command, argument=said.argument, at=self._clock.now())
        try:
            await self._chats.heard(speaker.chat)
            outcome = await self._desk.answer(request)
        except Exception:  # the bot's error handler: a fault of ours must not end the conversation
            log.exception("the command %r failed", said.command)
            outcome = Outcome(replies=(Reply(html=escape(_apology(speaker))),))
        for reply in outcome.replies:
            await self._say(speaker, reply)

    async def _press(self, pressed: Pressed) -> None:
        speaker = pressed.speaker
        if speaker is None or pressed.message_id is None:
            return
        message_id = str(pressed.message_id)
        press = Press(speaker=speaker, data=pressed.data, message_id=message_id, at=self._clock.now())
        try:
            outcome = await self._desk.press(press)
        except Exception:  # the bot's error handler, for buttons
            log.exception("the button %r failed", pressed.data[:64])
            outcome = Outcome(notice=_apology(speaker))
        await self._replies.toast(pressed.query_id, outcome.notice)
        for reply in outcome.replies:
            await self._say(speaker, reply, message_id if reply.edits else None)

    async def _claim(self, said: Said, right: Right) -> None:
        speaker = said.speaker
        if await self._access.claim(int(speaker.user), _guess(said)):
            log.info("the one-time code was used: the owner is %s", speaker.user)
            welcome = _speech(speaker).text("You are the owner of this bot now. /help shows what it can do.")
            await self._say(speaker, Reply(html=escape(welcome)))
        elif right >= needed_for_command(said.command):
            await self._answer(said)
        elif self._refusal_due(speaker):
            await self._say(speaker, Reply(html=escape(_refusal(speaker, right)), silent=True))

    async def _say(self, speaker: Speaker, reply: Reply, message_id: str | None = None) -> None:
        await self._replies.say(speaker.chat, reply, topic=speaker.topic, message_id=message_id)

    def _known(self, speaker: Speaker) -> tuple[Speaker, Right]:
        user = int(speaker.user) if speaker.user else None
        right = self._access.right(user, int(speaker.chat), is_group=speaker.is_group)
        return replace(speaker, is_owner=right is Right.OWN), right

    def _refusal_due(self, speaker: Speaker) -> bool:
        user = int(speaker.user) if speaker.user else None
        return self._access.refusal_due(user, int(speaker.chat), now_s=self._clock.monotonic())

    def _later(self, lane: str, work: Callable[[], Awaitable[None]]) -> None:
        if not self.lanes.add(lane, partial(_guarded, work)):
            log.warning("%s has too much waiting; a message from there was left out", lane)


async def _guarded(work: Work) -> None:
    try:
        await work()
    except Exception:  # the bot's error handler: one update must not end the others
        log.exception("an update was not answered")


def _guess(said: Said) -> str:
    """The code, sent as it is or through a link that starts the bot with it."""
    return said.argument if said.command in ("", "start") else ""


def _speech(speaker: Speaker) -> Speech:
    return speech_for(speaker.language)


def _apology(speaker: Speaker) -> str:
    return _speech(speaker).text("Something went wrong here, and it was noted. Please try again.")


def _refusal(speaker: Speaker, right: Right) -> str:
    speech = _speech(speaker)
    if right is not Right.NONE:
        return speech.text("Only the owner and people on the bot's list can do this.")
    if speaker.is_group:
        return speech.text("This bot does not work in this group. Its owner can allow it: number {id}", id=speaker.chat)
    return speech.text("This bot is private. Its owner can let you in: your number is {id}", id=speaker.user)

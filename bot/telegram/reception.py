"""Between what was heard and the answers: who asks is checked first, then it is kept, then answered in its lane.

Strangers cost next to nothing: no row, no work, one sentence a day. What somebody may say is kept until it is done: it
outlives a stop and a crash. Beyond what can wait in a lane nothing is dropped without a word.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from telegram import Update

from bot.access import Access, Right, leaving_button, leaving_command, needed_for_button, needed_for_command
from bot.clock import Clock
from bot.conversation import Desk, Reply, Speaker
from bot.render.html import escape
from bot.telegram.answering import Answering, CutOff
from bot.telegram.chats import ChatLife
from bot.telegram.courtesy import Courtesy
from bot.telegram.heard import Moved, Pressed, Said, Standing, heard
from bot.telegram.inbox import Inbox
from bot.telegram.lanes import Lanes
from bot.telegram.line import Line
from bot.telegram.refusals import not_listed, refusal, too_much
from bot.telegram.replies import Replies

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Errand:
    """What an update asks for: work in a lane. `kept`: until it is done, whatever happens."""

    lane: str
    work: Callable[[], Awaitable[None]]
    kept: bool = False
    speaker: Speaker | None = None
    query_id: str | None = None
    """Of a press."""


class Reception:
    """Takes updates in order and waits for nothing but the store: the work goes into lanes, one a person in a chat."""

    def __init__(
        self,
        *,
        line: Line,
        desk: Desk,
        access: Access,
        chats: ChatLife,
        replies: Replies,
        courtesy: Courtesy,
        clock: Clock,
        inbox: Inbox,
    ) -> None:
        self._line = line
        self._desk = desk
        self._access = access
        self._chats = chats
        self._replies = replies
        self._courtesy = courtesy
        self._clock = clock
        self._inbox = inbox
        self._answering = Answering(line=line, desk=desk, access=access, chats=chats, replies=replies, clock=clock)
        self._waiting: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self.lanes = Lanes()

    async def take(self, updates: Sequence[Update], confirmed: int = 0) -> None:
        """See to updates, however odd: one that cannot be taken is logged and left out.

        When this returns, Telegram may forget them. It knows already that those below `confirmed` were taken.
        """
        errands = [(update, errand) for update in updates if (errand := self._errand(update)) is not None]
        kept = [update for update, errand in errands if errand.kept]
        new = await self._inbox.keep(kept, confirmed=confirmed)
        for update, errand in errands:
            if not errand.kept:
                self._begin(errand)
            elif update.update_id in new:
                await self._begin_kept(update.update_id, errand)

    async def take_up(self) -> None:
        """See to what an earlier run has left."""
        for update in await self._inbox.left():
            errand = self._errand(update, ours=True)
            if errand is None or not errand.kept:
                await self._inbox.done(update.update_id)
            if errand is not None and errand.kept:
                await self._begin_kept(update.update_id, errand)
            elif errand is not None:
                self._begin(errand)

    def _begin(self, errand: Errand) -> None:
        if not self.lanes.add(errand.lane, partial(_guarded, errand.work)):
            log.warning("%s has too much waiting; a message from there was left out", errand.lane)

    async def _begin_kept(self, number: int, errand: Errand) -> None:
        if self.lanes.add(errand.lane, partial(self._see_to, number, errand)):
            self._waiting[errand.lane] += 1
            return
        log.warning("%s has too much waiting; a message from there was not read", errand.lane)
        await self._inbox.done(number)
        if errand.query_id is not None and errand.speaker is not None:
            toast = partial(self._replies.toast, errand.query_id, too_much(errand.speaker))
            self._begin(Errand(lane=f"press:{errand.lane}", work=toast))
        else:
            self._unread[errand.lane] += 1

    async def _see_to(self, number: int, errand: Errand) -> None:
        """Do kept work. What the stop of the bot cuts off stays kept."""
        lane = errand.lane
        try:
            await _guarded(errand.work)
            self._waiting[lane] -= 1
            unread = 0 if self._waiting[lane] else self._unread.pop(lane, 0)
            if unread and errand.speaker is not None:
                await self._answering.own_up(errand.speaker, unread)
        except CutOff:
            return
        await self._inbox.done(number)

    def _errand(self, update: Update, *, ours: bool = False) -> Errand | None:
        """What an update asks for. `ours`: it was found to be for the bot already."""
        try:
            found = heard(update, username=None if ours else self._line.username, known=self._desk.known)
            match found:
                case Said():
                    return self._said(found)
                case Pressed():
                    return self._pressed(found)
                case Moved(old=old, new=new):
                    moved = partial(self._chats.moved, str(old), str(new))
                    return Errand(lane=str(old), work=moved, kept=True)
                case Standing(chat=chat, reachable=reachable):
                    work = partial(self._chats.heard if reachable else self._chats.left, chat)
                    return Errand(lane=chat, work=work, kept=True)
        except Exception:  # the bot's error handler: one update must not end the reading of the others
            log.exception("update %d could not be taken", update.update_id)
        return None

    def _said(self, said: Said) -> Errand | None:
        speaker, right = self._known(said.speaker)
        said = replace(said, speaker=speaker)
        lane, listed = _lane(speaker), right >= needed_for_command(said.command)
        if not speaker.is_group and speaker.user and self._access.is_guess(_guess(said)):
            return Errand(lane=lane, work=partial(self._claim, said, right), kept=listed, speaker=speaker)
        if listed:
            return Errand(lane=lane, work=partial(self._answering.answer, said), kept=True, speaker=speaker)
        leaver = self._leaver(speaker)
        if leaver is not None and leaving_command(said.command):
            said = replace(said, speaker=leaver)
            return Errand(lane=lane, work=partial(self._answering.answer, said), kept=True, speaker=leaver)
        if (said.command or not speaker.is_group) and self._refusal_due(speaker):
            self._refuse(speaker, right)
        return None

    def _pressed(self, pressed: Pressed) -> Errand | None:
        if pressed.speaker is None:
            self._courtesy.toast(pressed.query_id, "")
            return None
        speaker, right = self._known(pressed.speaker)
        if right < needed_for_button(pressed.data):
            leaver = self._leaver(speaker)
            if leaver is None or not leaving_button(pressed.data):
                self._courtesy.toast(pressed.query_id, not_listed(speaker))
                return None
            speaker = leaver
        work = partial(self._answering.press, replace(pressed, speaker=speaker))
        return Errand(lane=_lane(speaker), work=work, kept=True, speaker=speaker, query_id=pressed.query_id)

    async def _claim(self, said: Said, right: Right) -> None:
        if await self._answering.claim(said.speaker, _guess(said)):
            return
        if right >= needed_for_command(said.command):
            await self._answering.answer(said)
        elif self._refusal_due(said.speaker):
            self._refuse(said.speaker, right)

    def _refuse(self, speaker: Speaker, right: Right) -> None:
        text = refusal(speaker, right, once_listed=self._leaver(speaker) is not None)
        self._courtesy.refuse(speaker.chat, Reply(html=escape(text), silent=True), topic=speaker.topic)

    def _known(self, speaker: Speaker) -> tuple[Speaker, Right]:
        user = int(speaker.user) if speaker.user else None
        right = self._access.right(user, int(speaker.chat), is_group=speaker.is_group)
        return replace(speaker, is_owner=right is Right.OWN), right

    def _leaver(self, speaker: Speaker) -> Speaker | None:
        """Who is not listed but has rules here, as one who sees those alone; None for anybody else."""
        if not speaker.user or not self._access.has_rules(int(speaker.user), int(speaker.chat)):
            return None
        return replace(speaker, leaving=True)

    def _refusal_due(self, speaker: Speaker) -> bool:
        user = int(speaker.user) if speaker.user else None
        return self._courtesy.has_room(speaker.chat) and self._access.refusal_due(
            user, int(speaker.chat), now_s=self._clock.monotonic()
        )


async def _guarded(work: Callable[[], Awaitable[None]]) -> None:
    """Do it; what fails is logged. Raises CutOff."""
    try:
        await work()
    except CutOff:
        raise
    except Exception:  # the bot's error handler: one update must not end the others
        log.exception("an update was not answered")


def _lane(speaker: Speaker) -> str:
    """People in a group do not wait for each other."""
    return f"{speaker.chat}:{speaker.user}" if speaker.is_group else speaker.chat


def _guess(said: Said) -> str:
    """The code, sent as it is or through a link that starts the bot with it."""
    return said.argument if said.command in ("", "start") else ""

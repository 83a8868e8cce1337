"""The bot's life: started beside the scanners, never before them, and stopped in order. It outlives every outage."""

from __future__ import annotations

import asyncio
from typing import Final

from bot.access import Access
from bot.clock import Clock
from bot.conversation import Desk, Reply
from bot.language import speech_for
from bot.notice import Notice
from bot.render.html import escape
from bot.telegram.chats import ChatLife
from bot.telegram.courtesy import Courtesy
from bot.telegram.inbox import Inbox, InboxStore
from bot.telegram.line import Line
from bot.telegram.menu import keep_menu
from bot.telegram.notices import OwnerNotices
from bot.telegram.polling import Polling
from bot.telegram.queued_desk import QueuedDesk
from bot.telegram.reception import Reception
from bot.telegram.replies import Replies

DRAIN_S: Final = 2.5
"""Real seconds that answers under way may still take when the bot is stopped."""


class TelegramBot:
    """Answers people on Telegram. `start` once, `stop` once."""

    def __init__(
        self,
        *,
        line: Line,
        desk: Desk,
        access: Access,
        chats: ChatLife,
        clock: Clock,
        notices: OwnerNotices,
        inbox: InboxStore,
    ) -> None:
        self._line = line
        self._desk = desk
        self._access = access
        self._notices = notices
        self._chats = chats
        self._clock = clock
        self._replies = Replies(line, chats, clock)
        self._courtesy = Courtesy(line, chats, clock)
        self._reception = Reception(
            line=line,
            desk=QueuedDesk(desk),
            access=access,
            chats=chats,
            replies=self._replies,
            courtesy=self._courtesy,
            clock=clock,
            inbox=Inbox(inbox, line.bot, clock.now),
        )
        self._polling = Polling(line=line, clock=clock, take_up=self._reception.take_up, take=self._reception.take)
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def problem(self) -> str | None:
        """What is wrong with Telegram now, for `health`; None if nothing is known to be."""
        return "the bot token was rejected" if self._line.revoked else self._polling.trouble.text

    async def start(self) -> None:
        """Begin; returns after the first contact, or when that has failed and is being tried again.

        Raises TokenRejected, a ConfigError; nothing else that Telegram does.
        """
        try:
            await self._polling.first_contact()
        except BaseException:
            await self._line.close()
            raise
        self._tasks = [
            asyncio.create_task(self._polling.run(), name="telegram:polling"),
            asyncio.create_task(self._tell_owners(), name="telegram:notices"),
            asyncio.create_task(keep_menu(self._line, self._desk, self._clock), name="telegram:menu"),
        ]

    async def stop(self) -> None:
        """Read no more, let answers under way go out, close the connections. Takes some seconds at most."""
        self._line.closing.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(lanes.drain(DRAIN_S) for lanes in (self._reception.lanes, self._courtesy.lanes)))
        await self._polling.confirm()
        await self._line.close()

    async def settled(self) -> None:
        """Return when everything that was read has been answered."""
        await self._reception.lanes.settled()
        await self._courtesy.lanes.settled()

    async def _tell_owners(self) -> None:
        while True:
            notice = await self._notices.next()
            # a network that is gone takes Telegram and the markets with it: the word of it waits until it is back
            await asyncio.gather(*(self._tell(str(owner), notice) for owner in sorted(self._access.owners)))

    async def _tell(self, owner: str, notice: Notice) -> None:
        manner = await self._chats.of(owner)
        await self._replies.say(owner, Reply(html=escape(notice(speech_for(manner.language), manner.zone))))

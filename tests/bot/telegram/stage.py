"""One bot on a fake Telegram, with everything around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC

from pydantic import SecretStr

from bot.access import Access
from bot.channels.telegram import TelegramChannel
from bot.language import speech_for
from bot.notice import Notice
from bot.telegram.bot import TelegramBot
from bot.telegram.chats import ChatLife
from bot.telegram.line import Line, open_line
from bot.telegram.notices import OwnerNotices
from tests.bot.samples import LINKS
from tests.bot.telegram.cast import GROUP, LISTED, OWNER, LeapingClock, MemoryChats, MemoryInbox, RepeatingDesk
from tests.fakes.botapi import BotApi


@dataclass
class Stage:
    """One bot and everything around it. The lists may be changed before `play`."""

    api: BotApi
    clock: LeapingClock
    desk: RepeatingDesk = field(default_factory=RepeatingDesk)
    chats: MemoryChats = field(default_factory=MemoryChats)
    inbox: MemoryInbox = field(default_factory=MemoryInbox)
    owners: tuple[int, ...] = (OWNER,)
    users: tuple[int, ...] = (LISTED,)
    groups: tuple[int, ...] = (GROUP,)

    def build(self) -> None:
        """Join the parts; nothing is asked of Telegram yet."""
        self.line: Line = open_line(SecretStr(self.api.token), self.api.url, self.clock.monotonic)
        self.access = Access(self.chats, owners=self.owners, users=self.users, chats=self.groups)
        self.notices = OwnerNotices()
        self.told: list[str] = []
        self.life = ChatLife(self.chats, self.access, now=self.clock.now, notice=self._notice)
        self.channel = TelegramChannel(line=self.line, chats=self.life, links=LINKS)
        self.bot = TelegramBot(
            line=self.line,
            desk=self.desk,
            access=self.access,
            chats=self.life,
            clock=self.clock,
            notices=self.notices,
            inbox=self.inbox,
        )

    async def play(self) -> None:
        """Build and start."""
        self.build()
        await self.bot.start()

    async def settled(self) -> None:
        """Return when everything that was taken has been dealt with."""
        await self.bot.settled()

    def _notice(self, notice: Notice) -> None:
        self.told.append(notice(speech_for("en"), UTC))
        self.notices.tell(notice)

"""The Telegram bot as a front, built from its parts."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TextIO

from pydantic import SecretStr

from bot.access import Access
from bot.admission import admit_listed, resting_notice
from bot.channels import Channel
from bot.channels.telegram import TelegramChannel
from bot.channels.terminal import TerminalChannel
from bot.commands import Commands
from bot.language import speech_for
from bot.notice import Notice
from bot.product import Product
from bot.telegram.bot import TelegramBot
from bot.telegram.chats import ChatLife
from bot.telegram.line import open_line
from bot.telegram.notices import OwnerNotices
from bot.terminal.chat import CHAT
from bot.token import note_rejected
from storage.inbox import Inbox


class TelegramFront:
    """The Telegram bot. Alerts for the chat `terminal` are printed."""

    def __init__(self, product: Product, token: SecretStr, stream: TextIO) -> None:
        settings, clock = product.settings.telegram, product.clock
        self._stream = stream
        self._facts = product.chats
        self._watching: asyncio.Task[None] | None = None
        self._product = product
        self._access = Access(
            product.chats,
            owners=settings.owners,
            users=settings.allowed_users,
            chats=settings.allowed_chats,
            claimed=self._admit,
        )
        self._admitted = admit_listed(product, self._access)
        self._notices = OwnerNotices()
        self._line = open_line(token, settings.api_url, clock.monotonic)
        chats = ChatLife(
            product.chats,
            self._access,
            now=clock.now,
            notice=self._notices.tell,
            language=product.settings.language,
            zone=product.zone,
        )
        self._telegram = TelegramChannel(line=self._line, chats=chats, links=product.links)
        self._terminal = TerminalChannel(stream, product.links, speech_for(product.settings.language))
        self._bot = TelegramBot(
            line=self._line,
            desk=Commands(product),
            access=self._access,
            chats=chats,
            clock=clock,
            notices=self._notices,
            inbox=Inbox(product.store),
        )

    def channel_of(self, chat: str) -> Channel:
        """Telegram for its chats."""
        return self._terminal if chat == CHAT else self._telegram

    def notice(self, notice: Notice) -> None:
        """To the owners, as soon as Telegram answers; also in the log."""
        self._notices.tell(notice)

    @property
    def problem(self) -> str | None:
        """What is wrong with Telegram now."""
        return self._bot.problem

    async def start(self, stop: asyncio.Event) -> None:
        """Begin; Telegram being away is no hindrance. Raises ConfigError for a token that Telegram rejects."""
        await self._bot.start()
        if self._admitted.resting:
            self._notices.tell(await asyncio.to_thread(resting_notice, self._product))
        await asyncio.to_thread(note_rejected, self._facts, rejected=False)
        self._watching = asyncio.create_task(self._note_rejection(), name="telegram:token")
        name = f"@{self._line.username}" if self._line.username else "the bot"
        if self._access.code is not None:
            self._say(f"nobody owns this bot yet: send this code to {name} to become its owner: {self._access.code}")
        self._say(
            f"Telegram: {name} is listening"
            if self._line.username
            else "Telegram does not answer yet; it is tried again"
        )

    async def stop(self) -> None:
        """Answer what is under way, then close."""
        if self._watching is not None:
            self._watching.cancel()
        await self._bot.stop()

    def _admit(self) -> None:
        admit_listed(self._product, self._access)

    async def _note_rejection(self) -> None:
        await self._line.rejected.wait()
        await asyncio.to_thread(note_rejected, self._facts, rejected=True)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed terminal stops nothing
            self._stream.write(text + "\n")
            self._stream.flush()

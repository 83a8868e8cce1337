"""Where people meet the product: Telegram when there is a token, else the terminal. Scanning depends on neither."""

from __future__ import annotations

import asyncio
import sys
from typing import Protocol, TextIO

from pydantic import SecretStr

from bot.access import Access
from bot.channels import Channel
from bot.channels.telegram import TelegramChannel
from bot.channels.terminal import TerminalChannel
from bot.commands import Commands
from bot.language import speech_for
from bot.product import Product
from bot.telegram.bot import TelegramBot
from bot.telegram.chats import ChatLife
from bot.telegram.line import open_line
from bot.telegram.notices import OwnerNotices
from bot.terminal.channel import ScreenChannel
from bot.terminal.chat import CHAT, TerminalChat
from bot.terminal.screen import Screen
from bot.token import note_rejected


class Front(Protocol):
    """One way to reach people."""

    def channel_of(self, chat: str) -> Channel:
        """Where alerts for a chat go."""

    def notice(self, text: str) -> None:
        """A word to the owner."""

    async def start(self, stop: asyncio.Event) -> None:
        """Begin to listen; may set `stop`. Raises ConfigError where nothing can ever come of it."""

    async def stop(self) -> None:
        """Stop listening; answers under way still go out."""


class TerminalFront:
    """Alerts and chat in the terminal; the chat only where somebody can type."""

    def __init__(self, product: Product, stream: TextIO) -> None:
        self._stream = stream
        speech = speech_for(product.settings.language)
        self._chat: TerminalChat | None = None
        self._talking: asyncio.Task[None] | None = None
        if sys.stdin.isatty():
            screen = Screen(stream)
            self._channel: Channel = ScreenChannel(screen, product.links, speech)
            commands = Commands(product)
            self._chat = TerminalChat(commands, screen, product.clock.now, language=product.settings.language)
        else:
            self._channel = TerminalChannel(stream, product.links, speech)

    def channel_of(self, chat: str) -> Channel:
        """The terminal, whatever the chat."""
        return self._channel

    def notice(self, text: str) -> None:
        """Print it."""
        self._stream.write(text + "\n")
        self._stream.flush()

    async def start(self, stop: asyncio.Event) -> None:
        """Read what is typed, if somebody can type."""
        if self._chat is not None:
            self.notice("type /help to see what can be asked; /quit stops atalaia")
            self._talking = asyncio.create_task(self._chat.run(stop), name="terminal")

    async def stop(self) -> None:
        """Read no more."""
        if self._talking is not None:
            await self._talking


class TelegramFront:
    """The Telegram bot. Alerts for the chat `terminal` are printed."""

    def __init__(self, product: Product, token: SecretStr, stream: TextIO) -> None:
        settings, clock = product.settings.telegram, product.clock
        self._stream = stream
        self._facts = product.chats
        self._watching: asyncio.Task[None] | None = None
        self._access = Access(
            product.chats, owners=settings.owners, users=settings.allowed_users, chats=settings.allowed_chats
        )
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
        )

    def channel_of(self, chat: str) -> Channel:
        """Telegram for its chats."""
        return self._terminal if chat == CHAT else self._telegram

    def notice(self, text: str) -> None:
        """To the owners, as soon as Telegram answers; also in the log."""
        self._notices.tell(text)

    @property
    def problem(self) -> str | None:
        """What is wrong with Telegram now."""
        return self._bot.problem

    async def start(self, stop: asyncio.Event) -> None:
        """Begin; Telegram being away is no hindrance. Raises ConfigError for a token that Telegram rejects."""
        await self._bot.start()
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

    async def _note_rejection(self) -> None:
        await self._line.rejected.wait()
        await asyncio.to_thread(note_rejected, self._facts, rejected=True)

    def _say(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()


def front_of(product: Product, stream: TextIO) -> Front:
    """Telegram when a token is configured, else the terminal. Raises ConfigError for a token that cannot be one."""
    token = product.settings.telegram.token
    return TerminalFront(product, stream) if token is None else TelegramFront(product, token, stream)

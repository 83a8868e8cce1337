"""Alerts and chat in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TextIO

from bot.admission import admit_all
from bot.channels import Channel
from bot.channels.terminal import TerminalChannel
from bot.commands import Commands
from bot.language import speech_for
from bot.notice import Notice
from bot.product import Product
from bot.terminal.channel import ScreenChannel
from bot.terminal.chat import TerminalChat
from bot.terminal.screen import Screen


class TerminalFront:
    """Alerts and chat in the terminal; the chat only where somebody can type."""

    def __init__(self, product: Product, stream: TextIO) -> None:
        self._stream = stream
        self._zone = product.zone
        self._speech = speech = speech_for(product.settings.language)
        self._chat: TerminalChat | None = None
        self._talking: asyncio.Task[None] | None = None
        if sys.stdin.isatty():
            screen = Screen(stream, speech=speech)
            self._channel: Channel = ScreenChannel(screen, product.links, speech)
            commands = Commands(product)
            self._chat = TerminalChat(commands, screen, product.clock.now, language=product.settings.language)
        else:
            self._channel = TerminalChannel(stream, product.links, speech)
        admit_all(product)

    def channel_of(self, chat: str) -> Channel:
        """The terminal, whatever the chat."""
        return self._channel

    def notice(self, notice: Notice) -> None:
        """Print it."""
        self._say(notice(self._speech, self._zone))

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed terminal stops nothing
            self._stream.write(text + "\n")
            self._stream.flush()

    async def start(self, stop: asyncio.Event) -> None:
        """Read what is typed, if somebody can type."""
        if self._chat is not None:
            self._say(self._speech.text("type /help to see what can be asked; /quit stops atalaia"))
            self._talking = asyncio.create_task(self._chat.run(stop), name="terminal")

    async def stop(self) -> None:
        """Read no more."""
        if self._talking is not None:
            await self._talking

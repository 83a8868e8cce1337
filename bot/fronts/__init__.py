"""Where people meet the product: Telegram when there is a token, else the terminal. Scanning depends on neither."""

from __future__ import annotations

import asyncio
from typing import Protocol, TextIO

from bot.channels import Channel
from bot.fronts.terminal import TerminalFront
from bot.notice import Notice
from bot.product import Product


class Front(Protocol):
    """One way to reach people."""

    def channel_of(self, chat: str) -> Channel:
        """Where alerts for a chat go."""

    def notice(self, notice: Notice) -> None:
        """A word to the owner."""

    async def start(self, stop: asyncio.Event) -> None:
        """Begin to listen; may set `stop`. Raises ConfigError where nothing can ever come of it."""

    async def stop(self) -> None:
        """Stop listening; answers under way still go out."""


def front_of(product: Product, stream: TextIO) -> Front:
    """Telegram when a token is configured, else the terminal. Raises ConfigError for a token that cannot be one."""
    token = product.settings.telegram.token
    if token is None:
        return TerminalFront(product, stream)
    # imported here: who runs without Telegram does not pay for its library in memory and time
    from bot.fronts.telegram import TelegramFront

    return TelegramFront(product, token, stream)

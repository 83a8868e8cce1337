"""The line to Telegram: one bot, one pace, one token that is good or not. Everything that talks to Telegram shares it.

Proxies of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) are used, except towards this machine
itself; one of another kind than http or https is refused at start, because passing it by would leak the address.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import httpx
from pydantic import SecretStr
from telegram.request import HTTPXRequest

from bot.settings import ConfigError
from bot.telegram.answers import ApiRequest
from bot.telegram.pace import Pace
from bot.telegram.safe_bot import SafeBot
from scanners.client import LOOPBACK, UnusableProxyError, certificates, check_proxies

log = logging.getLogger(__name__)

READ_S: Final = 20.0
"""Telegram is sometimes slow and does what it was asked all the same: hanging up early is what makes duplicates."""
CONNECT_S: Final = 5.0
POOL_S: Final = 5.0

_QUIET: Final = {"telegram": logging.CRITICAL, "httpx": logging.WARNING, "httpcore": logging.WARNING}
"""Loggers that write addresses and bodies, which hold the token; every failure is told by this package instead."""
_TOKEN: Final = re.compile(r"\d+:[A-Za-z0-9_-]+")


class TokenRejected(ConfigError):
    """Telegram does not know the token that the bot was started with."""

    def __init__(self) -> None:
        super().__init__(
            "telegram.token: Telegram rejects this bot token; copy it again from @BotFather "
            "(or telegram.api_url is not the root of a Bot API server)"
        )


class Line:
    """The bot's connection and what is known of it."""

    def __init__(self, bot: SafeBot, requests: Sequence[HTTPXRequest], now_s: Callable[[], float]) -> None:
        self.bot = bot
        self._requests = tuple(requests)
        self.pace = Pace(now_s)
        self.username = ""
        """The bot's own name, known after the first contact."""
        self.closing = asyncio.Event()
        """Set when the bot is being stopped: nobody waits any longer."""
        self.rejected = asyncio.Event()
        """Set when Telegram has said that the token is not valid any more: nothing is sent or asked until the next
        start."""

    @property
    def revoked(self) -> bool:
        """Whether the token is dead."""
        return self.rejected.is_set()

    def revoke(self) -> None:
        """Note that the token is dead; logged once."""
        if not self.revoked:
            self.rejected.set()
            log.error("Telegram rejects the bot token: sending has stopped. Put a new token in and start again")

    async def close(self) -> None:
        """Close every connection."""
        self.closing.set()
        await asyncio.gather(*(request.shutdown() for request in self._requests))


def open_line(token: SecretStr, api_url: str, now_s: Callable[[], float]) -> Line:
    """The line for a token. Connects to nothing yet. Raises ConfigError naming the key or the variable."""
    for noisy, level in _QUIET.items():
        logging.getLogger(noisy).setLevel(max(logging.getLogger(noisy).level, level))
    # the library's own switch: without it every flood limit comes with a deprecation warning
    os.environ.setdefault("PTB_TIMEDELTA", "1")
    secret = token.get_secret_value()
    if not _TOKEN.fullmatch(secret):
        raise ConfigError("telegram.token: this is not a bot token; copy the whole of it from @BotFather")
    root = _root(api_url)
    _check_proxies()
    kwargs: dict[str, Any] = {"verify": certificates(), "mounts": dict.fromkeys(LOOPBACK)}
    requests = [
        ApiRequest(read_timeout=READ_S, connect_timeout=CONNECT_S, pool_timeout=POOL_S, httpx_kwargs=kwargs)
        for _ in ("long polls", "everything else")
    ]
    bot = SafeBot(
        secret,
        base_url=f"{root}/bot",
        base_file_url=f"{root}/file/bot",
        get_updates_request=requests[0],
        request=requests[1],
    )
    return Line(bot, requests, now_s)


def _root(api_url: str) -> str:
    try:
        url = httpx.URL(api_url)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise ConfigError("telegram.api_url: the root of a Bot API server is expected, like https://api.telegram.org")
    return api_url.strip().rstrip("/")


def _check_proxies() -> None:
    try:
        check_proxies()
    except UnusableProxyError as error:
        raise ConfigError(str(error)) from error

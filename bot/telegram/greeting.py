"""Asking Telegram once who the bot is: whether a token is good, without starting anything."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import httpx
from pydantic import SecretStr
from telegram.error import InvalidToken

from bot.settings import ConfigError
from bot.telegram.faults import FOREIGN, told
from bot.telegram.line import TokenRejected, open_line

PATIENCE_S: Final = 10.0


class Unusable(Exception):
    """The token, or the address it is used at, cannot be right."""


class Unanswered(Exception):
    """Telegram gave no usable answer: nothing is known of the token."""


async def bot_name(token: SecretStr, api_url: str) -> str:
    """The bot's `@name`. Raises Unusable and Unanswered, whose texts never hold the token."""
    try:
        line = open_line(token, api_url, time.monotonic)
    except ConfigError as error:
        raise Unusable(str(error)) from None
    host = httpx.URL(api_url.strip()).host
    try:
        async with asyncio.timeout(PATIENCE_S):
            me = await line.bot.get_me()
    except InvalidToken:  # its text has the token, so it is not chained
        raise Unusable(str(TokenRejected())) from None
    except TimeoutError:
        raise Unanswered(f"{host} does not answer within {PATIENCE_S:g} s") from None
    except FOREIGN as error:
        raise Unanswered(f"{host} gives no answer ({told(error)})") from None
    finally:
        await line.close()
    return f"@{me.username}"

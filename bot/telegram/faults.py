"""What each failure of Telegram means: every error of the library becomes one `Fault`, once, here.

The library's tree misleads: `BadRequest` and `TimedOut` are network errors in it, so that retrying those would repeat
what can never work, and double what has arrived. Errors' texts can carry the token; a fault's text never does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import Final

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.logs import Redactor
from bot.render.clean import clean
from bot.telegram.answers import NotFromApi

ODD: Final = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What the library raises when an answer is not what it expects."""
FOREIGN: Final = (TelegramError, *ODD)
"""Everything that a call can raise and that `fault_of` knows."""

TEXT_UNITS: Final = 160
_UNSENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""The request never left this machine."""


class Kind(Enum):
    """What a failure means for who sends."""

    WAIT = auto()
    """Flood control: come back after `wait_s`."""
    GONE = auto()
    """Nothing reaches this chat until somebody there speaks again."""
    MOVED = auto()
    """The group has the id `new_chat` now."""
    RIGHTS = auto()
    """The bot may not write there; that can be given back any day."""
    REVOKED = auto()
    """The token is not valid any more."""
    MARKUP = auto()
    """The text's entities cannot be parsed."""
    TOPIC = auto()
    """The topic is closed or deleted."""
    SAME = auto()
    """An edit that changes nothing."""
    NO_MESSAGE = auto()
    """The message to edit is not there, or cannot be edited any more."""
    REFUSED = auto()
    """The same request can never work."""
    UNSENT = auto()
    """It was certainly not done: try again."""
    DOUBT = auto()
    """Nobody knows whether it was done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One failure. `text` is short, printable, without secrets."""

    kind: Kind
    text: str
    wait_s: float | None = None
    new_chat: str | None = None


def fault_of(error: Exception) -> Fault:
    """The meaning of an error; one that is unknown leaves everything in doubt."""
    text = told(error)
    if isinstance(error, RetryAfter):
        return Fault(kind=Kind.WAIT, text=text, wait_s=seconds(error.retry_after))
    if isinstance(error, ChatMigrated):
        return Fault(kind=Kind.MOVED, text=text, new_chat=str(error.new_chat_id))
    return Fault(kind=_kind(error, str(error).lower()), text=text)


def told(error: Exception) -> str:
    """An error in a few words for a log: without an address, a token or a body."""
    if isinstance(error, InvalidToken):  # the library puts the token into this text
        return "Unauthorized" if is_unauthorized(error) else "Not Found"
    if isinstance(error, TimedOut):
        return "Telegram did not answer in time"
    if isinstance(error, NotFromApi):
        return str(error)
    words, _, _ = str(error).partition(". Parsing the server response")  # what follows is a page from anywhere
    words = clean(Redactor()(words), TEXT_UNITS)
    name = type(error).__name__
    return f"{name}: {words}" if words else name


def is_unauthorized(error: InvalidToken) -> bool:
    """Whether Telegram said so (401). The library gives the same error for a 404, which a broken proxy says too."""
    return "not found" not in str(error).lower()


def seconds(period: int | timedelta) -> float:
    """A period of the library, which is in transition from numbers to timedelta."""
    return period.total_seconds() if isinstance(period, timedelta) else float(period)


def _kind(error: Exception, text: str) -> Kind:
    if isinstance(error, BadRequest):
        return _bad_request(text)
    if isinstance(error, Forbidden):
        return Kind.RIGHTS if _about_rights(text) else Kind.GONE
    if isinstance(error, InvalidToken):
        return Kind.REVOKED if is_unauthorized(error) else Kind.UNSENT
    if isinstance(error, EndPointNotFound):
        return Kind.REFUSED
    if isinstance(error, NetworkError):
        return _network(error, text)
    return Kind.DOUBT


def _network(error: NetworkError, text: str) -> Kind:
    if isinstance(error, NotFromApi):
        return Kind.DOUBT if error.maybe_done else Kind.UNSENT
    if "request entity too large" in text:
        return Kind.REFUSED
    cause = error.__cause__
    if isinstance(cause, httpx.HTTPError):
        return Kind.UNSENT if isinstance(cause, _UNSENT) else Kind.DOUBT
    if isinstance(error, TimedOut) or "gateway timeout" in text or text.startswith("unknown error in http"):
        return Kind.DOUBT
    return Kind.UNSENT  # a server said that it failed


def _bad_request(text: str) -> Kind:
    for kind, phrases in _BAD_REQUESTS.items():
        if any(phrase in text for phrase in phrases):
            return kind
    return Kind.RIGHTS if _about_rights(text) else Kind.REFUSED


def _about_rights(text: str) -> bool:
    return any(phrase in text for phrase in ("rights", "write_forbidden", "plain_forbidden", "chat_restricted"))


_BAD_REQUESTS: Final = {
    Kind.GONE: ("chat not found", "user not found", "peer_id_invalid", "chat was deactivated", "user is deactivated"),
    Kind.MARKUP: ("can't parse entities", "can't find end"),
    Kind.TOPIC: ("thread not found", "topic_closed", "topic_deleted"),
    Kind.SAME: ("message is not modified",),
    Kind.NO_MESSAGE: ("message to edit not found", "message can't be edited", "message_id_invalid"),
}

"""Where alerts go: one module a channel. A channel sends one message and says how it failed.

DeliveryError(permanent, retry_after, maybe_sent)
└── TooSoon        the channel's own pace: nothing was tried
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.conversation import Key
from market.alert import Alert


class DeliveryError(Exception):
    """A message was not sent. `permanent`: trying the same again cannot help; `retry_after` in seconds if known.

    `maybe_sent`: the answer was lost, and with it the knowledge whether the message arrived. Such an attempt is
    repeated when the channel answers again, a few times and less and less often: a duplicate is better than a loss.
    """

    def __init__(
        self, problem: str, *, permanent: bool = False, retry_after: float | None = None, maybe_sent: bool = False
    ) -> None:
        self.permanent = permanent
        self.retry_after = retry_after
        self.maybe_sent = maybe_sent
        super().__init__(problem)


class TooSoon(DeliveryError):
    """The channel keeps a pace and has tried nothing; come back after so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"too soon, by {seconds:.1f} s", retry_after=seconds)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """An alert on its way, with its number in the log of alerts."""

    id: int
    alert: Alert
    now: datetime
    in_doubt: bool = False
    """An earlier attempt may have arrived: make sure that the way is open before it is sent again."""


class Channel(Protocol):
    """Sends messages to chats."""

    async def send(self, message: Outgoing) -> str | None:
        """Send one message; its id in the channel, if it has one. Raises DeliveryError."""

    async def edit(self, chat: str, message_id: str, html: str, keys: tuple[tuple[Key, ...], ...] = ()) -> None:
        """Put new text into a sent message, without a sound. Raises DeliveryError."""

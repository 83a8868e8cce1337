"""Where alerts go: one module a channel. A channel sends one message and says how it failed.

DeliveryError(permanent, retry_after)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from market.alert import Alert


class DeliveryError(Exception):
    """A message was not sent. `permanent`: trying the same again cannot help; `retry_after` in seconds if known."""

    def __init__(self, problem: str, *, permanent: bool = False, retry_after: float | None = None) -> None:
        self.permanent = permanent
        self.retry_after = retry_after
        super().__init__(problem)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """An alert on its way, with its number in the log of alerts."""

    id: int
    alert: Alert
    now: datetime


class Channel(Protocol):
    """Sends messages to chats."""

    async def send(self, message: Outgoing) -> str | None:
        """Send one message; its id in the channel, if it has one. Raises DeliveryError."""

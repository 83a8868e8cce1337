"""Alerts printed to the terminal: the channel of those who run without Telegram."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TextIO

from bot.channels import DeliveryError, Outgoing
from bot.conversation import Key
from bot.language import Speech
from bot.render.text import alert_text
from bot.terminal.screen import plain
from market.offer import Offer

RETRY_S = 60.0
"""A terminal that has refused a message is not tried sooner."""


class TerminalChannel:
    """Prints each alert to a stream, whatever chat it is for."""

    def __init__(self, stream: TextIO, links: Mapping[str, Callable[[Offer], str]], speech: Speech) -> None:
        self._stream = stream
        self._links = links
        self._speech = speech

    async def send(self, message: Outgoing) -> str | None:
        """Print and flush; what a closed or full terminal does not take waits for a better time or the next start."""
        text = alert_text(message.alert, number=message.id, now=message.now, links=self._links, speech=self._speech)
        try:
            self._stream.write(text + "\n\n")
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise DeliveryError("the terminal takes nothing", retry_after=RETRY_S) from error
        return str(message.id)

    async def edit(self, chat: str, message_id: str, html: str, keys: tuple[tuple[Key, ...], ...] = ()) -> None:
        """Print what became of an alert; not worth another try."""
        try:
            self._stream.write(f"[{message_id}] {plain(html)}\n\n")
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise DeliveryError("the terminal is closed", permanent=True) from error

"""Alerts in the terminal's chat, with their buttons; an edit is printed as one."""

from __future__ import annotations

from bot.channels import DeliveryError, Outgoing
from bot.channels.terminal import RETRY_S
from bot.conversation import Key
from bot.language import Speech
from bot.render.text import Links, alert_text
from bot.telegram.keys import alert_keys
from bot.terminal.screen import Screen, alert_id, plain


class ScreenChannel:
    """Shows each alert on the screen, whatever chat it is for."""

    def __init__(self, screen: Screen, links: Links, speech: Speech) -> None:
        self._screen = screen
        self._links = links
        self._speech = speech

    async def send(self, message: Outgoing) -> str | None:
        """Show it; its number as an alert. What a closed terminal does not take waits."""
        text = alert_text(message.alert, number=message.id, now=message.now, links=self._links, speech=self._speech)
        keys = alert_keys(message, links=self._links, speech=self._speech)
        try:
            self._screen.write(text, keys, alert=str(message.id))
        except (OSError, ValueError) as error:
            raise DeliveryError("the terminal takes nothing", retry_after=RETRY_S) from error
        return str(message.id)

    async def edit(self, chat: str, message_id: str, html: str, keys: tuple[tuple[Key, ...], ...] = ()) -> None:
        """Show what a message has become."""
        try:
            self._screen.write(plain(html), keys, edits=alert_id(message_id))
        except (OSError, ValueError) as error:
            raise DeliveryError("the terminal is closed", permanent=True) from error

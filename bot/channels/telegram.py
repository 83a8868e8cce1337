"""Alerts to Telegram: rendered for the chat, at Telegram's pace, and with every failure turned into what to do next.

It never sleeps: an alert that cannot go now is given back with the time to come again, so that a chat that has to wait
holds up no other. What it learns of a chat on the way (gone, moved, a topic less) is kept at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

from bot.channels import DeliveryError, Outgoing, TooSoon
from bot.conversation import Key
from bot.language import Speech, speech_for
from bot.render.chat.alert import alert_html
from bot.render.text import Links
from bot.telegram.chats import ChatLife, Manner
from bot.telegram.faults import FOREIGN, Fault, Kind, fault_of
from bot.telegram.keys import alert_keys
from bot.telegram.letter import Faulted, Letter, edit, send
from bot.telegram.line import Line

RIGHTS_RETRY_S: Final = 86_400.0
"""The right to write can be given back any day."""
REVOKED_RETRY_S: Final = 60.0
"""Nothing is asked while the token is dead; alerts wait in the store and go out soon after the next start."""


class TelegramChannel:
    """Sends alerts and edits them."""

    def __init__(self, *, line: Line, chats: ChatLife, links: Links) -> None:
        self._line = line
        self._chats = chats
        self._links = links

    async def send(self, message: Outgoing) -> str | None:
        """Send an alert in the chat's language and time zone; the message's id. Raises DeliveryError."""
        chat, manner = await self._open_way(message.alert.chat)
        if message.in_doubt:
            await self._probe(chat)
        try:
            return await self._post(chat, message, manner)
        except Faulted as error:
            if error.fault.kind is not Kind.MOVED or error.fault.new_chat is None:
                await self._refuse(chat, error)
            chat = await self._moved(chat, error.fault.new_chat)
        try:
            return await self._post(chat, message, manner)
        except Faulted as error:
            await self._refuse(chat, error)

    async def edit(self, chat: str, message_id: str, html: str, keys: tuple[tuple[Key, ...], ...] = ()) -> None:
        """Put new text into a sent message, without a sound. Raises DeliveryError; permanent when it is not there."""
        chat, _ = await self._open_way(chat)
        try:
            await edit(self._line.bot, chat, message_id, Letter(html=html, keys=keys))
        except Faulted as error:
            if error.fault.kind is Kind.MOVED and error.fault.new_chat is not None:
                await self._moved(chat, error.fault.new_chat)
                raise DeliveryError("the message stayed in the old group", permanent=True) from error
            await self._refuse(chat, error)

    def keys(self, message: Outgoing, speech: Speech) -> tuple[tuple[Key, ...], ...]:
        """The buttons under an alert."""
        return alert_keys(message, links=self._links, speech=speech)

    async def _post(self, chat: str, message: Outgoing, manner: Manner) -> str:
        """Send it to its topic, or to the chat itself when that one is closed or gone, saying so; the message's id."""
        topic = message.alert.topic
        try:
            return await send(self._line.bot, chat, self._letter(message, manner, topic=topic))
        except Faulted as error:
            if topic is None or error.fault.kind is not Kind.TOPIC:
                raise
        note = speech_for(manner.language).text(
            "The topic of this alert is closed or gone. From now on, alerts of its rules come here."
        )
        message_id = await send(self._line.bot, chat, self._letter(message, manner, notes=(note,)))
        # forgotten only now: who did not get this message has not been told either
        await self._chats.topic_gone(chat, topic)
        return message_id

    def _letter(
        self, message: Outgoing, manner: Manner, *, topic: str | None = None, notes: Sequence[str] = ()
    ) -> Letter:
        speech = speech_for(manner.language)
        html = alert_html(
            message.alert,
            number=message.id,
            now=message.now,
            speech=speech,
            zone=manner.zone,
            links=self._links,
            notes=notes,
        )
        silent = message.alert.kind == "blind"  # nothing can be done about it any more
        return Letter(html=html, keys=self.keys(message, speech), silent=silent, topic=topic)

    async def _open_way(self, chat: str) -> tuple[str, Manner]:
        """The chat's present id and manner, if something may go there now."""
        if self._line.revoked:
            raise TooSoon(REVOKED_RETRY_S)  # said once already, when it was rejected
        chat = self._chats.current(chat)
        manner = await self._chats.of(chat)
        if not manner.reachable:
            raise DeliveryError("nothing reaches this chat until somebody writes there", permanent=True)
        wait_s = self._line.pace.take(chat)
        if wait_s > 0:
            raise TooSoon(wait_s)
        return chat, manner

    async def _moved(self, old: str, new: str) -> str:
        await self._chats.moved(old, new)
        return new

    async def _probe(self, chat: str) -> None:
        """See that Telegram answers at all, before something that may have arrived is sent again."""
        try:
            await self._line.bot.get_me()
        except FOREIGN as error:
            fault = fault_of(error)
            kind = Kind.UNSENT if fault.kind is Kind.DOUBT else fault.kind  # nothing was sent this time
            await self._refuse(chat, Faulted(Fault(kind=kind, text=fault.text, wait_s=fault.wait_s)))

    async def _refuse(self, chat: str, error: Faulted) -> NoReturn:
        """Raise what a failure means for the alert, and keep what it tells of the chat or the bot."""
        fault = error.fault
        match fault.kind:
            case Kind.WAIT:
                wait_s = fault.wait_s or 1.0
                self._line.pace.hold(chat, wait_s)
                raise DeliveryError(fault.text, retry_after=wait_s) from error
            case Kind.GONE:
                await self._chats.gone(chat, fault.text)
                raise DeliveryError(fault.text, permanent=True) from error
            case Kind.RIGHTS:
                raise DeliveryError(fault.text, retry_after=RIGHTS_RETRY_S) from error
            case Kind.REVOKED:
                self._line.revoke()
                raise DeliveryError(fault.text, retry_after=REVOKED_RETRY_S) from error
            case Kind.UNSENT | Kind.MOVED:
                raise DeliveryError(fault.text) from error
            case Kind.DOUBT:
                raise DeliveryError(fault.text, maybe_sent=True) from error
            case _:
                raise DeliveryError(fault.text, permanent=True) from error

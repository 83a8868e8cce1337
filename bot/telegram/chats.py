"""What is known of a chat: how it wants to be spoken to, whether it can be reached, and which id it has now.

It makes no row for a chat that nobody allowed: only what is stored already is changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.access import Access
from bot.notice import Notice
from bot.render.unreachable import gone_text
from storage.chats import Chat

log = logging.getLogger(__name__)


class ChatStore(Protocol):
    """The stored conversations. Calls block."""

    def get(self, chat: str) -> Chat | None:
        """A conversation, None if it was never heard of."""

    def put(self, chat: Chat, now: datetime) -> None:
        """Add or replace a conversation. Its watches run only while it is active."""

    def move(self, old: str, new: str, now: datetime) -> None:
        """Give everything of a conversation to another id."""

    def forget_topic(self, chat: str, topic: str) -> int:
        """Let the rules of a topic, and their alerts on the way, belong to the chat itself; how many rules it had."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """How to speak to a chat, and whether it can be reached at all."""

    language: str
    zone: tzinfo
    reachable: bool = True


class ChatLife:
    """The life of chats: gone, back, moved, a topic less. `notice` tells the owner."""

    def __init__(
        self,
        store: ChatStore,
        access: Access,
        *,
        now: Callable[[], datetime],
        notice: Callable[[Notice], None],
        language: str = "en",
        zone: tzinfo = UTC,
    ) -> None:
        self._store = store
        self._access = access
        self._now = now
        self._notice = notice
        self._default = Manner(language=language, zone=zone)
        self._later_ids: dict[str, str] = {}

    async def of(self, chat: str) -> Manner:
        """The chat's own choices over the defaults."""
        known = await asyncio.to_thread(self._store.get, chat)
        if known is None:
            return self._default
        return Manner(
            language=known.language or self._default.language,
            zone=_zone(known.timezone) or self._default.zone,
            reachable=known.state == "active",
        )

    async def gone(self, chat: str, reason: str) -> None:
        """Nothing reaches it any more: its watches rest, and the owner is told once."""
        known = await asyncio.to_thread(self._store.get, chat)
        if known is not None and known.state == "blocked":
            return
        # an alert may go to a chat that is named in the configuration only: that it is gone must be remembered
        await self._put(replace(known or Chat(chat=chat), state="blocked"))
        log.warning("chat %s cannot be reached any more: %s", chat, reason)
        if not chat.isdecimal() or int(chat) not in self._access.owners:
            self._notice(lambda speech, zone: gone_text(chat, reason, speech))

    async def heard(self, chat: str) -> None:
        """Somebody who may speak did: what rested goes on."""
        known = await asyncio.to_thread(self._store.get, chat)
        if known is not None and known.state == "blocked":
            await self._put(replace(known, state="active"))
            log.info("chat %s can be reached again", chat)

    async def left(self, chat: str) -> None:
        """Telegram says that the bot cannot write there any more: its watches rest. Nobody's row is made for it."""
        known = await asyncio.to_thread(self._store.get, chat)
        if known is not None:
            await self.gone(chat, "the bot was blocked or removed")

    async def moved(self, old: str, new: str) -> None:
        """A group has a new id: everything follows it, and the old one is not used again. Twice is as good as once."""
        if old == new or self._later_ids.get(old) == new:
            return
        self._later_ids[old] = new
        await self._access.moved(int(old), int(new))
        if await asyncio.to_thread(self._store.get, old) is not None:
            await asyncio.to_thread(self._store.move, old, new, self._now())
        log.info("chat %s is %s now", old, new)

    async def topic_gone(self, chat: str, topic: str) -> None:
        """Nothing can be written to a topic any more: its rules speak in the chat itself from now on."""
        rules = await asyncio.to_thread(self._store.forget_topic, chat, topic)
        log.warning("topic %s of chat %s is closed or gone: its %d rules speak in the chat itself", topic, chat, rules)

    def current(self, chat: str) -> str:
        """The id that a chat has now, as far as this run has learned."""
        seen = {chat}
        while (later := self._later_ids.get(chat)) is not None and later not in seen:
            seen.add(later)
            chat = later
        return chat

    async def _put(self, chat: Chat) -> None:
        await asyncio.to_thread(self._store.put, chat, self._now())


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None

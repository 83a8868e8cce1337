"""The conversations: which may be reached, what each chose for itself, and single facts such as the owner."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

from sqlalchemy import Connection

from storage.counters import WATCHES, bump
from storage.store import Store
from storage.times import to_ms

ChatState = Literal["active", "blocked"]

_SELECT = "SELECT chat, state, language, timezone, settings FROM chat"
_PUT = """
INSERT INTO chat (chat, state, language, timezone, settings, created_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (chat) DO UPDATE SET state = excluded.state, language = excluded.language,
  timezone = excluded.timezone, settings = excluded.settings
"""
_REDIRECT = "UPDATE outbox SET topic = NULL WHERE chat = ? AND topic = ? AND state IN ('queued', 'held')"
_ENSURE = """
INSERT INTO chat (chat, state, settings, created_at) VALUES (?, 'active', '{}', ?) ON CONFLICT (chat) DO NOTHING
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """One conversation. None: the product's default applies. `settings` is plain JSON."""

    chat: str
    state: ChatState = "active"
    language: str | None = None
    timezone: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


class Chats:
    """The conversations by id. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, chat: str) -> Chat | None:
        """A conversation, None if it was never heard of."""
        with self._store.read() as connection:
            row = connection.exec_driver_sql(f"{_SELECT} WHERE chat = ?", (chat,)).one_or_none()
        return None if row is None else _chat(row)

    def all(self) -> list[Chat]:
        """Every conversation."""
        with self._store.read() as connection:
            return [_chat(row) for row in connection.exec_driver_sql(f"{_SELECT} ORDER BY chat")]

    def put(self, chat: Chat, now: datetime) -> None:
        """Add or replace a conversation. Its watches run only while it is active."""
        values = (chat.chat, chat.state, chat.language, chat.timezone, json.dumps(dict(chat.settings)), to_ms(now))
        with self._store.write() as connection:
            connection.exec_driver_sql(_PUT, values)
            bump(connection, WATCHES)

    def forget(self, chat: str) -> bool:
        """Delete a conversation with its watches, all that they were told and its part of the log."""
        with self._store.write() as connection:
            connection.exec_driver_sql("DELETE FROM outbox WHERE chat = ?", (chat,))
            connection.exec_driver_sql("DELETE FROM draft WHERE chat = ?", (chat,))
            there = connection.exec_driver_sql("DELETE FROM chat WHERE chat = ?", (chat,)).rowcount > 0
            bump(connection, WATCHES)
        return there

    def move(self, old: str, new: str, now: datetime) -> None:
        """Give everything of a conversation to another id: a group that became a supergroup."""
        with self._store.write() as connection:
            row = connection.exec_driver_sql(f"{_SELECT} WHERE chat = ?", (old,)).one_or_none()
            if row is None:
                ensure_chat(connection, new, now)
            else:
                known = _chat(row)
                values = (
                    new,
                    known.state,
                    known.language,
                    known.timezone,
                    json.dumps(dict(known.settings)),
                    to_ms(now),
                )
                connection.exec_driver_sql(_PUT, values)
            connection.exec_driver_sql("UPDATE watch SET chat = ? WHERE chat = ?", (new, old))
            connection.exec_driver_sql("UPDATE outbox SET chat = ? WHERE chat = ?", (new, old))
            connection.exec_driver_sql("UPDATE draft SET chat = ? WHERE chat = ?", (new, old))
            connection.exec_driver_sql("DELETE FROM chat WHERE chat = ?", (old,))
            bump(connection, WATCHES)

    def forget_topic(self, chat: str, topic: str) -> int:
        """Let the rules of a topic, and their alerts on the way, belong to the chat itself; how many rules it had."""
        with self._store.write() as connection:
            connection.exec_driver_sql(_REDIRECT, (chat, topic))
            query = "UPDATE watch SET topic = NULL WHERE chat = ? AND topic = ?"
            rules = connection.exec_driver_sql(query, (chat, topic)).rowcount
            if rules:
                bump(connection, WATCHES)
        return rules

    def fact(self, key: str) -> str | None:
        """A single stored fact."""
        with self._store.read() as connection:
            return connection.exec_driver_sql("SELECT value FROM meta WHERE key = ?", (key,)).scalar()

    def put_fact(self, key: str, value: str | None) -> None:
        """Store a single fact; None deletes it."""
        with self._store.write() as connection:
            if value is None:
                connection.exec_driver_sql("DELETE FROM meta WHERE key = ?", (key,))
            else:
                connection.exec_driver_sql("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def ensure_chat(connection: Connection, chat: str, now: datetime) -> None:
    """Make sure that a watch can belong to a conversation."""
    connection.exec_driver_sql(_ENSURE, (chat, to_ms(now)))


def _chat(row: Any) -> Chat:
    return Chat(
        chat=row.chat,
        state=cast("ChatState", row.state),
        language=row.language,
        timezone=row.timezone,
        settings=json.loads(row.settings),
    )

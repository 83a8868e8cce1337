"""Texts that buttons stand for, for as long as somebody may press them; each chat keeps its latest ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from storage.store import Store
from storage.times import from_ms, to_ms

KEPT: Final = timedelta(days=7)
MOST: Final = 50
"""In one chat."""

_TIDY = """
DELETE FROM draft WHERE made_at < :oldest OR (chat = :chat AND id NOT IN (
  SELECT id FROM draft WHERE chat = :chat ORDER BY id DESC LIMIT :most))
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptDraft:
    """A kept text."""

    body: str
    made_at: datetime


class DraftBook:
    """The drafts of every chat. Every verb is one transaction. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(self, chat: str, body: str, now: datetime) -> int:
        """Keep a text; its id. The oldest of the chat makes room."""
        with self._store.write() as connection:
            query = "INSERT INTO draft (chat, body, made_at) VALUES (?, ?, ?) RETURNING id"
            draft_id = int(connection.exec_driver_sql(query, (chat, body, to_ms(now))).scalar_one())
            connection.exec_driver_sql(_TIDY, {"oldest": to_ms(now - KEPT), "chat": chat, "most": MOST})
        return draft_id

    def find(self, chat: str, draft_id: int) -> KeptDraft | None:
        """A text of this chat; None if it is gone or was never there."""
        with self._store.read() as connection:
            query = "SELECT body, made_at FROM draft WHERE id = ? AND chat = ?"
            row = connection.exec_driver_sql(query, (draft_id, chat)).one_or_none()
        return None if row is None else KeptDraft(body=row.body, made_at=from_ms(row.made_at))

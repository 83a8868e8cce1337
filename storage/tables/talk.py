"""What people have said that is not done with, and what their buttons stand for. Times are epoch milliseconds."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from storage.tables.base import STRICT, Table, int64, one_of, string


class InboxRow(Table, table=True):
    """A message that was taken from a channel under its number there. `body` is the channel's own, empty once done."""

    __tablename__ = "inbox"
    __table_args__ = (one_of("done", 0, 1), STRICT)
    number: int = int64(primary_key=True)
    body: str = string()
    taken_at: int = int64()
    tries: int
    """Starts of the product at which it was not done yet."""
    done: int


class DraftRow(Table, table=True):
    """A text that buttons stand for. Ids are never used twice: an old button never meets another text."""

    __tablename__ = "draft"
    __table_args__ = (Index("draft_chat", "chat"), {**STRICT, "sqlite_autoincrement": True})
    id: int = Field(primary_key=True)
    chat: str = string()
    body: str = string()
    made_at: int = int64()

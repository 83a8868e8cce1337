"""Who watches what, and what they were told. Times are epoch milliseconds; lists and offers are JSON texts."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index
from sqlalchemy import text as sql
from sqlmodel import Field

from storage.tables.base import CLUSTERED, STRICT, Table, int64, one_of, string


class ChatRow(Table, table=True):
    """A conversation. `settings` is a JSON object for what it chose itself."""

    __tablename__ = "chat"
    __table_args__ = (one_of("state", "active", "blocked"), CLUSTERED)
    chat: str = string(primary_key=True)
    state: str = string()
    language: str | None = string(nullable=True)
    timezone: str | None = string(nullable=True)
    settings: str = string()
    created_at: int = int64()


class WatchRow(Table, table=True):
    """A rule of a chat. Ids are never used twice, because the log of alerts outlives the rule."""

    __tablename__ = "watch"
    __table_args__ = (
        one_of("origin", "chat", "cli", "file"),
        one_of("state", "active", "paused", "snoozed", "done", "ended"),
        one_of("barred", 0, 1),
        Index("watch_chat", "chat"),
        Index("watch_file_name", "name", unique=True, sqlite_where=sql("origin = 'file'")),
        {**STRICT, "sqlite_autoincrement": True},
    )
    id: int = Field(primary_key=True)
    chat: str = string(foreign_key="chat.chat", ondelete="CASCADE")
    topic: str | None = string(nullable=True)
    """Of a chat that has topics: where its alerts go."""
    name: str | None = string(nullable=True)
    author: str | None = string(nullable=True)
    """Who made it in the chat."""
    rule: str = string()
    origin: str = string()
    state: str = string()
    set_at: int = int64()
    passed: str = string()
    answered: str = string()
    created_at: int = int64()
    barred: int = Field(default=0, sa_column_kwargs={"server_default": sql("0")})
    """1 while its chat, or who made it there, is not on the lists: it rests whatever its state."""


class EpisodeRow(Table, table=True):
    """The time during which a rule and one of its cards match."""

    __tablename__ = "episode"
    __table_args__ = CLUSTERED
    watch_id: int = Field(primary_key=True, foreign_key="watch.id", ondelete="CASCADE")
    card: str = string(primary_key=True)
    number: int = int64()
    opened_at: int = int64()
    told_price: int | None = int64(nullable=True)


class MemberRow(Table, table=True):
    """A key that matched in an episode. `misses` counts the answers that lacked it lately; while there are any, `last`
    is the offer as last seen, as JSON."""

    __tablename__ = "member"
    __table_args__ = (
        ForeignKeyConstraint(["watch_id", "card"], ["episode.watch_id", "episode.card"], ondelete="CASCADE"),
        CheckConstraint("(misses = 0) = (missing_since IS NULL)", name="missing_since"),
        CheckConstraint("(misses = 0) = (last IS NULL)", name="last"),
        CLUSTERED,
    )
    watch_id: int = Field(primary_key=True)
    card: str = string(primary_key=True)
    key: str = string(primary_key=True)
    misses: int = Field(default=0, sa_column_kwargs={"server_default": sql("0")})
    missing_since: int | None = int64(nullable=True)
    last: str | None = string(nullable=True)


class ToldRow(Table, table=True):
    """When a key was last told, and how long it waits before it is told again."""

    __tablename__ = "told"
    __table_args__ = CLUSTERED
    watch_id: int = Field(primary_key=True, foreign_key="watch.id", ondelete="CASCADE")
    key: str = string(primary_key=True)
    told_at: int = int64()
    wait_ms: int = int64()

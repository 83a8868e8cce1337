"""The outbox, which is also the log of alerts. Times are epoch milliseconds.

No foreign key leads from here to a watch or a chat: what was sent stays on record when the rule is deleted.
"""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field

from storage.tables.base import STRICT, Table, int64, one_of, string

OPEN = "state IN ('queued', 'held')"


class OutboxRow(Table, table=True):
    """One alert on its way or at its end."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("dedup_key"),
        one_of("state", "queued", "held", "sent", "expired", "suppressed", "failed"),
        one_of("counted", 0, 1),
        Index("outbox_open", "chat", "id", sqlite_where=sql(OPEN)),
        Index("outbox_queued_at", "queued_at"),
        {**STRICT, "sqlite_autoincrement": True},
    )
    id: int = Field(primary_key=True)
    dedup_key: str = string()
    chat: str = string()
    topic: str | None = string(nullable=True)
    kind: str = string()
    watch_ids: str = string()
    gpu: str | None = string(nullable=True)
    market: str | None = string(nullable=True)
    key: str | None = string(nullable=True)
    price_per_gpu: int | None = int64(nullable=True)
    parts: str = string()
    seen_at: int = int64()
    queued_at: int = int64()
    not_before: int | None = int64(nullable=True)
    lease_until: int | None = int64(nullable=True)
    attempts: int
    counted: int
    """1 where queueing it counted as telling, so that closing it unsent has to take that back."""
    was_held: int
    state: str = string()
    reason: str = string()
    last_error: str | None = string(nullable=True)
    message_id: str | None = string(nullable=True)
    sent_at: int | None = int64(nullable=True)
    ended_at: int | None = int64(nullable=True)
    """When the message was edited to say that what it told has gone."""

"""The log of alerts: what was told, when it was seen and sent, and what became of it. Read only, but for endings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from market.alert import AlertKind, AlertState, Part
from storage.queueing import parts_of
from storage.store import Store
from storage.times import from_maybe_ms, from_ms, maybe_ms, to_ms

_LOGGED = """
SELECT id, watch_ids, chat, kind, gpu, market, key, price_per_gpu, seen_at, queued_at, sent_at, state, reason,
  attempts, last_error
FROM outbox
"""
_ONE = f"{_LOGGED} WHERE id = ?"
_LOG = f"""
{_LOGGED} WHERE queued_at >= ? AND kind <> 'blind' ORDER BY id DESC LIMIT ?
"""
_STANDING = """
SELECT id, chat, kind, parts, message_id, seen_at, sent_at, ended_at FROM outbox
WHERE state = 'sent' AND message_id IS NOT NULL AND queued_at >= ? AND kind <> 'blind' ORDER BY id
"""
# what was held could not be sent sooner than the hold ended; once taken up, it is tried as soon as it can be
_WAITING = """
SELECT coalesce(sum(due), 0) AS queued, coalesce(sum(1 - due), 0) AS held, min(CASE WHEN due THEN since END) AS oldest
FROM (
  SELECT state = 'queued' OR coalesce(not_before, 0) <= :now AS due,
    CASE WHEN was_held OR state = 'held' THEN min(coalesce(not_before, lease_until, :now), :now) ELSE queued_at END
      AS since
  FROM outbox WHERE state IN ('queued', 'held'))
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedAlert:
    """One line of the log. The price is micro-dollars per GPU-hour; what an alert without offers lacks is None."""

    id: int
    watch_ids: tuple[int, ...]
    chat: str
    kind: AlertKind
    gpu: str | None
    market: str | None
    key: str | None
    price_per_gpu: int | None
    seen_at: datetime
    queued_at: datetime
    sent_at: datetime | None
    state: AlertState
    reason: str
    attempts: int
    last_error: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A message that was sent and can be edited."""

    id: int
    chat: str
    kind: AlertKind
    parts: tuple[Part, ...]
    message_id: str
    seen_at: datetime
    sent_at: datetime
    ended_at: datetime | None
    """When it was edited to say that what it told has gone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """How many alerts wait to be sent, since when the oldest could have been, and how many are held back by right."""

    queued: int
    held: int
    oldest_at: datetime | None


class AlertLog:
    """Reading what became of alerts. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def since(self, start: datetime, *, limit: int = 1000) -> list[LoggedAlert]:
        """The latest alerts queued since `start`, oldest first."""
        with self._store.read() as connection:
            rows = connection.exec_driver_sql(_LOG, (to_ms(start), limit)).all()
        return [_logged(row) for row in reversed(rows)]

    def one(self, alert_id: int) -> LoggedAlert | None:
        """An alert by its number; None if there is none, or none any more."""
        with self._store.read() as connection:
            row = connection.exec_driver_sql(_ONE, (alert_id,)).one_or_none()
        return None if row is None else _logged(row)

    def standing(self, since: datetime) -> list[Standing]:
        """Messages sent for alerts queued since then, oldest first."""
        with self._store.read() as connection:
            rows = connection.exec_driver_sql(_STANDING, (to_ms(since),)).all()
        return [
            Standing(
                id=row.id,
                chat=row.chat,
                kind=cast("AlertKind", row.kind),
                parts=parts_of(row.parts),
                message_id=row.message_id,
                seen_at=from_ms(row.seen_at),
                sent_at=from_ms(row.sent_at),
                ended_at=from_maybe_ms(row.ended_at),
            )
            for row in rows
        ]

    def ended(self, alert_id: int, at: datetime | None) -> None:
        """Note that a message was edited to say that its offers have gone; None: that they are back."""
        with self._store.write() as connection:
            connection.exec_driver_sql("UPDATE outbox SET ended_at = ? WHERE id = ?", (maybe_ms(at), alert_id))

    def waiting(self, now: datetime) -> Waiting:
        """What is on its way."""
        with self._store.read() as connection:
            queued, held, oldest = connection.exec_driver_sql(_WAITING, {"now": to_ms(now)}).one()
        return Waiting(queued=queued, held=held, oldest_at=from_maybe_ms(oldest))


def _logged(row: Any) -> LoggedAlert:
    return LoggedAlert(
        id=row.id,
        watch_ids=tuple(json.loads(row.watch_ids)),
        chat=row.chat,
        kind=cast("AlertKind", row.kind),
        gpu=row.gpu,
        market=row.market,
        key=row.key,
        price_per_gpu=row.price_per_gpu,
        seen_at=from_ms(row.seen_at),
        queued_at=from_ms(row.queued_at),
        sent_at=from_maybe_ms(row.sent_at),
        state=cast("AlertState", row.state),
        reason=row.reason,
        attempts=row.attempts,
        last_error=row.last_error,
    )

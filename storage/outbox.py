"""The outbox: alerts on their way.

At least once: an alert is leased, sent and noted as sent; whoever dies in between loses the lease, and the alert is
taken up again. In order within a chat, one at a time. What became of each is read in `storage.alertlog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from market.alert import Alert, Part
from market.rule import RuleError
from market.watch import Told
from storage.counters import WATCHES, bump
from storage.memory import put_told
from storage.queueing import alert_of, headline, parts_of, parts_text, watch_ids_text
from storage.retelling import forget_telling, note_telling
from storage.rules import RuleShelf
from storage.store import Store
from storage.times import from_maybe_ms, from_ms, to_ms

# The head of a chat's queue keeps all later ones waiting, or the chat is told out of order; what is held does not.
_DUE = """
WITH waiting AS (
  SELECT chat, max(coalesce(lease_until, 0)) AS leased, min(CASE state WHEN 'queued' THEN id END) AS head
  FROM outbox WHERE state IN ('queued', 'held') GROUP BY chat)
SELECT min(o.id) AS id FROM waiting w
JOIN outbox o ON o.chat = w.chat AND o.state IN ('queued', 'held') AND (w.head IS NULL OR o.id <= w.head)
WHERE w.leased <= :now AND (o.not_before IS NULL OR o.not_before <= :now)
GROUP BY o.chat ORDER BY 1 LIMIT :limit
"""
_NEXT = """
WITH waiting AS (
  SELECT chat, max(coalesce(lease_until, 0)) AS leased, min(CASE state WHEN 'queued' THEN id END) AS head
  FROM outbox WHERE state IN ('queued', 'held') GROUP BY chat)
SELECT min(free_at) FROM (
  SELECT max(w.leased, min(coalesce(o.not_before, 0))) AS free_at FROM waiting w
  JOIN outbox o ON o.chat = w.chat AND o.state IN ('queued', 'held') AND (w.head IS NULL OR o.id <= w.head)
  GROUP BY o.chat)
"""
_ONE = """
SELECT id, chat, topic, kind, parts, seen_at, dedup_key, reason, not_before, attempts, queued_at, was_held FROM outbox
WHERE id = ?
"""
_REST = """
SELECT id, chat, topic, kind, parts, seen_at, dedup_key, reason, not_before, attempts, queued_at, was_held FROM outbox
WHERE chat = :chat AND topic IS :topic AND state IN ('queued', 'held') AND (not_before IS NULL OR not_before <= :now)
  AND (lease_until IS NULL OR lease_until <= :now)
ORDER BY id LIMIT :limit
"""
_LEASE = """
UPDATE outbox SET lease_until = ?, attempts = attempts + 1, state = 'queued', not_before = NULL WHERE id = ?
"""
_SENT = """
UPDATE outbox SET state = 'sent', sent_at = ?, message_id = ?, lease_until = NULL, not_before = NULL WHERE id = ?
"""
_REWORD = "UPDATE outbox SET parts = ?, watch_ids = ?, gpu = ?, market = ?, key = ?, price_per_gpu = ? WHERE id = ?"
_RETRY = """
UPDATE outbox SET lease_until = NULL, not_before = ?, last_error = ? WHERE id = ? AND state IN ('queued', 'held')
"""
_HOLD = """
UPDATE outbox SET state = 'held', was_held = 1, lease_until = NULL, not_before = ?, reason = ?
WHERE id = ? AND state IN ('queued', 'held')
"""
_CLOSE = """
UPDATE outbox SET state = ?, reason = ?, lease_until = NULL, not_before = NULL
WHERE id = ? AND state IN ('queued', 'held')
"""
_SET_BACK = """
UPDATE outbox SET not_before = not_before - :ms, lease_until = lease_until - :ms WHERE state IN ('queued', 'held')
"""
_ENDABLE = "SELECT rule FROM watch WHERE id = ? AND state IN ('active', 'snoozed') AND set_at <= ?"
_ONCE = ("available", "cheaper", "price_drop", "new_low")
"""Kinds that end a watch which wants one alert."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claimed:
    """An alert taken for sending. `attempts` counts the earlier ones."""

    id: int
    alert: Alert
    attempts: int
    queued_at: datetime
    was_held: bool


class Outbox:
    """What delivery does with alerts; every verb is one transaction. Raises StoreError."""

    def __init__(self, store: Store, rules: RuleShelf) -> None:
        self._store = store
        self._rules = rules

    def claim(self, now: datetime, *, lease_s: float, limit: int) -> list[Claimed]:
        """Due alerts in the order in which they came, at most one a chat, leased until they are sent or given back."""
        with self._store.write() as connection:
            due = connection.exec_driver_sql(_DUE, {"now": to_ms(now), "limit": limit}).all()
            rows = [connection.exec_driver_sql(_ONE, (id_,)).one() for (id_,) in due]
            return _leased(connection, rows, now, lease_s)

    def claim_more(
        self, chat: str, now: datetime, *, topic: str | None = None, lease_s: float, limit: int
    ) -> list[Claimed]:
        """The other due alerts of a chat and topic of which one is claimed, to be told in the same message."""
        with self._store.write() as connection:
            values = {"chat": chat, "topic": topic, "now": to_ms(now), "limit": limit}
            return _leased(connection, connection.exec_driver_sql(_REST, values).all(), now, lease_s)

    def sent(
        self, alert_id: int, at: datetime, *, alert: Alert, message_id: str | None, told: Iterable[Told] = ()
    ) -> None:
        """Note that an alert was sent, in the words of `alert`, which may be fresher than those queued.

        `told` replaces what was noted about its keys: needed for one that was held, which queueing did not count.
        A rule that wanted one alert is done.
        """
        with self._store.write() as connection:
            row = _row(connection, alert_id)
            if row is None:  # its chat was forgotten while it was on its way
                return
            fresh = parts_text(alert.parts)
            connection.exec_driver_sql(_SENT, (to_ms(at), message_id, alert_id))
            told = [each for each in told if _exists(connection, each.watch_id)]
            changed = bool(told)
            put_told(connection, told)
            if fresh != row.parts:
                values = (fresh, watch_ids_text(alert.parts), *headline(alert.parts), alert_id)
                connection.exec_driver_sql(_REWORD, values)
            if fresh != row.parts or not row.counted:
                note_telling(connection, alert_id, alert.parts)
                changed = True
            if alert.kind in _ONCE and self._finish(connection, alert.parts, row.queued_at):
                changed = True
            if changed:
                bump(connection, WATCHES)

    def retry(self, alert_id: int, not_before: datetime, error: str) -> None:
        """Give an alert back for a later attempt; later ones of its chat wait for it."""
        with self._store.write() as connection:
            connection.exec_driver_sql(_RETRY, (to_ms(not_before), error, alert_id))

    def hold(self, alert_id: int, until: datetime, reason: str) -> None:
        """Keep an alert back; later ones of its chat do not wait for it."""
        with self._store.write() as connection:
            connection.exec_driver_sql(_HOLD, (to_ms(until), reason, alert_id))

    def close(self, alert_id: int, state: str, reason: str) -> None:
        """It will not be sent: expired, suppressed or failed. What it would have told counts as not told."""
        with self._store.write() as connection:
            if close_alert(connection, alert_id, state, reason):
                bump(connection, WATCHES)

    def release_leases(self) -> None:
        """Give back what a process that is gone had claimed. For the start of the only sender."""
        with self._store.write() as connection:
            connection.exec_driver_sql("UPDATE outbox SET lease_until = NULL WHERE state IN ('queued', 'held')")

    def set_back(self, seconds: float) -> None:
        """The clock was set back by so much: what waits for a moment waits no longer than it would have."""
        with self._store.write() as connection:
            connection.exec_driver_sql(_SET_BACK, {"ms": round(seconds * 1000)})

    def next_due(self) -> datetime | None:
        """When the next alert may be claimed; None if none waits."""
        with self._store.read() as connection:
            moment = connection.exec_driver_sql(_NEXT).scalar()
        return from_maybe_ms(moment)

    def _finish(self, connection: Connection, parts: Sequence[Part], queued_at: int) -> bool:
        done = False
        for part in parts:
            # a rule edited or resumed since is another one, which this alert does not end
            row = connection.exec_driver_sql(_ENDABLE, (part.watch_id, queued_at)).first()
            try:
                once = row is not None and self._rules.rule(row.rule).once
            except RuleError:
                continue
            if once:
                connection.exec_driver_sql("UPDATE watch SET state = 'done' WHERE id = ?", (part.watch_id,))
                done = True
        return done


def close_alert(connection: Connection, alert_id: int, state: str, reason: str) -> bool:
    """End an alert unsent, in the caller's transaction; whether it was still on its way."""
    row = _row(connection, alert_id)
    if row is None or connection.exec_driver_sql(_CLOSE, (state, reason, alert_id)).rowcount == 0:
        return False
    if row.counted:
        forget_telling(connection, alert_id, parts_of(row.parts), row.queued_at)
    return True


def _leased(connection: Connection, rows: Sequence[Any], now: datetime, lease_s: float) -> list[Claimed]:
    until = to_ms(now + timedelta(seconds=lease_s))
    if rows:
        connection.exec_driver_sql(_LEASE, [(until, row.id) for row in rows])
    return [
        Claimed(
            id=row.id,
            alert=alert_of(
                kind=row.kind,
                chat=row.chat,
                topic=row.topic,
                parts=row.parts,
                seen_at=from_ms(row.seen_at),
                dedup_key=row.dedup_key,
                reason=row.reason,
                not_before=from_maybe_ms(row.not_before),
            ),
            attempts=row.attempts,
            queued_at=from_ms(row.queued_at),
            was_held=bool(row.was_held),
        )
        for row in rows
    ]


def _row(connection: Connection, alert_id: int) -> Any:
    query = "SELECT parts, queued_at, counted, state FROM outbox WHERE id = ?"
    return connection.exec_driver_sql(query, (alert_id,)).one_or_none()


def _exists(connection: Connection, watch_id: int) -> bool:
    return connection.exec_driver_sql("SELECT 1 FROM watch WHERE id = ?", (watch_id,)).first() is not None

"""The watches: adding, editing, pausing and removing rules, from the chat, the command line and the file alike.

Whoever changes a rule changes what it was told as well, in one transaction: an edited or resumed rule starts afresh,
and alerts that only an edited or deleted rule wanted are not sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from market.alert import Part
from market.watch import Episode, Origin, Told, Watch
from storage.chats import ensure_chat
from storage.counters import WATCHES, bump, generations
from storage.memory import forget, put_episodes, put_told
from storage.outbox import close_alert
from storage.queueing import headline, parts_of, parts_text, watch_ids_text
from storage.rules import RuleShelf
from storage.store import Store
from storage.times import to_ms
from storage.watchrows import SELECT, Unreadable, names, read_watches, running

_ALL = f"{SELECT} ORDER BY w.id"
_OF_CHAT = f"{SELECT} WHERE w.chat = ? ORDER BY w.id"
_ONE = f"{SELECT} WHERE w.id = ?"
_ADD = """
INSERT INTO watch (chat, topic, name, author, rule, origin, state, set_at, passed, answered, created_at)
VALUES (?, ?, ?, ?, ?, ?, 'active', ?, '[]', '[]', ?) RETURNING id
"""
_EDIT = """
UPDATE watch SET chat = ?, name = ?, rule = ?, state = 'active', set_at = ?, passed = '[]', answered = '[]'
WHERE id = ?
"""
_RESUME = """
UPDATE watch SET state = 'active', set_at = ?, passed = '[]', answered = '[]' WHERE id = ? AND state <> 'active'
"""
_REWORD = "UPDATE outbox SET parts = ?, watch_ids = ?, gpu = ?, market = ?, key = ?, price_per_gpu = ? WHERE id = ?"
_OPEN_ALERTS = """
SELECT o.id, o.parts FROM outbox o, json_each(o.watch_ids) w
WHERE o.state IN ('queued', 'held') AND w.value = ?
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the reply to a new or edited rule told, which counts as told."""

    passed: frozenset[str] = frozenset()
    episodes: tuple[Episode, ...] = ()
    told: tuple[Told, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRule:
    """A rule of the configuration file: `name` identifies it, `text` is canonical."""

    name: str
    chat: str
    text: str


Answer = Callable[[Watch], Reply]
"""Finds what the reply tells of a watch; may read the store, must not write to it."""


class Watches:
    """Every watch. Raises StoreError, and RuleError for a text that is no rule."""

    def __init__(self, store: Store, rules: RuleShelf) -> None:
        self._store = store
        self._rules = rules

    # -- reading ----------------------------------------------------------------------------------------------------

    def list(self, chat: str | None = None) -> tuple[Watch, ...]:
        """The watches of a chat, or all, by id; without those that cannot be read."""
        return self._read(_ALL if chat is None else _OF_CHAT, chat)[0]

    def unreadable(self) -> tuple[Unreadable, ...]:
        """Stored rules that this version cannot read."""
        return self._read(_ALL, None)[1]

    def by_id(self, watch_id: int) -> Watch | None:
        """One watch, None if there is none or it cannot be read."""
        watches, _ = self._read(_ONE, watch_id)
        return watches[0] if watches else None

    def running(self) -> dict[int, Watch]:
        """By id, the watches that are judged: active or snoozed, of chats that can be reached."""
        with self._store.read() as connection:
            return {watch.id: watch for watch in running(connection, self._rules)}

    def generation(self) -> int:
        """A number that changes whenever a watch does, whichever process changed it. Cheap."""
        with self._store.read() as connection:
            return generations(connection)[1]

    # -- changing ---------------------------------------------------------------------------------------------------

    def add(
        self,
        *,
        chat: str,
        text: str,
        now: datetime,
        name: str | None = None,
        topic: str | None = None,
        author: str | None = None,
        origin: Origin = "chat",
        answer: Answer | None = None,
    ) -> Watch:
        """A new watch on a rule in canonical form; what `answer` tells of it counts as told."""
        self._rules.rule(text)
        with self._store.write() as connection:
            watch_id = self._add(connection, chat, topic, text, name, author, origin, now)
            self._reply(connection, watch_id, answer)
            bump(connection, WATCHES)
            return self._one(connection, watch_id)

    def edit(
        self, watch_id: int, *, text: str, now: datetime, name: str | None = None, answer: Answer | None = None
    ) -> Watch | None:
        """Another rule for a watch, which starts afresh; None if there is no such watch."""
        self._rules.rule(text)
        with self._store.write() as connection:
            row = connection.exec_driver_sql("SELECT chat FROM watch WHERE id = ?", (watch_id,)).one_or_none()
            if row is None:
                return None
            self._edit(connection, watch_id, row.chat, name, text, now)
            self._reply(connection, watch_id, answer)
            bump(connection, WATCHES)
            return self._one(connection, watch_id)

    def remove(self, watch_id: int) -> bool:
        """Delete a watch; whether there was one. What was sent for it stays in the log."""
        with self._store.write() as connection:
            bump(connection, WATCHES)
            return self._remove(connection, watch_id)

    def pause(self, watch_id: int) -> bool:
        """Stop judging a watch; whether that changed anything."""
        with self._store.write() as connection:
            query = "UPDATE watch SET state = 'paused' WHERE id = ? AND state IN ('active', 'snoozed')"
            changed = connection.exec_driver_sql(query, (watch_id,)).rowcount > 0
            if changed:
                silence(connection, watch_id, "the rule was paused")
                bump(connection, WATCHES)
        return changed

    def resume(self, watch_id: int, now: datetime) -> bool:
        """Judge a watch again, as if it were new; whether that changed anything."""
        with self._store.write() as connection:
            changed = connection.exec_driver_sql(_RESUME, (to_ms(now), watch_id)).rowcount > 0
            if changed:
                forget(connection, watch_id)
                bump(connection, WATCHES)
        return changed

    def snooze(self, watch_id: int) -> bool:
        """Mark a watch as snoozed: it is judged, and what it finds is held; whether that changed anything."""
        with self._store.write() as connection:
            query = "UPDATE watch SET state = 'snoozed' WHERE id = ? AND state = 'active'"
            changed = connection.exec_driver_sql(query, (watch_id,)).rowcount > 0
            if changed:
                bump(connection, WATCHES)
        return changed

    def wake(self, watch_id: int) -> bool:
        """End a snooze; nothing that was told is forgotten; whether that changed anything."""
        with self._store.write() as connection:
            query = "UPDATE watch SET state = 'active' WHERE id = ? AND state = 'snoozed'"
            changed = connection.exec_driver_sql(query, (watch_id,)).rowcount > 0
            if changed:
                bump(connection, WATCHES)
        return changed

    def end(self, watch_id: int) -> bool:
        """End a watch whose last day is over; whether that changed anything."""
        with self._store.write() as connection:
            query = "UPDATE watch SET state = 'ended' WHERE id = ? AND state IN ('active', 'snoozed')"
            changed = connection.exec_driver_sql(query, (watch_id,)).rowcount > 0
            if changed:
                silence(connection, watch_id, "the rule's last day is over")
                bump(connection, WATCHES)
        return changed

    def sync_file(self, rules: Iterable[FileRule], now: datetime) -> bool:
        """Bring the watches of the file in line with it: new, edited and removed ones; whether anything changed."""
        wanted = {rule.name: rule for rule in rules}
        for rule in wanted.values():
            self._rules.rule(rule.text)
        with self._store.write() as connection:
            query = "SELECT id, name, chat, rule FROM watch WHERE origin = 'file'"
            there = {row.name: row for row in connection.exec_driver_sql(query)}
            changed = False
            for name in there.keys() - wanted.keys():
                changed = self._remove(connection, there[name].id)
            for name, rule in wanted.items():
                row = there.get(name)
                if row is None:
                    self._add(connection, rule.chat, None, rule.text, name, None, "file", now)
                elif (row.chat, row.rule) != (rule.chat, rule.text):
                    self._edit(connection, row.id, rule.chat, name, rule.text, now)
                else:
                    continue
                changed = True
            if changed:
                bump(connection, WATCHES)
        return changed

    # -- inside a transaction ---------------------------------------------------------------------------------------

    def _read(self, query: str, value: str | int | None) -> tuple[tuple[Watch, ...], tuple[Unreadable, ...]]:
        with self._store.read() as connection:
            watches, unreadable = read_watches(connection, self._rules, query, () if value is None else (value,))
        return tuple(watches), tuple(unreadable)

    def _one(self, connection: Connection, watch_id: int) -> Watch:
        watches, _ = read_watches(connection, self._rules, _ONE, (watch_id,))
        return watches[0]

    def _add(
        self,
        connection: Connection,
        chat: str,
        topic: str | None,
        text: str,
        name: str | None,
        author: str | None,
        origin: Origin,
        now: datetime,
    ) -> int:
        ensure_chat(connection, chat, now)
        values = (chat, topic, name, author, text, origin, to_ms(now), to_ms(now))
        return int(connection.exec_driver_sql(_ADD, values).scalar_one())

    def _edit(
        self, connection: Connection, watch_id: int, chat: str, name: str | None, text: str, now: datetime
    ) -> None:
        ensure_chat(connection, chat, now)
        connection.exec_driver_sql(_EDIT, (chat, name, text, to_ms(now), watch_id))
        silence(connection, watch_id, "the rule was edited")
        forget(connection, watch_id)

    def _remove(self, connection: Connection, watch_id: int) -> bool:
        silence(connection, watch_id, "the rule was deleted")
        return connection.exec_driver_sql("DELETE FROM watch WHERE id = ?", (watch_id,)).rowcount > 0

    def _reply(self, connection: Connection, watch_id: int, answer: Answer | None) -> None:
        if answer is None:
            return
        reply = answer(self._one(connection, watch_id))
        connection.exec_driver_sql("UPDATE watch SET passed = ? WHERE id = ?", (names(reply.passed), watch_id))
        put_episodes(connection, reply.episodes)
        put_told(connection, reply.told)


def silence(connection: Connection, watch_id: int, reason: str) -> None:
    """Take a watch out of the alerts on their way; those that nobody else wants are suppressed."""
    for alert_id, text in connection.exec_driver_sql(_OPEN_ALERTS, (watch_id,)).all():
        left = [part for part in parts_of(text) if part.watch_id != watch_id]
        if left:
            _reword(connection, alert_id, left)
        else:
            close_alert(connection, alert_id, "suppressed", reason)


def _reword(connection: Connection, alert_id: int, parts: list[Part]) -> None:
    connection.exec_driver_sql(_REWORD, (parts_text(parts), watch_ids_text(parts), *headline(parts), alert_id))

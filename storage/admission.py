"""Which rules rest because the lists of the configuration do not hold their chat any more, and which go on again.

A rule that rests so is judged by nobody, and nothing is sent for it; it keeps its state. One that goes on starts
afresh. Rules of the file and of the command line are the operator's own: no list bars them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from storage.counters import WATCHES, bump
from storage.memory import forget
from storage.outbox import close_alert
from storage.store import Store
from storage.times import to_ms
from storage.watches import silence

NOT_LISTED = "its chat is not on the list any more"

_AFRESH = "UPDATE watch SET barred = 0, set_at = ?, passed = '[]', answered = '[]' WHERE id = ?"
_RESTING = "SELECT chat, count(*) AS rules FROM watch WHERE barred = 1 GROUP BY chat ORDER BY chat"
_LONE_BLIND = """
SELECT id FROM outbox o WHERE kind = 'blind' AND state IN ('queued', 'held')
  AND EXISTS (SELECT 1 FROM watch w WHERE w.chat = o.chat AND w.barred = 1)
  AND NOT EXISTS (SELECT 1 FROM watch w WHERE w.chat = o.chat AND w.barred = 0)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """What changed: how many rules rest now that did not, and how many go on."""

    resting: int = 0
    going_on: int = 0


def admit(store: Store, serves: Callable[[str, str | None], bool | None], now: datetime) -> Admitted:
    """Let rest, or go on, what `serves` says of (chat, who made the rule there); None leaves a rule as it is.

    One transaction. Raises StoreError.
    """
    resting = going_on = 0
    with store.write() as connection:
        rows = connection.exec_driver_sql("SELECT id, chat, author, origin, barred FROM watch").all()
        for row in rows:
            served = row.origin != "chat" or serves(row.chat, row.author)
            if served is None:
                continue
            if not served and not row.barred:
                connection.exec_driver_sql("UPDATE watch SET barred = 1 WHERE id = ?", (row.id,))
                silence(connection, row.id, NOT_LISTED)
                resting += 1
            elif served and row.barred:
                _go_on(connection, row.id, now)
                going_on += 1
        if resting:
            for (alert_id,) in connection.exec_driver_sql(_LONE_BLIND).all():
                close_alert(connection, alert_id, "suppressed", NOT_LISTED)
        if resting or going_on:
            bump(connection, WATCHES)
    return Admitted(resting=resting, going_on=going_on)


def readmit(store: Store, watch_id: int, now: datetime) -> None:
    """Let one rule go on, because an owner wants it. Raises StoreError."""
    with store.write() as connection:
        _go_on(connection, watch_id, now)
        bump(connection, WATCHES)


def _go_on(connection: Connection, watch_id: int, now: datetime) -> None:
    connection.exec_driver_sql(_AFRESH, (to_ms(now), watch_id))
    forget(connection, watch_id)


def resting(store: Store) -> Mapping[str, int]:
    """How many rules rest so, by chat. Raises StoreError."""
    with store.read() as connection:
        return {row.chat: row.rules for row in connection.exec_driver_sql(_RESTING)}


def authors(store: Store) -> frozenset[tuple[str, str | None]]:
    """(chat, who made it there) of every rule. Raises StoreError."""
    with store.read() as connection:
        rows = connection.exec_driver_sql("SELECT DISTINCT chat, author FROM watch")
        return frozenset((row.chat, row.author) for row in rows)


def barred(store: Store) -> frozenset[int]:
    """The ids of the rules that rest so. Raises StoreError."""
    with store.read() as connection:
        return frozenset(id_ for (id_,) in connection.exec_driver_sql("SELECT id FROM watch WHERE barred = 1"))

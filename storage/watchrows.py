"""Watches between their table and `market.watch.Watch`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from market.rule import RuleError
from market.watch import Watch
from storage.rules import RuleShelf
from storage.times import from_ms

SELECT = """
SELECT w.id, w.chat, w.topic, w.rule, w.name, w.author, w.origin, w.state, w.barred, w.set_at, w.passed, w.answered
FROM watch w
"""
_RUNNING = (
    f"{SELECT} JOIN chat c ON c.chat = w.chat "
    "WHERE w.state IN ('active', 'snoozed') AND w.barred = 0 AND c.state = 'active' ORDER BY w.id"
)
_PROGRESS = "UPDATE watch SET state = ?, passed = ?, answered = ? WHERE id = ?"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A stored rule that this version cannot read: it is kept, not watched, and has to be said."""

    id: int
    chat: str
    text: str
    problem: str
    author: str | None = None


def read_watches(
    connection: Connection, rules: RuleShelf, query: str, values: tuple[Any, ...] = ()
) -> tuple[list[Watch], list[Unreadable]]:
    """The watches that a query beginning with `SELECT` finds, and those of them that cannot be read."""
    watches: list[Watch] = []
    unreadable: list[Unreadable] = []
    rows = connection.exec_driver_sql(query, values)
    for id_, chat, topic, text, name, author, origin, state, barred, set_at, passed, answered in rows:
        try:
            rule = rules.rule(text)
        except RuleError as error:
            unreadable.append(Unreadable(id=id_, chat=chat, author=author, text=text, problem=str(error)))
            continue
        watches.append(
            Watch(
                id=id_,
                chat=chat,
                topic=topic,
                rule=rule,
                text=text,
                name=name,
                author=author,
                origin=origin,
                state=state,
                barred=bool(barred),
                set_at=from_ms(set_at),
                passed=names_of(passed),
                answered=names_of(answered),
            )
        )
    return watches, unreadable


def running(connection: Connection, rules: RuleShelf) -> list[Watch]:
    """Active and snoozed watches, those not barred, of the chats that can be reached."""
    return read_watches(connection, rules, _RUNNING)[0]


def put_progress(connection: Connection, watches: Iterable[Watch]) -> None:
    """Store the state and the first pass of watches."""
    rows = [(watch.state, names(watch.passed), names(watch.answered), watch.id) for watch in watches]
    connection.exec_driver_sql(_PROGRESS, rows)


def names(values: frozenset[str]) -> str:
    """A set of names as text, always in one order."""
    return json.dumps(sorted(values), ensure_ascii=False)


def names_of(text: str) -> frozenset[str]:
    """The set of names of a text."""
    return frozenset(json.loads(text)) if text != "[]" else frozenset()

"""The inbox: what was taken from a channel, kept until it is done, so that no crash and no stop loses a word.

A number is taken once: what comes again under a number that is kept is not new. What is done is remembered until the
channel has been told that it was taken, and a day at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from storage.store import Store
from storage.times import to_ms

TRIES: Final = 5
"""Starts that may find the same thing not done: one that takes the process down with it is given up."""
KEPT: Final = timedelta(hours=24)
"""What is older is not begun any more: nobody waits for it."""

_KEEP = """
INSERT INTO inbox (number, body, taken_at, tries, done) VALUES (?, ?, ?, 0, 0)
ON CONFLICT (number) DO NOTHING RETURNING number
"""
_FORGET = "DELETE FROM inbox WHERE (done = 1 AND number < ?) OR taken_at < ?"


class Inbox:
    """What has been taken and is not done. Every verb is one transaction. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(self, taken: Sequence[tuple[int, str]], now: datetime, *, confirmed: int = 0) -> frozenset[int]:
        """Keep (number, body); the numbers that are new. The channel repeats nothing below `confirmed`."""
        with self._store.write() as connection:
            connection.exec_driver_sql(_FORGET, (confirmed, to_ms(now - KEPT)))
            kept = [connection.exec_driver_sql(_KEEP, (number, body, to_ms(now))).first() for number, body in taken]
        return frozenset(row.number for row in kept if row is not None)

    def done(self, number: int) -> None:
        """It is done."""
        with self._store.write() as connection:
            connection.exec_driver_sql("UPDATE inbox SET done = 1, body = '' WHERE number = ?", (number,))

    def left(self, now: datetime) -> list[tuple[int, str]]:
        """(number, body) of what an earlier run did not get done, in order. For the start of the only reader."""
        with self._store.write() as connection:
            connection.exec_driver_sql(_FORGET, (0, to_ms(now - KEPT)))
            connection.exec_driver_sql("UPDATE inbox SET tries = tries + 1 WHERE done = 0")
            connection.exec_driver_sql("UPDATE inbox SET done = 1, body = '' WHERE tries > ?", (TRIES,))
            rows = connection.exec_driver_sql("SELECT number, body FROM inbox WHERE done = 0 ORDER BY number").all()
        return [(row.number, row.body) for row in rows]

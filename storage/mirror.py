"""What the recorder keeps in memory between answers: the book, the watches and what they were told.

It is read again whenever the generations in the database tell that somebody else wrote, and after any transaction
that was not committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import Connection

from market.alert import Alert
from market.watch import Memory, Watch
from storage.book import Book
from storage.counters import generations
from storage.memory import load_memory
from storage.rules import RuleShelf
from storage.watchrows import running

_NEVER = -1


class Mirror:
    """The state of the store as of the generations noted here. Only for use inside a write transaction."""

    def __init__(self, rules: RuleShelf) -> None:
        self._rules = rules
        self.book = Book()
        self.memory = Memory()
        self.by_id: dict[int, Watch] = {}
        self.watches: tuple[Watch, ...] = ()
        self.book_generation = _NEVER
        self.watches_generation = _NEVER

    @contextmanager
    def changing(self, connection: Connection) -> Iterator[Book]:
        """The state as stored, to be changed along with it. The block commits; if it fails, all is read again."""
        self._sync(connection)
        try:
            yield self.book
        except BaseException:
            self.book_generation = self.watches_generation = _NEVER
            raise

    def take(self, watches: Iterable[Watch]) -> None:
        """Replace watches; one that runs no more is dropped."""
        for watch in watches:
            if watch.state in ("active", "snoozed"):
                self.by_id[watch.id] = watch
            else:
                del self.by_id[watch.id]
        self.watches = tuple(self.by_id.values())

    def still_wanted(self, alert: Alert) -> Alert | None:
        """The alert without the parts of watches that are there no more; None if nothing is left."""
        parts = tuple(part for part in alert.parts if part.watch_id in self.by_id)
        if len(parts) == len(alert.parts):
            return alert
        return replace(alert, parts=parts) if parts else None

    def _sync(self, connection: Connection) -> None:
        book, watches = generations(connection)
        if book != self.book_generation:
            self.book = Book.load(connection)
        if book != self.book_generation or watches != self.watches_generation:
            self.memory = load_memory(connection)
            self.by_id = {watch.id: watch for watch in running(connection, self._rules)}
            self.watches = tuple(self.by_id.values())
        self.book_generation, self.watches_generation = book, watches

"""One scan written by the product's own statements: what `Recorder.record` does once an answer is compared."""

from __future__ import annotations

from market.changes import Changes, compare
from market.snapshot import Snapshot
from storage.book import Book
from storage.counters import BOOK, bump
from storage.heartbeat import WHOLE, answered, beat
from storage.posting import Posting, asked_for
from storage.store import Store
from storage.times import to_ms
from storage.usage import settle


class CoreWriter:
    """Writes to a store of its own and knows what stands in it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.read() as connection:
            self.book = Book.load(connection)

    def changes(self, snapshot: Snapshot) -> Changes:
        """What an answer for the whole book changes."""
        known = self.book.open_in(snapshot.market)
        return compare(known, known.values(), snapshot)

    def write(self, snapshot: Snapshot, changes: Changes) -> None:
        """Spans, current state, floors, heartbeat and spending, in one transaction."""
        at, market = to_ms(snapshot.taken_at), snapshot.market
        with self._store.write() as connection:
            asked = asked_for(connection, self.book, snapshot.coverage, at)
            shown = {offer.key for offer in snapshot.offers}
            absent = self.book.open_in(market).keys() - shown
            Posting(connection, self.book, asked=asked, at=at, market=market).post(changes, shown, absent)
            asked.last_at = at
            answered(connection, asked.coverage_id, at)
            beat(connection, market=market, coverage_id=asked.coverage_id, at=at, status=WHOLE, rows=snapshot.rows)
            settle(connection, market, snapshot.taken_at, 0, snapshot.rows)
            bump(connection, BOOK)

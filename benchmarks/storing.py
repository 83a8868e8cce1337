"""Storing one scan, against a session of the ORM that writes the same rows to a database of its own.

Both are told what changed; what is measured is the writing, from the first statement to the end of the transaction.
"""

from __future__ import annotations

from contextlib import ExitStack
from statistics import median
from typing import Final

from benchmarks.core_writer import CoreWriter
from benchmarks.figure import Figure, Result
from benchmarks.listing import Listing
from benchmarks.orm_writer import MovedFloor, OrmWriter
from benchmarks.size import Size
from benchmarks.stage import staged
from benchmarks.timing import wall
from storage.store import Store
from storage.times import to_ms

CLAIM = "storing a scan"
TIMES = 10.0
TABLES: Final = ("market", "offer", "cur", "span", "floor", "coverage", "scan", "pulse", "usage")
"""What both write."""


def measure(size: Size) -> list[Result]:
    """One figure. Raises AssertionError if the two databases differ afterwards."""
    listing = Listing(size.offers)
    with ExitStack() as stack:
        ours, theirs = (stack.enter_context(staged(lambda: listing.now)).store for _ in range(2))
        core, filler = CoreWriter(ours), CoreWriter(theirs)
        first = listing.snapshot()
        for writer in (core, filler):
            writer.write(first, writer.changes(first))
        orm = OrmWriter(theirs, filler.book)
        taken: tuple[list[float], list[float]] = ([], [])
        moved = 0
        for _ in range(size.scans):
            listing.move_on()
            snapshot = listing.snapshot()
            changes = core.changes(snapshot)
            elapsed = wall()
            core.write(snapshot, changes)
            taken[0].append(elapsed())
            floors = _floors(ours, to_ms(snapshot.taken_at))
            elapsed = wall()
            orm.write(snapshot, changes, floors)
            taken[1].append(elapsed())
            moved += len(changes.appeared) + len(changes.changed) + len(changes.gone)
        for table in TABLES:
            assert _rows(ours, table) == _rows(theirs, table), f"the ORM wrote other rows into {table}"
    return [
        Figure(
            claim=CLAIM,
            measured=median(taken[0]),
            baseline=median(taken[1]),
            against="the same rows by an ORM session",
            times_better=TIMES,
            detail=f"{size.offers:,} open offers, {moved / size.scans:.0f} differences a scan",
        )
    ]


def _floors(store: Store, at: int) -> list[MovedFloor]:
    with store.read() as connection:
        rows = connection.exec_driver_sql("SELECT market_id, terms, class, at, price FROM floor WHERE at = ?", (at,))
        return [MovedFloor(market_id=m, terms=t, class_=c, at=a, price=p) for m, t, c, a, p in rows]


def _rows(store: Store, table: str) -> list[tuple[object, ...]]:
    with store.read() as connection:
        found = connection.exec_driver_sql(f"SELECT * FROM {table}")  # noqa: S608 - a name from `TABLES`
        return sorted(map(tuple, found), key=repr)

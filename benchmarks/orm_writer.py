"""The same scan written as a session of the ORM writes it: rows are objects, got, merged, added and deleted.

It is helped where it can be: it is told which offers changed, which floors moved and the ids of offers it has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from market.changes import Changes
from market.offer import Offer
from market.snapshot import Snapshot
from storage.book import Book
from storage.counters import BOOK
from storage.heartbeat import WHOLE
from storage.listing import description, state
from storage.spans import span_rows
from storage.store import Store
from storage.tables.book import CoverageRow, Cur, Floor, Market, OfferRow, Pulse, Scan, Span
from storage.tables.ledger import Counter, UsageRow
from storage.times import to_ms

_STATE = ("ask", "price", "interruptible_price", "reliability_ppm", "verified", "stock")
_SPAN = ("market_id", "t1", "offer_id", "dur", "price", "rel_bp", "stock", "unverified")
_DESCRIPTION = (
    "machine", "gpu_count", "spelling", "disk_gb", "storage_price", "country", "place", "data_centers", "gpu_ids",
    "machine_gpus", "disk_space_gb", "down_mbps", "ram_gb", "cuda", "ends_at",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class MovedFloor:
    """A floor's new price, milliseconds."""

    market_id: int
    terms: int
    class_: int
    at: int
    price: int | None


class OrmWriter:
    """Writes to a store of its own that the product's statements have filled; `book` tells the ids given there."""

    def __init__(self, store: Store, book: Book) -> None:
        self._engine = store.engine.execution_options(writes=True)
        self._ids = {key: (stay.offer_id, stay.market_id) for key, stay in book.stays.items()}
        self._markets = dict(book.market_ids)
        self._next = book.next_offer_id

    def write(self, snapshot: Snapshot, changes: Changes, floors: Sequence[MovedFloor]) -> None:
        """The same rows as `CoreWriter.write`, in one transaction."""
        now = int(snapshot.taken_at.timestamp())
        with Session(self._engine) as session:
            for offer in changes.gone:
                session.delete(self._closed(session, offer, now))
            for before, offer in changes.changed:
                self._closed(session, before, now)
                self._moved(session, offer, t0=now, described=description(before) != description(offer))
            for offer in changes.refreshed:
                self._moved(session, offer, t0=None, described=True)
            opened = [self._opened(session, offer, now) for offer in changes.appeared]
            session.flush()  # no relationship tells the ORM that offers go before their state
            session.add_all(opened)
            for floor in floors:
                session.merge(
                    Floor(
                        market_id=floor.market_id,
                        terms=floor.terms,
                        class_=floor.class_,
                        at=floor.at,
                        price=floor.price,
                    )
                )
            _beat(session, snapshot)
            session.commit()

    def _closed(self, session: Session, offer: Offer, now: int) -> Cur:
        offer_id, market_id = self._ids[offer.key]
        cur = session.get_one(Cur, offer_id)
        rows = span_rows(offer, offer_id=offer_id, market_id=market_id, start=cur.t0, end=now)
        session.add_all([Span(**_named(_SPAN, row)) for row in rows])
        return cur

    def _moved(self, session: Session, offer: Offer, *, t0: int | None, described: bool) -> None:
        cur = session.get_one(Cur, self._ids[offer.key][0])
        cur.t0 = cur.t0 if t0 is None else t0
        for name, value in _named(_STATE, state(offer)).items():
            setattr(cur, name, value)
        if not described:
            return
        row = session.get_one(OfferRow, cur.offer_id)
        for name, value in _named(_DESCRIPTION, description(offer)).items():
            setattr(row, name, value)

    def _opened(self, session: Session, offer: Offer, now: int) -> Cur:
        if offer.key not in self._ids:
            self._ids[offer.key] = self._next, self._market_id(session, offer)
            self._next += 1
        offer_id, market_id = self._ids[offer.key]
        known = session.get(OfferRow, offer_id)
        session.merge(
            OfferRow(
                offer_id=offer_id,
                market_id=market_id,
                key=offer.key,
                first_at=now if known is None else known.first_at,
                **_named(_DESCRIPTION, description(offer)),
            )
        )
        return Cur(
            offer_id=offer_id,
            market_id=market_id,
            since=now,
            t0=now,
            coverage_id=1,
            **_named(_STATE, state(offer)),
        )

    def _market_id(self, session: Session, offer: Offer) -> int:
        place = (offer.market, offer.gpu, offer.vram_gb, offer.tier)
        if place not in self._markets:
            self._markets[place] = market_id = max(self._markets.values()) + 1
            provider, gpu, vram_gb, tier = place
            session.add(Market(market_id=market_id, provider=provider, gpu=gpu, vram_gb=vram_gb, tier=tier))
            session.flush()
        return self._markets[place]


def _beat(session: Session, snapshot: Snapshot) -> None:
    at, market = to_ms(snapshot.taken_at), snapshot.market
    session.get_one(CoverageRow, 1).last_at = at
    session.add(Scan(coverage_id=1, at=at, status=WHOLE, rows=snapshot.rows, ms=0))
    session.merge(Pulse(market=market, last_at=at, last_ok_at=at, last_complete_at=at, failures=0))
    day = _day(snapshot.taken_at)
    usage = session.get(UsageRow, (market, day))
    if usage is None:
        session.add(UsageRow(market=market, day=day, requests=0, rows=snapshot.rows, reserved=0))
    else:
        usage.rows += snapshot.rows
    session.get_one(Counter, BOOK).value += 1


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _named(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(names, values, strict=True))

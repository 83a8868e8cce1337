"""The order book in memory: every open offer and where it stands in the store, so that an answer is compared with
dictionaries and only the differences reach the database.

It mirrors the tables `cur`, `offer`, `market`, `coverage` and the last line of each `floor`. It is changed by
`storage.posting` alone, inside a write transaction, and thrown away when that is not committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from market.coverage import Coverage
from market.offer import Offer
from storage.listing import open_offers
from storage.rates import NO_RATES, Rates, rates_of
from storage.times import from_ms, from_s

MarketRow = tuple[str, str, int, str]
"""(provider, card, memory, tier)."""
FloorPlace = tuple[int, int, int]
"""(market id, terms, reliability class)."""


@dataclass(slots=True)
class Stay:
    """Where an open offer stands. `since` and `t0` are epoch seconds. `seen_at`, milliseconds, counts only while no
    query shows it (`coverage_id` None); else it was last seen when that query was last answered."""

    offer_id: int
    market_id: int
    since: int
    t0: int
    coverage_id: int | None
    seen_at: int = 0
    rates: Rates = NO_RATES
    """Of the offer as described last."""


@dataclass(slots=True)
class Asked:
    """A query that was answered: when last, milliseconds, and the keys that it was the last to show."""

    coverage_id: int
    last_at: int
    members: set[str] = field(default_factory=set)


class Book:
    """All open offers. Not for several threads at once: whoever holds the write transaction may use it."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, Offer]] = {}
        """By market, then by key."""
        self.prints: set[int] = set()
        """Fingerprints of all open offers."""
        self.stays: dict[str, Stay] = {}
        self.shelves: dict[int, dict[str, Stay]] = {}
        """By market id, then by key."""
        self.machines: dict[tuple[str, str], set[str]] = {}
        """Keys by (market, machine)."""
        self.market_ids: dict[MarketRow, int] = {}
        self.asked: dict[str, Asked] = {}
        """By the text of the coverage."""
        self.asked_by_id: dict[int, Asked] = {}
        self.floors: dict[FloorPlace, int | None] = {}
        self.latest: dict[str, int] = {}
        """Milliseconds of the latest answer of each market, good or bad."""
        self.next_offer_id = 1
        self.next_coverage_id = 1

    @classmethod
    def load(cls, connection: Connection) -> Book:
        """The book as stored."""
        book = cls()
        sql = connection.exec_driver_sql
        for market_id, provider, gpu, vram_gb, tier in sql(
            "SELECT market_id, provider, gpu, vram_gb, tier FROM market"
        ):
            book.market_ids[provider, gpu, vram_gb, tier] = market_id
            book.shelves[market_id] = {}
        for coverage_id, text, last_at in sql("SELECT coverage_id, text, last_at FROM coverage"):
            book.add_asked(text, Asked(coverage_id, last_at))
        for offer, offer_id, market_id, since, t0, coverage_id, seen_at in open_offers(connection):
            own = seen_at if coverage_id is None else 0
            book.put(offer, Stay(offer_id, market_id, since, t0, coverage_id, own))
        for market_id, terms, grade, price in sql(
            "SELECT market_id, terms, class, price FROM (SELECT *, max(at) FROM floor GROUP BY market_id, terms, class)"
        ):
            book.floors[market_id, terms, grade] = price
        for market, last_at in sql("SELECT market, last_at FROM pulse"):
            book.latest[market] = last_at
        book.next_offer_id = sql("SELECT coalesce(max(offer_id), 0) + 1 FROM offer").scalar_one()
        book.next_coverage_id = sql("SELECT coalesce(max(coverage_id), 0) + 1 FROM coverage").scalar_one()
        return book

    # -- reading ----------------------------------------------------------------------------------------------------

    def open_in(self, market: str) -> Mapping[str, Offer]:
        """The open offers of a market by key."""
        return self.known.get(market, {})

    def absent(self, coverage: Coverage, shown: AbstractSet[str]) -> set[str]:
        """The keys of the open offers that an answer may speak about, and perhaps of more, but for those it shows.

        Those that belong to its query are always among them.
        """
        if coverage.cards is None and coverage.machines is None:
            # one difference of sets: a whole book is mostly in the answer
            return self.open_in(coverage.market).keys() - shown
        asked = self.asked.get(coverage.to_text())
        groups = (*self._key_groups(coverage), asked.members if asked else frozenset())
        return {key for keys in groups for key in keys if key not in shown}

    def seen_at(self, key: str) -> datetime:
        """When an open offer was last seen."""
        return from_ms(self.seen_ms(key))

    def seen_ms(self, key: str) -> int:
        """When an open offer was last seen, epoch milliseconds."""
        stay = self.stays[key]
        if stay.coverage_id is not None:
            return self.asked_by_id[stay.coverage_id].last_at
        return stay.seen_at

    def since(self, key: str) -> datetime:
        """When an open offer's present stay began."""
        return from_s(self.stays[key].since)

    # -- changing ---------------------------------------------------------------------------------------------------

    def put(self, offer: Offer, stay: Stay) -> None:
        """Open an offer."""
        key = offer.key
        self.stays[key] = stay
        self.replace(offer, stay)
        self.machines.setdefault((offer.market, offer.machine), set()).add(key)
        if stay.coverage_id is not None:
            self.asked_by_id[stay.coverage_id].members.add(key)

    def replace(self, offer: Offer, stay: Stay) -> None:
        """Another description of an open offer of the same card and tier."""
        known = self.known.setdefault(offer.market, {})
        if (before := known.get(offer.key)) is not None:
            self.prints.discard(hash(before))
        known[offer.key] = offer
        self.shelves[stay.market_id][offer.key] = stay
        stay.rates = rates_of(offer)
        self.prints.add(hash(offer))

    def drop(self, offer: Offer) -> Stay:
        """Close an offer; where it stood."""
        key = offer.key
        stay = self.stays.pop(key)
        self.prints.discard(hash(self.known[offer.market].pop(key)))
        del self.shelves[stay.market_id][key]
        place = (offer.market, offer.machine)
        self.machines[place].discard(key)
        if not self.machines[place]:
            del self.machines[place]
        if stay.coverage_id is not None:
            self.asked_by_id[stay.coverage_id].members.discard(key)
        return stay

    def show(self, keys: Iterable[str], asked: Asked) -> list[Stay]:
        """Note that a query showed these open offers; the stays that belonged to another one before."""
        moved = []
        for key in keys:
            stay = self.stays[key]
            if stay.coverage_id is not None:
                self.asked_by_id[stay.coverage_id].members.discard(key)
            stay.coverage_id = asked.coverage_id
            asked.members.add(key)
            moved.append(stay)
        return moved

    def detach(self, keys: Iterable[str], asked: Asked) -> list[Stay]:
        """Note that a query shows these open offers no more; they keep the time it was answered before."""
        left = []
        for key in keys:
            stay = self.stays[key]
            stay.coverage_id, stay.seen_at = None, asked.last_at
            asked.members.discard(key)
            left.append(stay)
        return left

    def add_asked(self, text: str, asked: Asked) -> None:
        """Note a query that was answered for the first time."""
        self.asked[text] = asked
        self.asked_by_id[asked.coverage_id] = asked

    def _key_groups(self, coverage: Coverage) -> Iterator[AbstractSet[str]]:
        market = coverage.market
        if coverage.machines is not None:
            for machine in coverage.machines:
                yield self.machines.get((market, machine), set())
            return
        for (provider, card, _, tier), market_id in self.market_ids.items():
            if (
                provider == market
                and tier in coverage.tiers
                and (coverage.cards is None or card in coverage.cards)
                and market_id in self.shelves
            ):
                yield self.shelves[market_id].keys()

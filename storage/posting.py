"""Posting one answer: its differences go into the book in memory and into the tables, in the caller's transaction.

It decides nothing. What is gone or doubtful was settled by `market.changes`; here it is only written down.
"""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet
from typing import Any

from sqlalchemy import Connection

from market.changes import Changes
from market.coverage import Coverage
from market.offer import Offer
from storage.book import Asked, Book, Stay
from storage.floors import Move, move_floors
from storage.listing import described_alike, description, state
from storage.rates import NO_RATES
from storage.spans import SpanRow, span_rows

_PUT_OFFER = """
INSERT INTO offer (offer_id, market_id, key, first_at, machine, gpu_count, spelling, disk_gb, storage_price, country,
  place, data_centers, gpu_ids, machine_gpus, disk_space_gb, down_mbps, ram_gb, cuda, ends_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (offer_id) DO UPDATE SET machine = excluded.machine, gpu_count = excluded.gpu_count,
  spelling = excluded.spelling, disk_gb = excluded.disk_gb, storage_price = excluded.storage_price,
  country = excluded.country, place = excluded.place, data_centers = excluded.data_centers,
  gpu_ids = excluded.gpu_ids, machine_gpus = excluded.machine_gpus, disk_space_gb = excluded.disk_space_gb,
  down_mbps = excluded.down_mbps, ram_gb = excluded.ram_gb, cuda = excluded.cuda, ends_at = excluded.ends_at
"""
_DESCRIBE = """
UPDATE offer SET machine = ?, gpu_count = ?, spelling = ?, disk_gb = ?, storage_price = ?, country = ?, place = ?,
  data_centers = ?, gpu_ids = ?, machine_gpus = ?, disk_space_gb = ?, down_mbps = ?, ram_gb = ?, cuda = ?, ends_at = ?
WHERE offer_id = ?
"""
_OPEN = """
INSERT INTO cur (offer_id, market_id, since, t0, coverage_id, ask, price, interruptible_price, reliability_ppm,
  verified, stock)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_UPDATE = """
UPDATE cur SET t0 = ?, ask = ?, price = ?, interruptible_price = ?, reliability_ppm = ?, verified = ?, stock = ?
WHERE offer_id = ?
"""
CLOSE = "DELETE FROM cur WHERE offer_id = ?"
SPAN = """
INSERT INTO span (market_id, t1, offer_id, dur, price, rel_bp, stock, unverified) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
FLOOR = """
INSERT INTO floor (market_id, terms, class, at, price) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (market_id, terms, class, at) DO UPDATE SET price = excluded.price
"""
_SHOW = "UPDATE cur SET coverage_id = ?, seen_at = NULL WHERE offer_id = ?"
_DETACH = "UPDATE cur SET coverage_id = NULL, seen_at = ? WHERE offer_id = ?"
_MARKET = "INSERT INTO market (market_id, provider, gpu, vram_gb, tier) VALUES (?, ?, ?, ?, ?)"
_FIND = """
SELECT o.market_id, o.key, o.offer_id, o.machine, o.gpu_count, o.spelling, o.disk_gb, o.storage_price, o.country,
  o.place, o.data_centers, o.gpu_ids, o.machine_gpus, o.disk_space_gb, o.down_mbps, o.ram_gb, o.cuda, o.ends_at
FROM json_each(?) j
CROSS JOIN offer o ON o.market_id = json_extract(j.value, '$[0]') AND o.key = json_extract(j.value, '$[1]')
"""


class Posting:
    """One answer of one query at `at` (milliseconds), being posted."""

    def __init__(self, connection: Connection, book: Book, *, asked: Asked, at: int, market: str) -> None:
        self._connection = connection
        self._book = book
        self._asked = asked
        # never before what is already written: a clock that was set back shortens spans, it does not overlap them
        self._now_ms = max(at, book.latest.get(market, at))
        self._now = self._now_ms // 1000
        self._at = at
        self._moves: list[Move] = []
        self._spans: list[SpanRow] = []
        self._closed: list[tuple[int]] = []
        self._opened: list[tuple[Offer, int]] = []
        """(offer, since)."""
        self._updated: list[tuple[Any, ...]] = []
        self._described: list[tuple[Any, ...]] = []

    def post(self, changes: Changes, shown: AbstractSet[str], absent: AbstractSet[str]) -> None:
        """Write down all that changed. `shown` holds the keys in the answer, which now belong to its query; `absent`
        those that it lacks, of all that its query showed before at least."""
        for offer in changes.gone:
            self._gone(offer)
        for before, now in changes.changed:
            self._changed(before, now)
        for offer in changes.refreshed:
            self._refreshed(offer)
        self._opened.extend((offer, self._at // 1000) for offer in changes.appeared)
        self._run(CLOSE, self._closed)
        self._run(SPAN, self._spans)
        self._run(_UPDATE, self._updated)
        self._run(_DESCRIBE, self._described)
        self._open()
        self._belong(shown, absent)
        floors = move_floors(self._book, self._moves)
        self._run(FLOOR, [(*place, self._now_ms, price) for place, price in floors])

    # -- what happens to an offer -----------------------------------------------------------------------------------

    def _gone(self, offer: Offer) -> Stay:
        stay = self._book.drop(offer)
        self._close_span(offer, stay)
        self._closed.append((stay.offer_id,))
        self._moves.append((stay.market_id, stay.rates, NO_RATES))
        return stay

    def _changed(self, before: Offer, now: Offer) -> None:
        stay = self._book.stays[now.key]
        if (before.gpu, before.vram_gb, before.tier) != (now.gpu, now.vram_gb, now.tier):
            # another card or tier is another line of history, but still the same stay
            self._opened.append((now, self._gone(before).since))
            return
        self._close_span(before, stay)
        stay.t0 = max(stay.t0, self._now)
        self._update(before, now, stay)

    def _refreshed(self, now: Offer) -> None:
        self._update(self._book.known[now.market][now.key], now, self._book.stays[now.key])

    def _update(self, before: Offer, now: Offer, stay: Stay) -> None:
        rates = stay.rates
        self._book.replace(now, stay)
        self._updated.append((stay.t0, *state(now), stay.offer_id))
        if not described_alike(before, now):
            self._described.append((*description(now), stay.offer_id))
        self._moves.append((stay.market_id, rates, stay.rates))

    def _close_span(self, offer: Offer, stay: Stay) -> None:
        self._spans.extend(
            span_rows(offer, offer_id=stay.offer_id, market_id=stay.market_id, start=stay.t0, end=self._now)
        )

    # -- new offers -------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if not self._opened:
            return
        book, now = self._book, self._now
        placed = [(self._market_id(offer), offer, since) for offer, since in self._opened]
        coverage_id = self._asked.coverage_id
        described: list[tuple[Any, ...]] = []
        opened: list[tuple[Any, ...]] = []
        stored = self._stored([(market_id, offer.key) for market_id, offer, _ in placed])
        for market_id, offer, since in placed:
            slow = description(offer)
            offer_id, before = stored.get((market_id, offer.key), (book.next_offer_id, None))
            if before is None:
                book.next_offer_id += 1
            if slow != before:
                described.append((offer_id, market_id, offer.key, now, *slow))
            opened.append((offer_id, market_id, since, now, coverage_id, *state(offer)))
            stay = Stay(offer_id, market_id, since, now, coverage_id)
            book.put(offer, stay)
            self._moves.append((market_id, NO_RATES, stay.rates))
        self._run(_PUT_OFFER, described)
        self._run(_OPEN, opened)

    def _market_id(self, offer: Offer) -> int:
        book = self._book
        row = (offer.market, offer.gpu, offer.vram_gb, offer.tier)
        market_id = book.market_ids.get(row)
        if market_id is None:
            market_id = max(book.market_ids.values(), default=0) + 1
            book.market_ids[row] = market_id
            book.shelves[market_id] = {}
            self._run(
                "INSERT INTO market (market_id, provider, gpu, vram_gb, tier) VALUES (?, ?, ?, ?, ?)",
                [(market_id, *row)],
            )
        return market_id

    def _stored(self, places: list[tuple[int, str]]) -> dict[tuple[int, str], tuple[int, tuple[Any, ...]]]:
        """The ids and descriptions of offers that were there before, by (market id, key)."""
        found = self._connection.exec_driver_sql(_FIND, (json.dumps(places),))
        return {(market_id, key): (offer_id, tuple(slow)) for market_id, key, offer_id, *slow in found}

    # -- which query showed what ------------------------------------------------------------------------------------

    def _belong(self, shown: AbstractSet[str], absent: AbstractSet[str]) -> None:
        asked, book = self._asked, self._book
        left = book.detach(asked.members & absent, asked)
        self._run(_DETACH, [(asked.last_at, stay.offer_id) for stay in left])
        # all that the query still has is in the answer: where it has as many, it has them all
        if len(asked.members) < len(shown):
            moved = book.show(shown - asked.members, asked)
            self._run(_SHOW, [(asked.coverage_id, stay.offer_id) for stay in moved])

    def _run(self, statement: str, rows: list[Any]) -> None:
        if rows:
            self._connection.exec_driver_sql(statement, rows)


def asked_for(connection: Connection, book: Book, coverage: Coverage, at: int) -> Asked:
    """The book's entry for a query, made when it is answered for the first time."""
    text = coverage.to_text()
    asked = book.asked.get(text)
    if asked is None:
        asked = Asked(book.next_coverage_id, at)
        book.next_coverage_id += 1
        book.add_asked(text, asked)
        connection.exec_driver_sql(
            "INSERT INTO coverage (coverage_id, market, text, last_at) VALUES (?, ?, ?, ?)",
            (asked.coverage_id, coverage.market, text, at),
        )
    return asked

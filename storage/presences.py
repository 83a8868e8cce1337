"""Who was on offer when: closed spans and the open offers alike, read back with a beginning and an end.

What a span does not hold (place, memory, link) is the offer's last description; a closed one has no price for
interruptible use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from market.offer import Offer
from storage.listing import level, offer_of, open_offers, stock_of
from storage.spans import LONGEST_S, basis_points

_DESCRIBED = """
SELECT o.offer_id, o.key, m.provider, o.machine, m.gpu, o.spelling, o.gpu_count, m.vram_gb, m.tier, 0, '', o.disk_gb,
  o.storage_price, NULL, NULL, NULL, NULL, o.country, o.place, o.data_centers, o.gpu_ids, o.machine_gpus,
  o.disk_space_gb, o.down_mbps, o.ram_gb, o.cuda, o.ends_at
FROM offer o JOIN market m USING (market_id) WHERE o.market_id = ?
"""
_SPANS = """
SELECT offer_id, t1 - dur, t1, price, rel_bp, stock, unverified FROM span
WHERE market_id = :market_id AND t1 > :start AND t1 <= :latest AND t1 - dur < :end
"""
_SPANS_AT = """
SELECT offer_id, t1 - dur, t1, price, rel_bp, stock, unverified FROM span
WHERE market_id = :market_id AND t1 > :start AND t1 <= :latest AND t1 - dur < :end AND (
  (t1 - 1 - :base) / :step > (t1 - dur - 1 - :base) / :step
  OR EXISTS (SELECT 1 FROM json_each(:others) o WHERE o.value >= t1 - dur AND o.value < t1))
"""
# a span holds at a regular moment when one lies between its ends; the few irregular ones are looked up

_SLICE = 5_000


class Moments(NamedTuple):
    """The moments that matter, epoch seconds: `base` and every `step` after it, and others."""

    base: int
    step: int
    others: tuple[int, ...] = ()


class Spell(NamedTuple):
    """A stretch at one price. `offer` is the description only; its own price and reliability do not count.

    `start` and `end` are epoch seconds; `end` None: it is still open.
    """

    offer: Offer
    start: int
    end: int | None
    price: int
    points: int | None
    stock: int | None
    unverified: int


class Presence(NamedTuple):
    """An offer as it was from `start` until `end`, epoch seconds; `end` None: it is still open."""

    offer: Offer
    start: int
    end: int | None


def spells(
    connection: Connection, market_ids: Sequence[int], start: int, end: int, *, at: Moments | None = None
) -> Iterator[Spell]:
    """Every stretch that touches the time from `start` to `end`, epoch seconds, in no order.

    With `at`, at least those that hold at one of these moments; the open ones always.
    """
    bounds = {"start": start, "end": end, "latest": end + LONGEST_S}
    query = _SPANS
    if at is not None:
        # counted from before the longest span, so that division rounds one way only
        base = at.base - (at.base - start + 2 * LONGEST_S) // at.step * at.step - at.step
        bounds |= {"base": base, "step": at.step}
        query = _SPANS_AT
    others = {} if at is None else {"others": json.dumps(at.others)}
    for market_id in market_ids:
        described: dict[int, Offer] = {}
        found = connection.exec_driver_sql(query, {**bounds, **others, "market_id": market_id})
        for rows in found.partitions(_SLICE):
            described = described or _described(connection, market_id)
            for offer_id, *rest in rows:
                yield Spell(described[offer_id], *rest)
    for there in open_offers(connection, market_ids):
        if there.t0 < end:
            offer = there.offer
            points, unverified = basis_points(offer.reliability_ppm), int(offer.verified is False)
            yield Spell(offer, there.t0, None, offer.price, points, level(offer.stock), unverified)


def presences(connection: Connection, market_ids: Sequence[int], start: int, end: int) -> Iterator[Presence]:
    """The offers that were there at some time from `start` to `end`, epoch seconds, in no order."""
    for spell in spells(connection, market_ids, start, end):
        offer = spell.offer
        if spell.end is not None:
            offer = offer._replace(
                price=spell.price,
                reliability_ppm=None if spell.points is None else spell.points * 100,
                stock=stock_of(spell.stock),
                verified=not spell.unverified,
            )
        yield Presence(offer, spell.start, spell.end)


def _described(connection: Connection, market_id: int) -> dict[int, Offer]:
    rows: Any = connection.exec_driver_sql(_DESCRIBED, (market_id,))
    return {row[0]: offer_of(tuple(row[1:])) for row in rows}

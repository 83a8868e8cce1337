"""Which watches an offer may concern: an index, so that ten thousand rules cost no more than the few that fit.

It only narrows down; `market.verdict` decides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime

from market.money import HOURS_PER_MONTH
from market.offer import Offer, Terms
from market.verdict import matches
from market.watch import Watch

LARGEST_COUNT = 32
"""GPU counts up to here have a shelf of their own; bigger offers share the last one."""

_ANY = ""

Place = tuple[str, int, Terms]
"""(card, GPU count, terms)."""


class WatchIndex:
    """Active watches by card, GPU count and terms, each shelf by ceiling per GPU. Built once, then only read."""

    def __init__(self, watches: Iterable[Watch]) -> None:
        self.by_id: Mapping[int, Watch] = {watch.id: watch for watch in watches if watch.state == "active"}
        shelves: dict[Place, list[tuple[float, int]]] = {}
        for watch in self.by_id.values():
            rule = watch.rule
            ceiling = float("inf") if rule.ceiling is None or rule.ceiling_is_total else rule.ceiling * HOURS_PER_MONTH
            low, high = rule.counts
            counts = range(min(low, LARGEST_COUNT), min(high or LARGEST_COUNT, LARGEST_COUNT) + 1)
            names = rule.card_names()
            for card in (_ANY,) if names is None else names:
                for count in counts:
                    shelves.setdefault((card, count, rule.terms), []).append((ceiling, watch.id))
        self._shelves: dict[Place, tuple[list[float], list[int]]] = {}
        for place, shelf in shelves.items():
            shelf.sort()
            self._shelves[place] = ([ceiling for ceiling, _ in shelf], [watch_id for _, watch_id in shelf])
        self._waiting = _waiting(self.by_id.values())

    def updated(self, watches: Iterable[Watch]) -> WatchIndex:
        """The same index with newer records of some of its watches; their rules must be unchanged."""
        other = copy(self)
        other.by_id = {**self.by_id, **{watch.id: watch for watch in watches}}
        other._waiting = _waiting(other.by_id.values())  # noqa: SLF001 - a copy of itself
        return other

    def waiting(self, market: str) -> tuple[int, ...]:
        """Ids of the watches whose first pass in a market is not over: few, however many there are in all."""
        return self._waiting.get(market, ())

    def of_chat(self, chat: str) -> tuple[Watch, ...]:
        """The active watches of a chat."""
        return tuple(watch for watch in self.by_id.values() if watch.chat == chat)

    def hits(self, offer: Offer, at: datetime) -> Iterator[Watch]:
        """Every active watch whose rule this offer passes."""
        count = min(offer.gpu_count, LARGEST_COUNT)
        for terms, cheapest in _cheapest(offer):
            floor = cheapest / offer.gpu_count
            for card in (offer.gpu, _ANY):
                shelf = self._shelves.get((card, count, terms))
                if shelf is None:
                    continue
                ceilings, watch_ids = shelf
                for watch_id in watch_ids[bisect_left(ceilings, floor) :]:
                    watch = self.by_id[watch_id]
                    if matches(watch.rule, offer, at):
                        yield watch


def _cheapest(offer: Offer) -> Iterator[tuple[Terms, int]]:
    """The lowest price on each of its terms that any rule could be charged, whatever disk it asks for: micro-dollars
    for 720 hours without any disk."""
    yield "on_demand", offer.price * HOURS_PER_MONTH - offer.disk_gb * (offer.storage_price or 0)
    if offer.interruptible_price is not None:
        yield "interruptible", offer.interruptible_price * HOURS_PER_MONTH


def _waiting(watches: Iterable[Watch]) -> Mapping[str, tuple[int, ...]]:
    """By market."""
    found: dict[str, list[int]] = {}
    for watch in watches:
        for market in {market for market, _ in watch.rule.places} - watch.passed:
            found.setdefault(market, []).append(watch.id)
    return {market: tuple(ids) for market, ids in found.items()}

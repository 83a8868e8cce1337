"""The cheapest price per GPU of each card and tier, kept as its change points.

Unverified offers are left out: they are nobody's price unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from market.alert import price_per_gpu
from market.changes import reliability_class
from market.offer import DEFAULT_DISK_GB, Offer, Terms
from storage.book import Book, FloorPlace

TERMS: tuple[Terms, ...] = ("on_demand", "interruptible")
"""By their number in the table."""

Move = tuple[int, Offer | None, Offer | None]
"""(market id, the offer before, the offer now)."""


def move_floors(book: Book, moves: Iterable[Move]) -> list[tuple[FloorPlace, int | None]]:
    """Bring the book's floors up to date after these moves, which the book holds already; those that changed."""
    best: dict[FloorPlace, int] = {}
    lost: set[FloorPlace] = set()
    for market_id, before, now in moves:
        if before is not None and now is not None and _priced(before) == _priced(now):
            continue
        for place, price in _prices(market_id, before):
            if price == book.floors.get(place):
                lost.add(place)
        for place, price in _prices(market_id, now):
            if place not in best or price < best[place]:
                best[place] = price
    changed: list[tuple[FloorPlace, int | None]] = []
    for place in best.keys() | lost:
        old = book.floors.get(place)
        new = _cheapest(book, place) if place in lost else min(best[place], best[place] if old is None else old)
        if new != old:
            book.floors[place] = new
            changed.append((place, new))
    return changed


def _priced(offer: Offer) -> tuple[object, ...]:
    """All that the floors depend on."""
    return (
        offer.price,
        offer.interruptible_price,
        offer.storage_price,
        offer.disk_gb,
        offer.verified,
        reliability_class(offer.reliability_ppm),
    )


def _prices(market_id: int, offer: Offer | None) -> Iterable[tuple[FloorPlace, int]]:
    if offer is None or offer.verified is False:
        return
    grade = reliability_class(offer.reliability_ppm)
    for number, terms in enumerate(TERMS):
        if terms == "interruptible" and offer.interruptible_price is None:
            continue
        price = price_per_gpu(offer, terms, DEFAULT_DISK_GB)
        yield (market_id, number, 0), price
        if grade:
            yield (market_id, number, grade), price


def _cheapest(book: Book, place: FloorPlace) -> int | None:
    market_id, number, grade = place
    prices = [
        price_per_gpu(offer, TERMS[number], DEFAULT_DISK_GB)
        for offer in book.shelves[market_id].values()
        if offer.verified is not False
        and (number == 0 or offer.interruptible_price is not None)
        and (not grade or reliability_class(offer.reliability_ppm) == grade)
    ]
    return min(prices, default=None)

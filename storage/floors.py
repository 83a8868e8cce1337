"""The cheapest price per GPU of each card and tier, kept as its change points."""

from __future__ import annotations

from collections.abc import Iterable

from storage.book import Book, FloorPlace
from storage.rates import SORTS, Rates

Move = tuple[int, Rates, Rates]
"""(market id, the rates of an offer before, its rates now)."""


def move_floors(book: Book, moves: Iterable[Move]) -> list[tuple[FloorPlace, int | None]]:
    """Bring the book's floors up to date after these moves, which the book holds already; those that changed."""
    best: dict[FloorPlace, int] = {}
    lost: dict[FloorPlace, int] = {}
    for market_id, before, now in moves:
        if before == now:
            continue
        for number, (terms, grade) in enumerate(SORTS):
            was, price = before[number], now[number]
            place = (market_id, terms, grade)
            if was is not None and was == book.floors.get(place):
                lost[place] = number
            if price is not None and (place not in best or price < best[place]):
                best[place] = price
    changed: list[tuple[FloorPlace, int | None]] = []
    for place in best.keys() | lost.keys():
        old = book.floors.get(place)
        if place in lost:
            new = _cheapest(book, place[0], lost[place])
        else:
            new = min(best[place], best[place] if old is None else old)
        if new != old:
            book.floors[place] = new
            changed.append((place, new))
    return changed


def _cheapest(book: Book, market_id: int, number: int) -> int | None:
    prices = [stay.rates[number] for stay in book.shelves[market_id].values()]
    return min([price for price in prices if price is not None], default=None)

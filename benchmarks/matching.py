"""Finding the rules that a hundred new offers pass, against judging each offer by each rule."""

from __future__ import annotations

from datetime import date

from benchmarks.figure import Figure, Result
from benchmarks.listing import START, Listing
from benchmarks.size import Size
from benchmarks.timing import in_turn
from benchmarks.wishes import wishes
from market.gpu import CATALOGUE
from market.grammar import read_rule
from market.matching import WatchIndex
from market.verdict import matches
from market.watch import Watch

CLAIM = "matching new offers with all rules"
AT_MOST_MS = 1.0
NEW_OFFERS = 100


def measure(size: Size) -> list[Result]:
    """One figure. Raises AssertionError if both ways find different matches."""
    offers = Listing(size.offers).snapshot().offers
    catalogue = CATALOGUE.with_seen({offer.gpu for offer in offers})
    watches = [
        Watch(
            id=number,
            chat="1",
            rule=read_rule(text, catalogue=catalogue, today=date.min),
            text=text,
            set_at=START,
        )
        for number, text in enumerate(wishes(offers, size.rules))
    ]
    index, fresh = WatchIndex(watches), offers[:NEW_OFFERS]

    def indexed() -> set[tuple[str, int]]:
        return {(offer.key, watch.id) for offer in fresh for watch in index.hits(offer, START)}

    def one_by_one() -> set[tuple[str, int]]:
        return {(offer.key, watch.id) for offer in fresh for watch in watches if matches(watch.rule, offer, START)}

    found = indexed()
    assert found == one_by_one(), "the index finds other matches than the rules themselves"
    (measured,) = in_turn(indexed, times=size.passes)
    (baseline,) = in_turn(one_by_one, times=max(3, size.passes // 10))
    return [
        Figure(
            claim=CLAIM,
            measured=measured,
            baseline=baseline,
            against="each offer by each rule",
            at_most=AT_MOST_MS,
            detail=f"{len(fresh)} offers, {len(watches):,} rules, {len(found):,} matches",
        )
    ]

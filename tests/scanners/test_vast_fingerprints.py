"""A Vast.ai answer carries the fingerprint of each of its offers."""

from __future__ import annotations

from benchmarks.listing import START, WHOLE_BOOK, Listing
from market.gpu import CATALOGUE
from scanners.markets.vast import parse


def test_every_offer_of_an_answer_has_its_fingerprint_in_the_order_of_the_offers() -> None:
    snapshot = parse(
        Listing(50).body(), coverage=WHOLE_BOOK, catalogue=CATALOGUE, taken_at=START, row_limit=512, keyless=False
    )
    assert list(snapshot.prints.items()) == [(offer.key, hash(offer)) for offer in snapshot.offers]
    assert len(snapshot.prints) == 50

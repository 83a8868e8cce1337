"""Fingerprints are a short cut and never a shorter answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from market.changes import compare
from market.coverage import Coverage
from market.offer import Offer
from market.snapshot import Snapshot

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
EVERYTHING = Coverage(market="vast", tiers=frozenset({"community"}))


def offer(machine: int, price: int = 300_000) -> Offer:
    return Offer(
        key=f"vast:{machine}:1",
        market="vast",
        machine=str(machine),
        gpu="RTX 4090",
        spelling="RTX 4090",
        gpu_count=1,
        vram_gb=24,
        tier="community",
        price=price,
        offer_id=str(machine),
        verified=True,
    )


def answer(*offers: Offer) -> Snapshot:
    return Snapshot(market="vast", coverage=EVERYTHING, complete=True, offers=offers, taken_at=NOW, rows=len(offers))


def fingerprints(*offers: Offer) -> dict[str, int]:
    return {each.key: hash(each) for each in offers}


books = st.dictionaries(
    st.integers(1, 6),
    st.builds(
        lambda price, reliability, ask: {"price": price, "reliability_ppm": reliability, "offer_id": ask},
        st.sampled_from((300_000, 310_000)),
        st.sampled_from((None, 940_000, 990_000)),
        st.sampled_from(("1", "2")),
    ),
).map(lambda book: tuple(offer(machine)._replace(**fields) for machine, fields in book.items()))


@given(before=books, now=books)
def test_an_answer_changes_the_same_with_fingerprints_and_without(
    before: tuple[Offer, ...], now: tuple[Offer, ...]
) -> None:
    known = {each.key: each for each in before}
    plain = answer(*now)
    marked = replace(plain, prints=fingerprints(*now))
    assert compare(known, before, marked, set(map(hash, before))) == compare(known, before, plain)


def test_an_answer_that_lacks_a_fingerprint_is_compared_in_full() -> None:
    old, dearer = offer(1), offer(1, price=400_000)
    marked = replace(answer(offer(2), dearer), prints=fingerprints(offer(2)))
    changes = compare({old.key: old}, (old,), marked, {hash(old)})
    assert changes.changed == ((old, dearer),)
    assert changes.appeared == (offer(2),)


def test_fingerprints_of_offers_that_were_left_out_of_the_answer_do_no_harm() -> None:
    marked = replace(answer(offer(1)), prints=fingerprints(offer(1), offer(2)))
    changes = compare({}, (), marked, {hash(offer(3))})
    assert changes.appeared == (offer(1),)

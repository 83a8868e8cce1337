"""A full picture that does not fit into one answer is asked for in parts, which together see every machine once."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from market.coverage import Coverage
from market.pictures import Pictures

CARD = Coverage(market="vast", tiers=frozenset({"community"}), cards=frozenset({"RTX 4090"}))


def within(part: Coverage, machine: int) -> bool:
    low, high = part.machine_range or (0, None)
    return low <= machine and (high is None or machine < high)


@given(st.sets(st.integers(1, 200_000), min_size=2, max_size=120), st.integers(2, 20), st.integers(0, 1 << 20))
def test_it_is_split_until_every_part_fits_and_each_machine_is_in_one(machines: set[int], most: int, seed: int) -> None:
    pictures, chance = Pictures(), Random(seed)
    for _ in range(400):
        large = [
            (part, found)
            for part in pictures.of((CARD,))
            if len(found := [each for each in sorted(machines) if within(part, each)]) >= most
        ]
        if not large:
            break
        part, found = large[0]
        pictures.split(part, chance.sample(found, min(most, len(found))))  # a cut answer is a sample
    parts = pictures.of((CARD,))
    assert not large
    assert all(sum(within(part, each) for part in parts) == 1 for each in machines)
    assert max(Counter(part.to_text() for part in parts).values()) == 1


def test_one_that_fits_is_asked_for_as_it_is() -> None:
    assert Pictures().of((CARD,)) == (CARD,)


def test_one_machine_cannot_be_split() -> None:
    pictures = Pictures()
    pictures.split(CARD, [7])
    first, second = pictures.of((CARD,))
    pictures.split(second, [7])
    assert pictures.of((CARD,)) == (first, second)

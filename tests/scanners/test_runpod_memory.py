"""What is not believed of RunPod at first: a price that falls to a filler, a list that lost most of its types."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.snapshot import Snapshot
from scanners.errors import OddAnswer
from scanners.markets.runpod import rest
from scanners.markets.runpod.memory import Memory
from scanners.markets.runpod.offers import snapshot
from tests.scanners.pods import answer, rest_type

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SECURE = Coverage(market="runpod", tiers=frozenset({"secure"}), counts=(1, 1))


def by_rest(*rows: Any, memory: Memory) -> Snapshot:
    listings, _ = rest.read(answer({"gpus": rows}), "secure")
    return snapshot(listings, coverage=SECURE, catalogue=CATALOGUE, memory=memory, taken_at=AT)


def test_a_price_that_falls_to_the_fillers_value_is_believed_the_third_time() -> None:
    memory = Memory()
    real = rest_type(price={"secure": 3.6, "community": 0.3})
    filler = rest_type(price={"secure": 0.5, "community": 0.3})
    assert by_rest(real, memory=memory).offers
    for _ in range(2):
        doubtful = by_rest(filler, memory=memory)
        assert (doubtful.offers, doubtful.complete) == ((), False)
    assert by_rest(filler, memory=memory).offers[0].price == 500_000
    assert by_rest(filler, memory=memory).complete


def test_other_pod_sizes_and_clouds_do_not_count_towards_believing_a_price() -> None:
    memory = Memory()
    for count in (1, 2, 3):
        assert memory.believes_price("type", "secure", count, 3.6)
    assert not memory.believes_price("type", "secure", 1, 0.5)
    assert not memory.believes_price("type", "secure", 2, 0.5)
    assert not memory.believes_price("type", "secure", 3, 0.5)
    assert memory.believes_price("type", "community", 1, 0.5)


def test_a_real_price_between_two_fillers_starts_the_doubt_anew() -> None:
    memory = Memory()
    believed = [memory.believes_price("type", "secure", 1, price) for price in (3.6, 0.5, 0.5, 3.6, 0.5, 0.5, 0.5)]
    assert believed == [True, False, False, True, False, False, True]


def test_a_small_step_to_half_a_dollar_is_an_ordinary_price() -> None:
    memory = Memory()
    assert [memory.believes_price("type", "secure", 1, price) for price in (0.54, 0.5, 0.46)] == [True, True, True]


def types(count: int) -> list[dict[str, Any]]:
    return [rest_type(id=f"type {number}") for number in range(count)]


def test_a_list_that_lost_more_than_half_is_a_fault_and_not_a_sold_out_market() -> None:
    memory = Memory()
    by_rest(*types(50), memory=memory)
    for _ in range(9):
        with pytest.raises(OddAnswer):
            by_rest(*types(24), memory=memory)
    assert by_rest(*types(25), memory=memory).complete


def test_a_list_that_stays_short_is_the_new_truth_in_the_end() -> None:
    memory = Memory()
    assert [memory.believes_length(types) for types in (50, *[5] * 11)] == [True, *[False] * 9, True, True]


def test_a_short_list_may_lose_anything() -> None:
    memory = Memory()
    assert [memory.believes_length(types) for types in (5, 1)] == [True, True]

"""Which pod sizes RunPod is asked for."""

from __future__ import annotations

import httpx
import pytest

from market.coverage import CountRange
from market.gpu import CATALOGUE
from market.rule import EVERY_PLACE, Place, Rule
from scanners.markets import runpod
from scanners.markets.runpod.sizes import sizes
from tests.scanners.polling import START

SECURE = frozenset[Place]({("runpod", "secure")})


@pytest.mark.parametrize(
    ("counts", "asked"),
    [
        ((1, None), (1, 2, 4, 8)),
        ((2, None), (2, 4, 8)),
        ((3, None), (3, 4, 8)),
        ((8, None), (8,)),
        ((9, None), (9,)),
        ((16, None), (16,)),
        ((1, 1), (1,)),
        ((2, 4), (2, 3, 4)),
        ((5, 5), (5,)),
        ((6, 100), (6, 7, 8, 9, 10)),
        ((12, 16), (12,)),
        ((16, 16), (16,)),
    ],
)
def test_an_open_range_is_asked_for_at_usual_sizes_and_a_bounded_one_at_each(
    counts: CountRange, asked: tuple[int, ...]
) -> None:
    assert sizes(counts) == asked


@pytest.fixture
def market(client: httpx.AsyncClient) -> runpod.RunPod:
    return runpod.build(runpod.Settings(gpu_counts=(1, 8)), client, CATALOGUE, lambda: START)


def test_every_question_is_about_one_cloud_and_one_size(market: runpod.RunPod) -> None:
    for query in (*market.probes(Rule(places=EVERY_PLACE, counts=(1, None))), *market.census(["RTX 4090"])):
        assert len(query.tiers) == 1
        assert query.counts[0] == query.counts[1]


def test_a_rule_is_asked_for_in_its_own_clouds_alone(market: runpod.RunPod) -> None:
    assert {query.tiers for query in market.probes(Rule(places=SECURE))} == {frozenset({"secure"})}
    assert len(market.probes(Rule(places=EVERY_PLACE, counts=(1, None)))) == 8


def test_the_full_picture_is_taken_at_the_configured_sizes_and_no_others(market: runpod.RunPod) -> None:
    asked = sorted((query.counts[0], *query.tiers) for query in market.census(["RTX 4090"]))
    assert asked == [(1, "community"), (1, "secure"), (8, "community"), (8, "secure")]


def test_a_rule_for_a_recorded_size_needs_no_question_of_its_own(market: runpod.RunPod) -> None:
    assert set(market.probes(Rule(places=EVERY_PLACE, counts=(8, None)))) <= set(market.census(["RTX 4090"]))

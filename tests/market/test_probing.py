"""Many rules become few questions, and each rule's offers are still among what they show."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.coverage import Coverage
from market.offer import Offer
from market.probing import loosest, merged, serves, sizes

AT = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
CARDS = ("RTX 3090", "RTX 4090", "H100 SXM")

questions = st.builds(
    Coverage,
    market=st.just("vast"),
    tiers=st.sampled_from(
        [frozenset({"community"}), frozenset({"datacenter"}), frozenset({"community", "datacenter"})]
    ),
    cards=st.none() | st.frozensets(st.sampled_from(CARDS), min_size=1),
    counts=st.sampled_from([(1, 1), (2, 2), (1, None), (2, 4), (5, 7), (9, None)]),
    ceiling=st.none() | st.integers(100_000, 3_000_000),
    terms=st.sampled_from(["on_demand", "interruptible"]),
    disk_gb=st.sampled_from([8, 100]),
    reliability_above=st.none() | st.sampled_from([950_000, 980_000]),
    verified_only=st.booleans(),
    min_vram_gb=st.none() | st.sampled_from([24, 80]),
    min_down_mbps=st.none() | st.just(500),
    countries=st.sampled_from([frozenset(), frozenset({"BR"}), frozenset({"BR", "US"})]),
    not_countries=st.sampled_from([frozenset(), frozenset({"CN"})]),
)
offers = st.builds(
    Offer,
    key=st.just("vast:1:1"),
    market=st.just("vast"),
    machine=st.just("1"),
    gpu=st.sampled_from(CARDS),
    spelling=st.just("RTX"),
    gpu_count=st.integers(1, 12),
    vram_gb=st.sampled_from([24, 80]),
    tier=st.sampled_from(["community", "datacenter"]),
    price=st.integers(50_000, 4_000_000),
    offer_id=st.just("7"),
    disk_gb=st.just(8),
    storage_price=st.none() | st.integers(0, 300_000),
    interruptible_price=st.none() | st.integers(50_000, 2_000_000),
    reliability_ppm=st.none() | st.integers(900_000, 1_000_000),
    verified=st.booleans(),
    stock=st.none(),
    country=st.sampled_from([None, "BR", "US", "CN"]),
    place=st.none(),
    data_centers=st.just(()),
    gpu_ids=st.just(()),
    machine_gpus=st.none(),
    disk_space_gb=st.none() | st.sampled_from([50, 500]),
    down_mbps=st.none() | st.sampled_from([100, 900]),
    ram_gb=st.none(),
    cuda=st.none(),
    ends_at=st.none(),
)


@given(st.lists(questions, min_size=1, max_size=6), offers, st.booleans())
def test_what_a_rules_own_question_would_show_the_questions_asked_instead_show(
    wanted: list[Coverage], offer: Offer, lean: bool
) -> None:
    instead = merged(wanted, lean=lean)
    for each in wanted:
        if each.expects(offer, AT):
            assert any(asked.expects(offer, AT) for asked in instead[each])


@given(st.lists(questions, min_size=1, max_size=6))
def test_where_known_machines_are_kept_out_there_are_as_many_questions_as_sizes(wanted: list[Coverage]) -> None:
    asked = {question for each in merged(wanted, lean=True).values() for question in each}
    assert len(asked) == len({(question.counts, question.cards is None) for question in asked})


@given(questions, st.lists(questions, max_size=5), st.booleans())
def test_a_rule_more_that_differs_in_ceiling_disk_and_place_alone_is_no_question_more(
    rule: Coverage, others: list[Coverage], lean: bool
) -> None:
    more = [
        replace(
            rule,
            ceiling=other.ceiling if lean or None not in (rule.ceiling, other.ceiling) else rule.ceiling,
            disk_gb=other.disk_gb,
            countries=other.countries,
            not_countries=other.not_countries,
        )
        for other in others
    ]

    def count(wanted: list[Coverage]) -> int:
        return len({question for each in merged(wanted, lean=lean).values() for question in each})

    assert count([rule, *more]) == count([rule])


@given(questions, questions, offers)
def test_the_loosest_question_shows_what_either_shows(one: Coverage, other: Coverage, offer: Offer) -> None:
    other = replace(other, counts=one.counts)
    if one.expects(offer, AT) or other.expects(offer, AT):
        assert loosest(one, other).expects(offer, AT)


@given(questions, questions, offers)
def test_a_question_that_serves_another_shows_all_that_it_shows(one: Coverage, other: Coverage, offer: Offer) -> None:
    if serves(one, other) and other.expects(offer, AT):
        assert one.expects(offer, AT)


def test_when_rows_are_short_only_ceilings_near_one_another_share_a_question() -> None:
    rule = Coverage(market="vast", tiers=frozenset({"community"}), cards=frozenset({"RTX 4090"}), counts=(1, 1))
    ceilings = (200_000, 300_000, 400_000, 410_000, 2_000_000, None)
    wanted = [
        *(replace(rule, ceiling=ceiling) for ceiling in ceilings),
        replace(rule, ceiling=300_000, terms="interruptible"),
    ]
    asked = merged(wanted, lean=True, near=True)
    assert sorted({(each.ceiling, each.terms) for (each,) in asked.values()}, key=str) == sorted(
        [
            (400_000, "on_demand"),
            (410_000, "on_demand"),
            (2_000_000, "on_demand"),
            (None, "on_demand"),
            (300_000, "interruptible"),
        ],
        key=str,
    )
    for each in wanted:
        assert all(serves(question, each) for question in asked[each])


def test_without_it_cards_tiers_terms_and_verification_stay_apart() -> None:
    rule = Coverage(
        market="vast", tiers=frozenset({"community"}), cards=frozenset({"RTX 4090"}), counts=(1, 1), ceiling=400_000
    )
    apart: list[dict[str, Any]] = [
        {},
        {"cards": frozenset({"H100 SXM"}), "ceiling": 2_000_000},
        {"tiers": frozenset({"datacenter"})},
        {"terms": "interruptible"},
        {"verified_only": False},
        {"counts": (2, 2)},
    ]
    wanted = [replace(rule, **changes) for changes in apart]
    assert [asked for (asked,) in merged(wanted, lean=False).values()] == wanted


@pytest.mark.parametrize(
    ("counts", "asked"),
    [
        ((1, 1), [(1, 1)]),
        ((2, 4), [(2, 2), (3, 3), (4, 4)]),
        ((1, None), [(1, 1), (2, 2), (4, 4), (8, 8), (3, None)]),
        ((4, None), [(4, 4), (8, 8), (4, None)]),
        ((9, None), [(9, None)]),
        ((1, 64), [(1, 1), (2, 2), (4, 4), (8, 8), (3, 64)]),
    ],
)
def test_the_sizes_of_a_range(counts: Any, asked: Any) -> None:
    assert list(sizes(counts)) == asked

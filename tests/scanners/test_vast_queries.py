"""Which queries Vast.ai is asked for a rule, a census, a confirmation; and in which words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.offer import Offer, vast_key
from market.rule import CardChoice, Rule
from scanners.markets.vast import queries
from scanners.markets.vast.question import body
from tests.scanners.vast_rows import BOOK, ask, read

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
CARD = CardChoice(name="RTX 4090", cards=frozenset({"RTX 4090"}))
RULE = Rule(choices=(CARD,), ceiling=400_000)


def sizes(rule: Rule) -> list[tuple[tuple[int, int | None], int | None]]:
    return [(probe.counts, probe.ceiling) for probe in queries.probes(rule)]


def offer(machine: str, count: int = 1) -> Offer:
    (made,) = read(ask(machine_id=int(machine), num_gpus=count)).offers
    return made


def test_a_ceiling_for_each_gpu_is_asked_count_by_count() -> None:
    assert sizes(RULE) == [((1, 1), 400_000)]
    assert sizes(replace(RULE, counts=(2, 4))) == [((2, 2), 800_000), ((3, 3), 1_200_000), ((4, 4), 1_600_000)]


def test_an_open_range_is_asked_for_the_usual_sizes_and_once_for_all_others() -> None:
    assert sizes(replace(RULE, counts=(1, None))) == [
        *(((count, count), 400_000 * count) for count in (1, 2, 4, 8)),
        ((3, None), None),
    ]
    assert sizes(replace(RULE, counts=(7, None))) == [((8, 8), 3_200_000), ((7, None), None)]
    assert sizes(replace(RULE, counts=(12, None))) == [((12, None), None)]


def test_a_long_range_of_counts_is_not_a_long_list_of_queries() -> None:
    assert sizes(replace(RULE, counts=(2, 64)))[-1] == ((3, 64), None)
    assert len(sizes(replace(RULE, counts=(1, 1000)))) == 5
    assert sizes(replace(RULE, counts=(10, 11))) == [((10, 10), 4_000_000), ((11, 11), 4_400_000)]


@pytest.mark.parametrize("low", range(1, 14))
@pytest.mark.parametrize("high", [*range(1, 20), None])
def test_together_the_queries_see_every_count_of_the_rule_and_no_other(low: int, high: int | None) -> None:
    if high is not None and high < low:
        return
    probes = queries.probes(replace(RULE, counts=(low, high)))
    for count in range(1, 25):
        assert any(sees(probe, count) for probe in probes) == (low <= count <= (high or 24))


def sees(probe: Coverage, count: int) -> bool:
    return probe.counts[0] <= count <= (probe.counts[1] or count)


def test_a_ceiling_for_the_whole_offer_or_none_needs_one_query() -> None:
    assert sizes(replace(RULE, counts=(1, None), ceiling_is_total=True)) == [((1, None), 400_000)]
    assert sizes(replace(RULE, counts=(2, 4), ceiling=None)) == [((2, 4), None)]


def test_the_filters_of_the_rule_travel_with_its_query() -> None:
    rule = replace(
        RULE,
        places=frozenset({("vast", "datacenter")}),
        reliability_above=979_999,
        disk_gb=100,
        min_down_mbps=500,
        min_duration_s=259_200,
        min_vram_gb=24,
        countries=frozenset({"BR", "US"}),
        not_countries=frozenset({"CN"}),
        unverified=True,
        terms="interruptible",
    )
    assert queries.probes(rule) == (
        Coverage(
            market="vast",
            tiers=frozenset({"datacenter"}),
            cards=frozenset({"RTX 4090"}),
            counts=(1, 1),
            ceiling=400_000,
            terms="interruptible",
            disk_gb=100,
            reliability_above=979_999,
            verified_only=False,
            min_vram_gb=24,
            min_down_mbps=500,
            min_duration_s=259_200,
            countries=frozenset({"BR", "US"}),
            not_countries=frozenset({"CN"}),
        ),
    )


def test_what_the_server_mishandles_is_never_part_of_a_query() -> None:
    plain = queries.probes(RULE)
    assert queries.probes(replace(RULE, min_ram_gb=64, min_cuda=12_004)) == plain


def test_a_rule_that_keeps_vast_out_asks_it_nothing() -> None:
    assert queries.probes(replace(RULE, places=frozenset({("runpod", "secure")}))) == ()
    assert queries.probes(replace(RULE, data_centers=frozenset({"EU-RO-1"}))) == ()


def test_a_size_beside_one_name_of_several_does_not_bind_the_others() -> None:
    small = CardChoice(name="A100 SXM", cards=frozenset({"A100 SXM"}), vram_gb=40)
    large = CardChoice(name="A100 SXM", cards=frozenset({"A100 SXM"}), vram_gb=80)
    floors = {
        (CARD, large): None,
        (small, large): 40,
        (large,): 80,
    }
    for choices, floor in floors.items():
        assert queries.probes(replace(RULE, choices=choices))[0].min_vram_gb == floor
    assert queries.probes(replace(RULE, choices=(CARD, large), min_vram_gb=48))[0].min_vram_gb == 48
    assert queries.probes(replace(RULE, choices=(), min_vram_gb=48))[0].min_vram_gb == 48


def test_a_census_is_the_full_picture_of_each_card() -> None:
    for coverage, card in zip(
        queries.census(["RTX 4090", "H100 SXM", "RTX 4090"]), ["RTX 4090", "H100 SXM"], strict=True
    ):
        assert coverage.shows_all_of(card, "community")
        assert coverage.shows_all_of(card, "datacenter")
        assert not coverage.shows_all_of("B200", "community")


def test_without_cards_the_census_is_the_whole_verified_book() -> None:
    assert queries.census([]) == (BOOK,)


def test_a_confirmation_covers_the_offers_at_any_price_reliability_and_state() -> None:
    offers = [offer("1"), offer("2"), offer("1", 4)]
    asked = queries.confirm(offers)
    assert [coverage.counts for coverage in asked] == [(1, 1), (4, 4)]
    changed = [each._replace(price=9_000_000, reliability_ppm=None, verified=False) for each in offers]
    for each in changed:
        assert sum(coverage.covers(each, AT) for coverage in asked) == 1
    assert not any(coverage.covers(offer("3"), AT) for coverage in asked)


def test_a_confirmation_of_many_machines_is_asked_in_portions() -> None:
    asked = queries.confirm([offer(str(machine)) for machine in range(1, 121)])
    portions = [coverage.machines or frozenset() for coverage in asked]
    assert [len(portion) for portion in portions] == [50, 50, 20]
    assert len(frozenset().union(*portions)) == 120


def test_only_offers_of_vast_are_confirmed_here() -> None:
    assert queries.confirm([offer("1")._replace(market="runpod")]) == ()


def test_a_heartbeat_proves_no_absence() -> None:
    assert queries.heartbeat().hides()


def words(**filters: Any) -> dict[str, Any]:
    return body(replace(BOOK, **filters), CATALOGUE, 512)


def test_the_whole_book_in_words() -> None:
    assert words() == {
        "type": "on-demand",
        "rentable": {"eq": True},
        "verified": {"eq": True},
        "allocated_storage": 8,
        "order": [["dph_total", "asc"]],
        "limit": 512,
    }


def test_the_narrowest_query_in_words() -> None:
    query = words(
        cards=frozenset({"RTX 4090", "A100 SXM"}),
        tiers=frozenset({"community"}),
        counts=(1, 1),
        ceiling=400_000,
        disk_gb=100,
        reliability_above=950_000,
        min_vram_gb=24,
        min_down_mbps=500,
        min_duration_s=259_200,
        countries=frozenset({"US", "BR"}),
        machines=frozenset({"10", "9"}),
    )
    assert query["gpu_name"] == {"in": ["A100 SXM", "A100 SXM4", "RTX 4090"]}
    assert query["datacenter"] == {"eq": False}
    assert query["num_gpus"] == {"eq": 1}
    assert query["dph_total"] == {"lte": pytest.approx(0.4, abs=2e-6)}
    assert query["dph_total"]["lte"] > 0.4
    assert query["allocated_storage"] == 100
    assert query["reliability"] == {"gt": 0.95}
    assert query["gpu_ram"]["gte"] <= 23_028
    assert query["inet_down"] == {"gte": 500}
    assert query["duration"] == {"gte": 259_200}
    assert query["geolocation"] == {"in": ["BR", "US"]}
    assert query["machine_id"] == {"in": [9, 10]}


@pytest.mark.parametrize(
    ("filters", "name", "filtered"),
    [
        ({"cards": frozenset({"RTX 4090"})}, "gpu_name", {"eq": "RTX 4090"}),
        ({"cards": frozenset({"C500 SXM9"})}, "gpu_name", {"eq": "C500 SXM9"}),
        ({"tiers": frozenset({"datacenter"})}, "datacenter", {"eq": True}),
        ({"counts": (2, 4)}, "num_gpus", {"gte": 2, "lte": 4}),
        ({"counts": (9, None)}, "num_gpus", {"gte": 9}),
        ({"counts": (1, 4)}, "num_gpus", {"lte": 4}),
        ({"reliability_above": 979_999}, "reliability", {"gte": 0.98}),
        ({"excluded_machines": frozenset({"7"})}, "machine_id", {"notin": [7]}),
    ],
)
def test_a_filter_in_words(filters: dict[str, Any], name: str, filtered: dict[str, Any]) -> None:
    assert words(**filters)[name] == filtered


def test_an_interruptible_ceiling_is_a_filter_of_the_bid_floor_in_an_on_demand_search() -> None:
    query = words(ceiling=150_000, terms="interruptible")
    assert query["type"] == "on-demand"
    assert query["min_bid"]["lte"] == pytest.approx(0.15, abs=2e-6)
    assert "dph_total" not in query


def test_unverified_hosts_are_asked_for_by_leaving_the_filter_out() -> None:
    assert "verified" not in words(verified_only=False)


def test_no_more_rows_are_asked_for_than_are_left() -> None:
    assert body(BOOK, CATALOGUE, 17)["limit"] == 17
    assert body(BOOK, CATALOGUE, 5_000)["limit"] == 512


def test_a_machine_is_asked_for_by_the_number_that_its_key_holds() -> None:
    assert offer("42", 2).key == vast_key(42, 2)


def test_unwanted_countries_are_left_to_this_side_because_an_unknown_place_passes() -> None:
    assert "geolocation" not in words(not_countries=frozenset({"CN"}))

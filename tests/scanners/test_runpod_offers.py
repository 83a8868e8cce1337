"""When a type that RunPod lists is an offer, and what it costs: through both of its interfaces."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.offer import Offer, Tier
from market.snapshot import Snapshot
from scanners.errors import OddAnswer
from scanners.markets.runpod import graphql, rest
from scanners.markets.runpod.memory import Memory
from scanners.markets.runpod.offers import snapshot
from tests.scanners.pods import answer, graphql_type, rest_type

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def query(tier: Tier, count: int) -> Coverage:
    return Coverage(market="runpod", tiers=frozenset({tier}), counts=(count, count))


def by_rest(*rows: Any, tier: Tier = "secure", count: int = 1) -> Snapshot:
    listings, skipped = rest.read(answer({"gpus": rows}), tier)
    return snapshot(
        listings,
        coverage=query(tier, count),
        catalogue=CATALOGUE,
        memory=Memory(),
        taken_at=AT,
        skipped=skipped,
    )


def by_graphql(*rows: Any, tier: Tier = "secure", count: int = 1, errors: Sequence[Any] = ()) -> Snapshot:
    content: dict[str, Any] = {"data": {"gpuTypes": rows}} | ({"errors": errors} if errors else {})
    listings, skipped, complaint = graphql.read(answer(content), tier)
    return snapshot(
        listings,
        coverage=query(tier, count),
        catalogue=CATALOGUE,
        memory=Memory(),
        taken_at=AT,
        skipped=skipped,
        complaint=complaint,
    )


def test_a_type_with_stock_becomes_an_offer() -> None:
    assert by_rest(rest_type()).offers == (
        Offer(
            key="runpod:NVIDIA GeForce RTX 4090:secure:1",
            market="runpod",
            machine="NVIDIA GeForce RTX 4090",
            gpu="RTX 4090",
            spelling="RTX 4090",
            gpu_count=1,
            vram_gb=24,
            tier="secure",
            price=700_000,
            offer_id="NVIDIA GeForce RTX 4090",
            stock="low",
            country="RO",
            place="EU-RO-1",
            data_centers=("EU-RO-1",),
            cuda=12_011,
        ),
    )


def test_a_type_with_stock_becomes_an_offer_without_a_key_too() -> None:
    (offer,) = by_graphql(graphql_type()).offers
    assert (offer.key, offer.price, offer.stock) == ("runpod:NVIDIA GeForce RTX 4090:secure:1", 700_000, "low")
    assert (offer.reliability_ppm, offer.verified, offer.interruptible_price) == (None, None, None)


def test_each_cloud_has_its_own_price_and_no_data_centre_outside_secure() -> None:
    (offer,) = by_rest(rest_type(), tier="community").offers
    assert (offer.key, offer.price) == ("runpod:NVIDIA GeForce RTX 4090:community:1", 300_000)
    assert (offer.data_centers, offer.country, offer.place) == ((), None, None)


def test_a_pod_of_several_gpus_costs_the_price_of_one_as_many_times() -> None:
    (rest_offer,) = by_rest(rest_type(price={"secure": 0.69, "community": 0.3}), count=2).offers
    assert rest_offer.price == 1_380_000
    pod = {"stockStatus": "High", "uninterruptablePrice": 1.38}
    (graphql_offer,) = by_graphql(graphql_type(securePrice=0.69, lowestPrice=pod), count=2).offers
    assert graphql_offer.price == 1_380_000


def test_no_pod_is_promised_cheaper_than_either_of_its_two_prices() -> None:
    cheap = {"stockStatus": "High", "uninterruptablePrice": 0.34}
    dear = {"stockStatus": "High", "uninterruptablePrice": 1.5}
    assert by_graphql(graphql_type(securePrice=0.69, lowestPrice=cheap), count=2).offers[0].price == 1_380_000
    assert by_graphql(graphql_type(securePrice=0.69, lowestPrice=dear), count=2).offers[0].price == 1_500_000


@pytest.mark.parametrize(
    ("word", "stock"),
    [("HIGH", "high"), ("High", "high"), ("medium", "medium"), (" Low ", "low"), ("NONE", None), ("None", None),
     ("Out", None), ("unavailable", None), ("", None), (None, None)],
)  # fmt: skip
def test_a_level_is_understood_in_any_spelling(word: str | None, stock: str | None) -> None:
    for found in (
        by_rest(rest_type(availability=word)),
        by_graphql(graphql_type(lowestPrice={"stockStatus": word, "uninterruptablePrice": 0.7})),
    ):
        assert [offer.stock for offer in found.offers] == ([stock] if stock else [])
        assert found.complete


@pytest.mark.parametrize("word", ["LIMITED", "5", 3, True, ["LOW"], {"level": "LOW"}])
def test_a_level_nobody_knows_is_neither_stock_nor_its_absence(word: Any) -> None:
    other = rest_type(id="NVIDIA L4", name="L4")
    found = by_rest(rest_type(availability=word), other)
    assert [offer.gpu for offer in found.offers] == ["L4"]
    assert not found.complete
    assert any("stock level" in note for note in found.notes)


def test_a_level_that_is_missing_is_unknown_while_a_null_is_none() -> None:
    missing = rest_type(id="NVIDIA L4", name="L4")
    del missing["availability"]
    assert not by_rest(missing, rest_type()).complete
    assert by_rest(rest_type(id="NVIDIA L4", availability=None), rest_type()).complete


def test_a_catalogue_without_any_level_is_odd() -> None:
    row = rest_type()
    del row["availability"]
    with pytest.raises(OddAnswer):
        by_rest(row, row)


def test_an_unknown_level_of_what_is_not_sold_there_casts_no_doubt() -> None:
    assert by_rest(rest_type(secure=False, availability="?"), rest_type(id="NVIDIA L4")).complete


@pytest.mark.parametrize(
    "changes",
    [
        {"secure": False},
        {"secure": None},
        {"price": {"secure": 0, "community": 0.3}},
        {"price": {"secure": None, "community": 0.3}},
        {"price": {"community": 0.3}},
        {"price": {"secure": float("nan"), "community": 0.3}},
        {"price": {"secure": -1, "community": 0.3}},
        {"price": {"secure": "dear", "community": 0.3}},
        {"price": None},
        {"price": {"secure": 0.5, "community": 0.5}},
        {"secure": False, "price": {"secure": 0.5, "community": 0.3}},
        {"maxCount": {"secure": 0, "community": 4}},
        {"availability": "NONE"},
        {"availability": "NONE", "dataCenters": [{"id": "EU-RO-1", "availability": "LOW"}]},
        {"id": "unknown"},
    ],
)
def test_fillers_and_contradictions_are_no_offers(changes: dict[str, Any]) -> None:
    found = by_rest(rest_type(**changes), rest_type(id="NVIDIA L4", name="L4"))
    assert [offer.gpu for offer in found.offers] == ["L4"]
    assert found.complete


def test_half_a_dollar_is_a_price_where_the_other_cloud_has_another() -> None:
    assert by_rest(rest_type(price={"secure": 0.5, "community": 0.22})).offers[0].price == 500_000


def test_a_pod_larger_than_the_largest_machine_is_not_offered() -> None:
    assert by_rest(rest_type(), tier="community", count=4).offers
    assert not by_rest(rest_type(), tier="community", count=5).offers
    assert by_rest(rest_type(maxCount=None), tier="community", count=5).offers


@pytest.mark.parametrize(
    "changes",
    [
        {"lowestPrice": None},
        {"lowestPrice": {"stockStatus": None, "uninterruptablePrice": 0.7}},
        {"lowestPrice": {"stockStatus": "Low", "uninterruptablePrice": None}},
        {"lowestPrice": []},
        {"securePrice": None},
        {"securePrice": 0},
        {"secureCloud": False},
    ],
)
def test_without_a_key_a_null_means_that_there_is_nothing(changes: dict[str, Any]) -> None:
    found = by_graphql(graphql_type(**changes), graphql_type(id="NVIDIA L4", displayName="L4"))
    assert [offer.gpu for offer in found.offers] == ["L4"]
    assert found.complete


def test_details_that_are_null_cost_nothing() -> None:
    lowest = {"stockStatus": "High", "uninterruptablePrice": 0.7, "minVcpu": None, "minMemory": None}
    assert by_graphql(graphql_type(lowestPrice=lowest, memoryInGb=None, displayName=None)).offers
    assert by_rest(rest_type(memory=None, name=None, pool=3, dataCenters=None, cudaVersions=None)).offers


def test_stock_of_the_other_cloud_is_nothing_here() -> None:
    only_secure = {"stockStatus": None, "uninterruptablePrice": None}
    assert not by_graphql(graphql_type(lowestPrice=only_secure), tier="community").offers


@pytest.mark.parametrize("row", [None, 7, "row", [], {}, {"id": None}, {"id": ""}, {"id": ["NVIDIA L4"]}])
def test_a_row_that_cannot_be_read_leaves_its_type_in_doubt_and_the_others_alone(row: Any) -> None:
    for found in (by_rest(row, rest_type()), by_graphql(row, graphql_type())):
        assert len(found.offers) == 1
        assert (found.skipped, found.complete) == (1, False)


def test_errors_beside_data_leave_what_is_missing_unknown() -> None:
    found = by_graphql(graphql_type(), None, errors=[{"message": "Something went wrong"}])
    assert len(found.offers) == 1
    assert not found.complete
    assert any("Something went wrong" in note for note in found.notes)


def test_a_country_is_named_only_when_all_data_centres_lie_in_it() -> None:
    def country(*ids: str) -> str | None:
        return by_rest(rest_type(dataCenters=[{"id": each, "availability": "LOW"} for each in ids])).offers[0].country

    assert country("US-KS-2", "US-MO-1") == "US"
    assert country("US-KS-2", "EU-RO-1") is None
    assert country("MOON-1") is None
    assert country() is None


def test_odd_data_centres_and_versions_are_passed_over() -> None:
    sites = [None, 3, {"id": None}, {"id": "EU-RO-1", "availability": "HIGH"}, {"id": "US-KS-2"}]
    versions = [None, {"version": None, "available": True}, {"version": "new", "available": True},
                {"version": "12.8", "available": True}, {"version": "13.0"}]  # fmt: skip
    (offer,) = by_rest(rest_type(dataCenters=sites, cudaVersions=versions)).offers
    assert (offer.data_centers, offer.cuda) == (("EU-RO-1",), 12_008)


def test_a_type_that_stands_in_the_list_twice_is_one_offer() -> None:
    assert len(by_rest(rest_type(), rest_type()).offers) == 1


def test_a_slice_of_a_card_is_not_the_card() -> None:
    slice_ = rest_type(
        id="NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", name="PRO 6000 MIG 24GB", memory=24
    )
    whole = rest_type(id="NVIDIA RTX PRO 6000 Blackwell Server Edition", name="RTX PRO 6000", memory=96)
    assert {offer.gpu for offer in by_rest(slice_, whole).offers} & {"RTX PRO 6000 SE"} == {"RTX PRO 6000 SE"}
    assert len({offer.gpu for offer in by_rest(slice_, whole).offers}) == 2


def test_an_unknown_type_is_kept_under_its_own_name() -> None:
    (offer,) = by_rest(rest_type(id="NVIDIA X900 SXM9", name="X900", memory=512)).offers
    assert offer.gpu not in CATALOGUE.cards
    assert (offer.vram_gb, offer.spelling) == (512, "X900")

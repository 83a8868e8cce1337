"""How a row of Vast.ai is understood, and what a bad one costs the others: nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from market.gpu import CATALOGUE
from market.offer import Offer
from scanners.errors import OddAnswer
from tests.scanners.vast_rows import AT, ask, book, read, without


def only(*rows: Any, **filters: Any) -> Offer:
    (offer,) = read(*rows, **filters).offers
    return offer


def test_a_row_becomes_an_offer_in_our_own_terms() -> None:
    assert only(ask()) == Offer(
        key="vast:42:1",
        market="vast",
        machine="42",
        gpu="RTX 4090",
        spelling="RTX 4090",
        gpu_count=1,
        vram_gb=24,
        tier="community",
        price=400_000,
        offer_id="9001",
        disk_gb=8,
        storage_price=180_000,
        interruptible_price=200_000,
        reliability_ppm=990_000,
        verified=True,
        country="PT",
        place="Porto, PT",
        gpu_ids=(11,),
        machine_gpus=4,
        disk_space_gb=700,
        down_mbps=812,
        ram_gb=64,
        cuda=12_008,
        ends_at=int(AT.timestamp() + 864_000.5),
    )


def test_the_price_is_for_the_whole_offer() -> None:
    assert only(ask(num_gpus=4, dph_total=1.4)).price == 1_400_000


def test_a_hosting_company_is_the_datacenter_tier() -> None:
    assert [only(ask(hosting_type=kind)).tier for kind in (0, 1, None)] == ["community", "datacenter", "community"]


def test_the_hosts_address_is_not_kept() -> None:
    assert "192.0.2.44" not in repr(read(ask()))


@pytest.mark.parametrize(
    ("where", "country", "place"),
    [
        ("Utah, US", "US", "Utah, US"),
        (", US", "US", "US"),
        ("BR", "BR", "BR"),
        ("São Paulo, Centro, br", "BR", "São Paulo, Centro, br"),
        ("Nowhere", None, "Nowhere"),
        ("A, 12", None, "A, 12"),
        ("", None, None),
        (None, None, None),
        ("Evil\x00\u202e\nplace, PT", "PT", "Evil place, PT"),
    ],
)
def test_the_country_is_what_follows_the_last_comma(where: str | None, country: str | None, place: str | None) -> None:
    offer = only(ask(geolocation=where))
    assert (offer.country, offer.place) == (country, place)


def test_a_long_place_is_cut() -> None:
    assert len(only(ask(geolocation="x" * 5000)).place or "") == 80


@pytest.mark.parametrize(
    ("share", "ppm"), [(0.97, 970_000), (0.9501, 950_100), (0.95, 950_000), (1, 1_000_000), (0, 0)]
)
def test_reliability_is_parts_per_million(share: float, ppm: int) -> None:
    assert only(ask(reliability=share, reliability2=share)).reliability_ppm == ppm


def test_of_two_reliabilities_the_worse_counts_and_a_withheld_one_is_unknown() -> None:
    assert only(ask(reliability=0.99, reliability2=0.9)).reliability_ppm == 900_000
    assert only(ask(reliability=0.9, reliability2=0.99)).reliability_ppm == 900_000
    assert only(ask(reliability=0.99, reliability2=None)).reliability_ppm is None
    assert only(without("reliability")).reliability_ppm == 990_000
    assert only(without("reliability2")).reliability_ppm == 990_000
    assert only(without("reliability", "reliability2")).reliability_ppm is None


@pytest.mark.parametrize("share", [97.0, 1.01, -0.1])
def test_a_reliability_out_of_range_refuses_the_row_with_one_warning(share: float) -> None:
    snapshot = read(ask(reliability2=share), *(ask(machine_id=m) for m in range(20)))
    assert (len(snapshot.offers), snapshot.skipped) == (20, 1)
    (note,) = snapshot.notes
    assert "reliability2" in note


def test_numbers_may_arrive_as_text_and_whole_ones_as_fractions() -> None:
    offer = only(ask(num_gpus="2", dph_total="0.70", gpu_ram=24564.0, new_block={"a": [1, 2]}))
    assert (offer.gpu_count, offer.price, offer.vram_gb) == (2, 700_000, 24)


@pytest.mark.parametrize(
    "wrong",
    [
        {"gpu_name": ["RTX 4090"]},
        {"gpu_name": None},
        {"gpu_name": ""},
        {"gpu_name": "x" * 10_000},
        {"num_gpus": 0},
        {"num_gpus": -1},
        {"num_gpus": 1.5},
        {"num_gpus": None},
        {"dph_total": 0},
        {"dph_total": -0.4},
        {"dph_total": float("nan")},
        {"dph_total": float("inf")},
        {"dph_total": "dear"},
        {"dph_total": {}},
        {"machine_id": None},
        {"machine_id": "here"},
        {"machine_id": 2**70},
        {"id": 10**400},
        {"id": 10**4200},
    ],
)
def test_a_row_without_identity_or_price_is_skipped_and_the_others_are_kept(wrong: dict[str, Any]) -> None:
    others = [ask(machine_id=machine) for machine in range(100, 120)]
    snapshot = read(*others[:10], ask(**wrong), *others[10:])
    assert {offer.machine for offer in snapshot.offers} == {str(machine) for machine in range(100, 120)}
    assert (snapshot.skipped, snapshot.rows) == (1, 21)


@pytest.mark.parametrize("row", [None, 7, "row", [], ["a"], {}])
def test_what_is_no_row_is_skipped(row: Any) -> None:
    snapshot = read(row, ask())
    assert (snapshot.skipped, len(snapshot.offers)) == (1, 1)


@pytest.mark.parametrize("lost", sorted(set(ask()) - {"id", "machine_id", "gpu_name", "num_gpus", "dph_total"}))
@pytest.mark.parametrize("how", ["missing", "null", "of another kind", "not a number"])
def test_any_other_field_may_be_lost_without_losing_the_offer(lost: str, how: str) -> None:
    values = {"null": None, "of another kind": {"odd": [1]}, "not a number": float("nan")}
    row = without(lost) if how == "missing" else ask(**{lost: values[how]})
    snapshot = read(row, ask(machine_id=43), verified_only=False)
    if lost.startswith("reliability") and how in ("of another kind", "not a number"):
        assert [offer.machine for offer in snapshot.offers] == ["43"]
    else:
        assert [offer.machine for offer in snapshot.offers] == ["42", "43"]


def test_a_row_with_unknowns_is_kept_and_counted() -> None:
    poor = ask(machine_id=2, geolocation=None, reliability2=None, cpu_cores=None, dlperf=None)
    snapshot = read(ask(machine_id=1), poor, ask(machine_id=3))
    assert [offer.machine for offer in snapshot.offers] == ["1", "2", "3"]
    assert (snapshot.unknown_fields, snapshot.skipped) == (1, 0)


def test_unknown_fields_are_counted_alike_when_a_bad_row_stands_beside_them() -> None:
    rows = [ask(machine_id=m, geolocation=None) for m in range(5)]
    assert read(*rows).unknown_fields == read(*rows, None).unknown_fields == 5


def test_unknown_fields_are_counted_though_the_filters_of_the_query_drop_such_rows() -> None:
    rows = [ask(machine_id=1), ask(machine_id=2, reliability2=None), without("geolocation", machine_id=3)]
    snapshot = read(*rows, reliability_above=950_000, countries=frozenset({"PT"}))
    assert [offer.machine for offer in snapshot.offers] == ["1"]
    assert snapshot.unknown_fields == 2
    assert read(without("inet_down", verification="unverified")).unknown_fields == 1


@pytest.mark.parametrize(
    ("told", "version"),
    [(12.8, 12_008), (12.11, 12_011), (12.45, 12_045), (13, 13_000), ("12.4", 12_004), (9.2, 9_002),
     (12.800000190734863, 12_008), (12.999999, 13_000), (0, None), (1e-7, None), (None, None)],
)  # fmt: skip
def test_a_cuda_version_is_two_whole_numbers(told: float | str | None, version: int | None) -> None:
    assert only(ask(cuda_max_good=told)).cuda == version


def test_cuda_versions_compare_number_by_number() -> None:
    versions = [only(ask(cuda_max_good=told)).cuda or 0 for told in (11.8, 12.2, 12.9, 12.11, 12.45, 13.0)]
    assert versions == sorted(set(versions))


def test_an_unknown_card_keeps_its_own_name() -> None:
    offer = only(ask(gpu_name="C500 SXM9", dph_total=4.1))
    assert (offer.gpu, offer.spelling) == ("C500 SXM9", "C500 SXM9")


def test_memory_that_is_not_told_is_taken_from_a_card_with_one_size() -> None:
    assert only(without("gpu_ram", gpu_name="H100 SXM")).vram_gb == 80
    assert len(CATALOGUE.cards["A100 SXM"].memory_gb) > 1
    assert only(without("gpu_ram", gpu_name="A100 SXM4")).vram_gb == 0


def test_what_cannot_be_rented_now_is_no_offer_and_rented_says_nothing() -> None:
    snapshot = read(ask(rentable=False), ask(machine_id=2, rented=True), without("rentable", machine_id=3))
    assert [offer.machine for offer in snapshot.offers] == ["2", "3"]


def test_a_price_that_rounds_to_nothing_is_no_offer() -> None:
    assert read(ask(dph_total=1e-9)).offers == ()


def test_without_a_bid_floor_there_is_no_interruptible_price() -> None:
    assert [only(ask(min_bid=bid)).interruptible_price for bid in (0, None, 1e-12)] == [None, None, None]


def test_the_end_is_the_hosts_date_or_else_what_is_left_from_now() -> None:
    assert only(without("end_date", duration=3600)).ends_at == int(AT.timestamp()) + 3600
    assert only(without("end_date", "duration")).ends_at is None


def test_asks_of_one_machine_and_size_are_one_offer_at_the_lower_price() -> None:
    snapshot = read(
        ask(id=1, dph_total=0.5, gpu_ids=[1]),
        ask(id=2, dph_total=0.4, gpu_ids=[2]),
        ask(id=2, dph_total=0.4, gpu_ids=[2]),
    )
    (offer,) = snapshot.offers
    assert (offer.offer_id, offer.price, offer.gpu_ids) == ("2", 400_000, (1, 2))


def test_sizes_of_one_machine_are_offers_of_their_own() -> None:
    snapshot = read(*(ask(id=count, num_gpus=count) for count in (1, 2, 4, 8)))
    assert [offer.key for offer in snapshot.offers] == [f"vast:42:{count}" for count in (1, 2, 4, 8)]


def test_repeated_keys_and_broken_text_in_a_body_are_lived_with() -> None:
    twice = book(ask()).replace(b'"num_gpus": 1', b'"num_gpus": 9, "num_gpus": 1')
    assert read(body=twice).offers[0].gpu_count == 1
    broken = book(ask(geolocation="Por?to, PT"), ask(machine_id=43)).replace(b"Por?to", b"Por\xffto")
    assert [offer.country for offer in read(body=broken).offers] == ["PT", "PT"]
    half = book(ask(), ask(machine_id=43)).replace(b"Porto", rb"\ud800")
    assert [offer.country for offer in read(body=half).offers] == ["PT", "PT"]
    json.dumps([offer.place for offer in read(body=half).offers], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"{}", b'""', b"<html></html>", b'{"offers": null}', b'{"offers": {}}', b'{"offers": [{}',
     b'{"success": true}', b"[" * 100_000, b'{"offers": "none"}', b"\xff\xfe", b'{"offers": [1]}',
     b'{"offers": [{}, {}]}'],
)  # fmt: skip
def test_what_is_no_list_of_offers_is_odd_and_never_an_empty_market(body: bytes) -> None:
    with pytest.raises(OddAnswer):
        read(body=body)


def test_an_empty_list_is_an_empty_market() -> None:
    snapshot = read()
    assert (snapshot.offers, snapshot.complete, snapshot.rows, snapshot.notes) == ((), True, 0, ())

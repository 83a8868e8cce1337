"""What a Vast.ai answer as a whole proves: whether it is complete, fits the query, and what disk is in its prices."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scanners.vast_rows import AT, ask, read, without


@pytest.mark.parametrize(
    ("rows", "row_limit", "keyless", "complete"),
    [
        (3, 512, False, True),
        (3, 3, False, False),
        (3, 4, False, True),
        (64, 512, False, True),
        (63, 512, True, True),
        (64, 512, True, False),
        (65, 512, True, True),
        (512, 512, False, False),
        (512, 9_999, False, False),
        (511, 9_999, False, True),
        (600, 9_999, False, False),
    ],
)
def test_a_list_as_long_as_it_can_be_may_be_cut(rows: int, row_limit: int, keyless: bool, complete: bool) -> None:
    snapshot = read(*(ask(machine_id=m) for m in range(rows)), row_limit=row_limit, keyless=keyless)
    assert snapshot.complete is complete
    assert any("may be cut" in note for note in snapshot.notes) is not complete
    assert snapshot.rows == rows


def test_unreadable_and_unwanted_rows_count_towards_a_cut_list() -> None:
    assert not read(ask(), ask(machine_id=2, rentable=False), None, row_limit=3).complete


def test_an_answer_of_which_much_cannot_be_read_proves_no_absence() -> None:
    good = [ask(machine_id=m) for m in range(20)]
    assert read(*good, None).complete
    assert not read(*good, None, None, None).complete


@pytest.mark.parametrize(
    ("filters", "fits", "does_not"),
    [
        ({"cards": frozenset({"RTX 4090"})}, {}, {"gpu_name": "A100 SXM4", "gpu_ram": 81920}),
        ({"tiers": frozenset({"datacenter"})}, {"hosting_type": 1}, {"hosting_type": 0}),
        ({"counts": (2, 4)}, {"num_gpus": 4}, {"num_gpus": 8}),
        ({"ceiling": 400_000}, {"dph_total": 0.4}, {"dph_total": 0.400001}),
        ({"ceiling": 202_000, "terms": "interruptible"}, {"min_bid": 0.2}, {"min_bid": 0.200001}),
        ({"reliability_above": 950_000}, {"reliability2": 0.9501}, {"reliability2": 0.95}),
        ({"reliability_above": 950_000}, {}, {"reliability2": None}),
        ({"verified_only": True}, {}, {"verification": "unverified"}),
        ({"verified_only": True}, {}, {"verification": "deverified"}),
        ({"verified_only": True}, {}, {"verification": None}),
        ({"min_vram_gb": 24}, {"gpu_ram": 23_028}, {"gpu_ram": 16_311, "gpu_name": "RTX 4080"}),
        ({"min_down_mbps": 800}, {"inet_down": 800}, {"inet_down": 799.9}),
        ({"min_duration_s": 86_400}, {}, {"end_date": AT.timestamp() + 86_399}),
        ({"countries": frozenset({"PT"})}, {}, {"geolocation": "Utah, US"}),
        ({"countries": frozenset({"PT"})}, {}, {"geolocation": None}),
        ({"not_countries": frozenset({"US"})}, {"geolocation": None}, {"geolocation": ", US"}),
        ({"machines": frozenset({"42"})}, {}, {"machine_id": 43}),
        ({"machine_range": (1, 43)}, {}, {"machine_id": 43}),
        ({"machine_range": (42, None)}, {}, {"machine_id": 41}),
        ({"disk_gb": 100}, {"disk_space": 100}, {"disk_space": 99.9}),
    ],
)
def test_every_filter_is_applied_again_because_the_server_may_have_dropped_it(
    filters: dict[str, Any], fits: dict[str, Any], does_not: dict[str, Any]
) -> None:
    snapshot = read(ask(id=1, **fits), ask(**{"id": 2, "machine_id": 42} | does_not), **filters)
    assert [offer.offer_id for offer in snapshot.offers] == ["1"]
    assert any("1 rows were not what was asked for" in note for note in snapshot.notes)
    assert snapshot.complete


def test_a_server_that_does_not_keep_machines_out_has_answered_the_wider_question() -> None:
    snapshot = read(ask(id=1, machine_id=42), ask(id=2, machine_id=43), excluded_machines=frozenset({"43"}))
    assert [offer.machine for offer in snapshot.offers] == ["42", "43"]
    assert snapshot.exclusion_ignored
    assert not snapshot.coverage.excluded_machines
    kept = read(ask(id=1, machine_id=42), excluded_machines=frozenset({"43"}))
    assert not kept.exclusion_ignored
    assert kept.coverage.hides()


def test_a_price_asked_with_another_disk_is_brought_back_to_the_usual_one() -> None:
    # 0.30 and 100 GB at 0.15 a month: 0.320833; with 8 GB 0.301667
    row = ask(dph_base=0.30, dph_total=0.30 + 100 * 0.15 / 720, storage_cost=0.15)
    (offer,) = read(row, disk_gb=100).offers
    assert offer.disk_gb == 8
    assert abs(offer.price - 301_667) <= 1
    assert offer.hourly("on_demand", 100) == 320_833


def test_a_wish_for_disk_that_the_server_ignored_is_noticed_in_the_row_itself() -> None:
    row = ask(dph_base=0.30, dph_total=0.301667, storage_cost=0.15)
    (offer,) = read(row, disk_gb=100).offers
    assert offer.price == 301_667
    assert offer.hourly("on_demand", 100) == 320_834
    assert read(row, disk_gb=100, ceiling=310_000).offers == ()
    assert len(read(row, disk_gb=100, ceiling=330_000).offers) == 1


@pytest.mark.parametrize("total", [0.33, 0.123457, 1.0, 7.654321])
@pytest.mark.parametrize("disk_gb", [5, 8, 9, 64, 100])
def test_a_price_that_equals_the_ceiling_passes_with_any_disk(total: float, disk_gb: int) -> None:
    row = without("dph_base", dph_total=total, storage_cost=0.13)
    assert read(row, disk_gb=disk_gb, ceiling=round(total * 1_000_000)).offers
    assert not read(row, disk_gb=disk_gb, ceiling=round(total * 1_000_000) - 1).offers


def test_without_a_price_of_storage_the_price_stays_with_the_disk_it_was_asked_for() -> None:
    (offer,) = read(without("storage_cost"), disk_gb=100).offers
    assert (offer.price, offer.disk_gb, offer.storage_price) == (400_000, 100, None)

"""Slices, rentals and the figures of simulated Vast.ai machines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scanners.simulator.market import SimulatedMarket
from scanners.simulator.vast_row import SLICE_FIELDS, machine_row

START = datetime(2026, 11, 2, tzinfo=UTC)


@pytest.fixture
def market() -> SimulatedMarket:
    return SimulatedMarket.empty(START)


def slices(market: SimulatedMarket) -> dict[int, dict[str, Any]]:
    return {row["num_gpus"]: row for row in market.vast_rows()}


def test_a_machine_of_eight_is_offered_in_overlapping_powers_of_two(market: SimulatedMarket) -> None:
    market.vast.add_machine(gpus=8)
    found = slices(market)
    assert sorted(found) == [1, 2, 4, 8]
    assert set(found[1]["gpu_ids"]) < set(found[2]["gpu_ids"]) < set(found[4]["gpu_ids"]) < set(found[8]["gpu_ids"])
    assert [found[count]["gpu_frac"] for count in (1, 2, 4, 8)] == [0.125, 0.25, 0.5, 1.0]
    assert len({row["id"] for row in found.values()}) == 4


def test_a_machine_of_six_is_offered_whole_too(market: SimulatedMarket) -> None:
    market.vast.add_machine(gpus=6)
    assert sorted(slices(market)) == [1, 2, 4, 6]


def test_a_machine_may_be_offered_in_big_pieces_only(market: SimulatedMarket) -> None:
    market.vast.add_machine(gpus=8, min_chunk=4)
    assert sorted(slices(market)) == [4, 8]


def test_renting_a_slice_takes_away_every_slice_that_needs_its_gpus(market: SimulatedMarket) -> None:
    machine = market.vast.add_machine(gpus=4)
    whole = slices(market)[4]["gpu_ids"]
    market.vast.rent(machine, 2)
    found = slices(market)
    assert sorted(found) == [1, 2]
    assert found[2]["gpu_ids"] == whole[2:]
    assert {row["num_gpus"] for row in market.vast_rows(rentable=False)} == {4}


def test_what_is_taken_cannot_be_rented_again(market: SimulatedMarket) -> None:
    machine = market.vast.add_machine()
    market.vast.rent(machine)
    with pytest.raises(ValueError, match="free"):
        market.vast.rent(machine)


def test_the_ask_id_changes_with_rent_and_return_and_the_machine_id_does_not(market: SimulatedMarket) -> None:
    machine = market.vast.add_machine(gpus=2)
    before = slices(market)
    block = market.vast.rent(machine, 1)
    sibling = slices(market)[1]
    market.vast.release(machine, block)
    after = slices(market)
    assert len({before[1]["id"], sibling["id"], after[1]["id"]}) == 3
    assert before[2]["id"] != after[2]["id"]
    assert {before[1]["machine_id"], sibling["machine_id"], after[1]["machine_id"]} == {machine}


def test_a_new_price_keeps_the_ask_id(market: SimulatedMarket) -> None:
    machine = market.vast.add_machine(price=0.4)
    before = slices(market)[1]
    market.vast.set_price(machine, 0.3)
    after = slices(market)[1]
    assert after["id"] == before["id"]
    assert after["dph_base"] == pytest.approx(0.3)


def test_an_unbundled_machine_lists_every_free_block(market: SimulatedMarket) -> None:
    market.vast.add_machine(gpus=4, unbundled=True)
    counts = sorted(row["num_gpus"] for row in market.vast_rows())
    assert counts == [1, 1, 1, 1, 2, 2, 4]


def test_the_price_is_for_the_slice_with_its_disk(market: SimulatedMarket) -> None:
    market.vast.add_machine(gpus=4, price=0.3, storage_cost=0.15, bid_share=0.5)
    row = slices(market)[4]
    assert row["dph_base"] == pytest.approx(1.2)
    assert row["storage_total_cost"] == pytest.approx(8 * 0.15 / 720)
    assert row["dph_total"] == row["dph_base"] + row["storage_total_cost"]
    assert row["dph_total_adj"] == row["dph_total"] + 2 * row["inet_down_cost"]
    assert row["min_bid"] == pytest.approx(0.6)
    with_disk = {row["num_gpus"]: row for row in market.vast_rows(disk_gb=100)}[4]
    assert with_disk["dph_total"] == pytest.approx(1.2 + 100 * 0.15 / 720)


def test_memory_and_disk_of_a_slice_are_its_share(market: SimulatedMarket) -> None:
    market.vast.add_machine(gpus=4, cpu_ram=400_000, disk_space=1_000.0, gpu_ram=24_564)
    row = slices(market)[1]
    assert (row["cpu_ram"], row["disk_space"], row["gpu_ram"], row["gpu_total_ram"]) == (100_000, 250.0, 24_564, 24_564)


def test_the_time_left_follows_the_clock(market: SimulatedMarket) -> None:
    market.vast.add_machine(days=2)
    row = slices(market)[1]
    assert row["end_date"] - row["duration"] == pytest.approx(START.timestamp())


def test_odd_values_can_be_put_into_rows(market: SimulatedMarket) -> None:
    market.vast.add_machine(raw={"gpu_name": ["RTX 4090"], "dph_total": "0.35", "new_block": {"a": 1}})
    row = market.vast_rows()[0]
    assert (row["gpu_name"], row["dph_total"], row["new_block"]) == (["RTX 4090"], "0.35", {"a": 1})


def test_machines_come_go_and_are_told_apart(market: SimulatedMarket) -> None:
    first, second = market.vast.add_machine(), market.vast.add_machine(machine_id=555)
    with pytest.raises(ValueError, match="exists"):
        market.vast.add_machine(machine_id=555)
    market.vast.remove_machine(first)
    market.vast.set_listed(second, False)
    assert market.vast_rows(verified=None, rentable=None) == []
    market.vast.set_listed(second, True)
    assert [row["machine_id"] for row in market.vast_rows()] == [555]


def test_a_machine_changes_as_it_is_told(market: SimulatedMarket) -> None:
    machine = market.vast.add_machine()
    market.vast_rows()
    market.vast.set_reliability(machine, 0.71)
    market.vast.set_verification(machine, "deverified")
    market.vast.set_end(machine, START.timestamp() + 60)
    row = market.vast_rows(verified=False)[0]
    assert (row["reliability"], row["reliability2"], row["vericode"], row["duration"]) == (0.71, 0.71, 0, 60)


def test_every_field_belongs_to_the_machine_or_to_the_slice_and_none_to_both(market: SimulatedMarket) -> None:
    number = market.vast.add_machine()
    row, common = market.vast_rows()[0], machine_row(market.vast.machines[number])
    assert set(row) - set(common) == SLICE_FIELDS
    assert not SLICE_FIELDS & set(common)
    assert len(row) >= 95


def test_a_machine_whose_time_is_over_is_listed_no_more(market: SimulatedMarket) -> None:
    market.vast.add_machine(days=1)
    market.advance(START + timedelta(hours=23))
    assert len(market.vast_rows(rentable=None)) == 1
    market.advance(START + timedelta(hours=24))
    assert market.vast_rows(rentable=None) == []

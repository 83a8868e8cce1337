"""Answers with holes, drifted types and things nobody announced: one bad row costs at most itself."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from tests.end_to_end.faults import Edited
from tests.end_to_end.house import SEARCH, BuildHouse, House

RTX_4090 = "NVIDIA GeForce RTX 4090"
RTX_5090 = "NVIDIA GeForce RTX 5090"


@pytest.mark.parametrize("cores", [None, 0])
async def test_a_row_full_of_unknowns_is_kept_but_never_passes_a_filter(
    house: House, caplog: pytest.LogCaptureFixture, cores: int | None
) -> None:
    odd = {"cpu_cores": cores, "geolocation": None, "reliability": None, "reliability2": None, "dlperf": None}
    house.market.vast.add_machine(machine_id=1, price=0.31)
    house.market.vast.add_machine(machine_id=2, price=0.32, raw=odd)
    house.market.vast.add_machine(machine_id=3, price=0.33)
    await house.watch("RTX 4090 <=0.40")
    caplog.set_level(logging.INFO)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    assert [each["key"] for each in await house.offers("RTX 4090 <=0.40")] == ["vast:1:1", "vast:3:1"]
    assert "2 more" not in house.terminal.getvalue()
    stored = {offer["key"]: offer for offer in await house.offers()}
    assert stored["vast:2:1"]["reliability"] is None
    assert stored["vast:2:1"]["country"] is None
    assert stored["vast:2:1"]["place"] is None
    assert any("(1 with unknown fields, 0 skipped)" in record.getMessage() for record in caplog.records)


def no_lowest(row: dict[str, Any]) -> None:
    row["lowestPrice"] = None


def no_stock(row: dict[str, Any]) -> None:
    row["lowestPrice"]["stockStatus"] = None


def no_price(row: dict[str, Any]) -> None:
    row["securePrice"] = row["lowestPrice"]["uninterruptablePrice"] = None


def free(row: dict[str, Any]) -> None:
    row["securePrice"] = row["lowestPrice"]["uninterruptablePrice"] = 0


def no_processor(row: dict[str, Any]) -> None:
    row["lowestPrice"]["minVcpu"] = row["lowestPrice"]["minMemory"] = None


@pytest.mark.parametrize(
    ("spoil", "available"),
    [(no_lowest, False), (no_stock, False), (no_price, False), (free, False), (no_processor, True)],
)
async def test_what_runpod_leaves_out_is_never_an_offer_for_nothing(
    build_house: BuildHouse, spoil: Callable[[dict[str, Any]], None], available: bool
) -> None:
    house = await build_house(keys=False)
    for kind in (RTX_4090, RTX_5090):
        house.market.runpod.set_stock(kind, "secure", "HIGH", 1)

    def edit(document: dict[str, Any]) -> None:
        for row in document["data"]["gpuTypes"]:
            if row["id"] == RTX_4090:
                spoil(row)

    house.server.faults.add(Edited(edit), times=100, path="/graphql")
    await house.watch("RTX 4090, RTX 5090 runpod <=1")
    async with house.running() as life:
        await life.passes(minutes=2)
    cards = {offer["gpu"] for offer in await house.offers()}
    assert cards == ({"RTX 4090", "RTX 5090"} if available else {"RTX 5090"})
    assert "US$ 0.0000" not in house.terminal.getvalue()
    assert len(house.alerts()) == 1


async def test_numbers_sent_as_text_are_read_and_a_name_that_is_a_list_costs_its_row(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(1, 13):
        house.market.vast.add_machine(machine_id=number, gpus=2, min_chunk=2)

    def edit(document: dict[str, Any]) -> None:
        for row in document["offers"]:
            if row["machine_id"] == 1:
                row.update(num_gpus="2", dph_total="0.70", gpu_ram=24564.0, new_block={"a": [1, 2]})
            if row["machine_id"] == 2:
                row["gpu_name"] = ["RTX 4090"]

    house.server.faults.add(Edited(edit), times=100, path=SEARCH)
    await house.watch("RTX 4090 x2 <=0.40 vast")
    caplog.set_level(logging.WARNING)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    offers = {offer["key"]: offer for offer in await house.offers()}
    assert offers.keys() == {f"vast:{number}:2" for number in range(1, 13) if number != 2}
    drifted = offers["vast:1:2"]
    assert (drifted["gpu_count"], drifted["usd_per_hour"], drifted["usd_per_gpu_hour"]) == (2, 0.7, 0.35)
    assert drifted["vram_gb"] == 24
    assert len(house.alerts()) == 1
    assert sum("could not be read" in record.getMessage() for record in caplog.records) == 1


async def test_garbage_never_reaches_the_database(house: House) -> None:
    for number in range(1, 13):
        house.market.vast.add_machine(machine_id=number)

    def edit(document: dict[str, Any]) -> None:
        for row in document["offers"]:
            if row["machine_id"] == 1:
                row.update(dph_total="abc", reliability=97, reliability2=97, end_date="not a date")
            if row["machine_id"] == 2:
                row["end_date"] = "not a date"

    house.server.faults.add(Edited(edit), times=100, path=SEARCH)
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=2)
    assert {offer["key"] for offer in await house.offers()} == {f"vast:{number}:1" for number in range(2, 13)}


async def test_an_answer_of_garbage_alone_is_a_failed_scan_and_closes_nothing(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40")

    def spoil(document: dict[str, Any]) -> None:
        for row in document["offers"]:
            row["machine_id"] = None

    async with house.running("vast") as life:
        await life.passes(minutes=5)
        house.server.faults.add(Edited(spoil), times=5, path=SEARCH)
        await life.passes(minutes=5)
        assert len(await house.offers()) == 1
    assert len(house.alerts()) == 1

"""What is on offer and what is not: slices, sizes, new ids, cut lists, silent failures."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.product import assembled
from bot.settings import load
from scanners.simulator.faults import Drop, Refuse
from scanners.simulator.vast import VastPolicy
from tests.end_to_end.house import SEARCH, BuildHouse, House

RTX_4090 = "NVIDIA GeForce RTX 4090"


async def test_one_machine_in_four_sizes_is_one_message_and_eight_gpus(house: House) -> None:
    house.market.vast.add_machine(gpus=8, price=0.35, machine_id=555)
    await house.watch("RTX 4090 x1+ <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=10)
    assert len(house.alerts()) == 1
    assert {offer["key"] for offer in await house.offers()} == {f"vast:555:{size}" for size in (1, 2, 4, 8)}
    series = (await house.history("RTX 4090"))["series"]
    counted = [point["gpus"] for point in series if point["tier"] == "community" and point["gpus"] is not None]
    assert max(counted) == counted[-1] == 8


async def test_sizes_and_places_of_one_pod_type_are_one_thing_on_offer(house: House) -> None:
    house.market.runpod.set_stock(RTX_4090, "secure", "HIGH")
    await house.watch("RTX 4090 x1-4 runpod")
    async with house.running("runpod") as life:
        await life.passes(minutes=10)
    (alert,) = house.alerts()
    assert alert.count("\n  - ") == 1
    assert "more offer" not in alert
    (logged,) = await house.log()
    assert logged["market"] == "runpod"
    series = (await house.history("RTX 4090"))["series"]
    assert {point["gpus"] for point in series if point["market"] == "runpod"} == {None}
    assert {point["stock"] for point in series if point["offers"]} == {"high"}
    assert {point["offers"] for point in series if point["tier"] == "secure"} == {1}


async def test_a_new_ask_id_at_every_scan_is_the_same_offer(house: House) -> None:
    machine = house.market.vast.add_machine(machine_id=555)
    await house.watch("RTX 4090 <=0.40")
    ids = set()
    async with house.running("vast") as life:
        for _ in range(4):
            await life.passes(minutes=5)
            ids |= {offer["offer_id"] for offer in await house.offers()}
            house.market.vast.rent(machine)
            house.market.vast.release(machine)
    assert len(ids) == 4
    assert len(house.alerts()) == 1
    history = await house.history("RTX 4090")
    assert history["available_share"] == 1.0


async def test_the_cheapest_of_three_hundred_is_found(house: House) -> None:
    for number in range(300):
        house.market.vast.add_machine(price=0.29 if number == 199 else 0.35 + number / 10_000)
    await house.watch("RTX 4090 <=0.40")
    async with house.running("vast") as life:
        await life.passes(minutes=2)
    (alert,) = house.alerts()
    assert "RTX 4090, US$ 0.2917 per GPU-hour" in alert.splitlines()[0]
    assert (await house.offers())[0]["usd_per_gpu_hour"] == pytest.approx(0.2917, abs=0.0001)
    limits = [entry.body["limit"] for entry in house.asked("vast")]
    assert max(limits) >= 300
    assert all(entry.body["order"] == [["dph_total", "asc"]] for entry in house.asked("vast"))


async def test_a_list_as_long_as_it_can_be_is_said_to_be_cut(
    build_house: BuildHouse, caplog: pytest.LogCaptureFixture
) -> None:
    house = await build_house(keys=False, vast_policy=VastPolicy(requests_per_minute=None))
    for number in range(100):
        house.market.vast.add_machine(price=0.30 + number / 1000)
    await house.watch("RTX 4090 <=0.45 vast")
    caplog.set_level(logging.WARNING)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
        stored = len(await house.offers())
        await life.passes(minutes=30)
    assert sum("may be cut" in record.getMessage() for record in caplog.records) == 1
    assert len(await house.offers()) >= stored  # what a cut list lacks has not gone
    assert len(house.alerts()) == 1
    assert (await house.ask("now", "--json")).json["markets"]["vast"]["complete"] is False


async def test_a_full_picture_that_does_not_fit_into_one_answer_is_taken_in_parts(build_house: BuildHouse) -> None:
    house = await build_house(keys=False, vast_policy=VastPolicy(requests_per_minute=None))
    for number in range(150):
        house.market.vast.add_machine(price=0.30 + number / 1000)
    await house.watch("RTX 4090 <=0.20 vast")
    scanned = await house.scan("--market", "vast", "--json")
    assert len(scanned.json["offers"]) == 150
    ranges = [(entry.body or {}).get("machine_id") for entry in house.asked("vast")]
    assert ranges[0] is None
    assert len(ranges) > 150 // 64


async def test_filters_that_a_server_mishandles_are_applied_here(house: House) -> None:
    house.market.vast.add_machine("H100 SXM", gpu_ram=81559, price=2.0, cuda=12.8, cpu_ram=128_000, machine_id=1)
    house.market.vast.add_machine("H100 SXM", gpu_ram=81559, price=1.9, cuda=12.2, cpu_ram=128_000, machine_id=2)
    house.market.vast.add_machine("H100 SXM", gpu_ram=81559, price=1.8, cuda=12.8, cpu_ram=32_000, machine_id=3)
    await house.watch("H100 <=2.5 cuda>=12.4 ram>=64 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    assert len(house.alerts()) == 1
    assert [each["key"] for each in await house.offers("H100 <=2.5 cuda>=12.4 ram>=64")] == ["vast:1:1"]
    assert {alert["key"] for alert in await house.log()} == {"vast:1:1"}
    for entry in house.asked("vast"):
        assert entry.body["type"] == "on-demand"
        assert entry.body["rentable"] == {"eq": True}
        assert not {"cuda_max_good", "cpu_ram", "rented"} & set(entry.body)
        assert all(not isinstance(value, str) for value in numeric_filters(entry.body))


def numeric_filters(body: dict[str, Any]) -> list[Any]:
    """What the query compares numbers with."""
    return [
        value
        for name, tests in body.items()
        if isinstance(tests, dict) and name not in ("gpu_name", "geolocation")
        for value in tests.values()
    ]


async def test_failed_scans_are_neither_gone_nor_back_and_show_as_a_gap(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=30)
        house.server.faults.add(Drop(), times=15, path=SEARCH)
        house.server.faults.add(Refuse(500, "oops"), times=1000, path=SEARCH)
        await life.passes(minutes=100)
        assert len(await house.offers()) == 1
        house.server.faults.clear()
        await life.passes(minutes=15)
    assert len(house.alerts()) == 1
    history = await house.history("RTX 4090")
    assert history["available_share"] == 1.0
    dark = [(start, end) for start, end in history["gaps"] if start > "2027-01-10T12"]
    assert len(dark) == 1


async def test_two_failed_samples_between_good_ones_are_no_data(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=10)
        before = (await house.history("RTX 4090"))["gaps"]
        house.server.faults.add(Drop(), path=SEARCH)
        house.server.faults.add(Refuse(500, "oops"), path=SEARCH)
        await life.passes(minutes=10)
    history = await house.history("RTX 4090")
    assert len(history["gaps"]) == len(before) + 1
    assert history["available_share"] == 1.0


async def test_time_in_which_nothing_ran_is_no_data_soon_after_the_last_answer(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=10)
    house.clock.move(minutes=50)
    start, end = (await house.history("RTX 4090"))["gaps"][-1]
    assert datetime.fromisoformat(end) == house.clock.now()
    assert timedelta(minutes=39) < datetime.fromisoformat(end) - datetime.fromisoformat(start) < timedelta(minutes=42)


async def test_the_pace_of_one_market_is_not_that_of_another(house: House) -> None:
    text = house.config.read_text(encoding="utf-8")
    slow = text.replace("[marketplaces.vast]", "[marketplaces.vast]\ncensus_minutes = 120")
    house.config.write_text(slow, encoding="utf-8")
    async with assembled(load(house.config, environ={}, cwd=house.folder), house.clock) as product:
        assert {name: product.census_s(name) for name in product.markets} == {"vast": 7200, "runpod": 1800}


async def test_low_stock_is_told_as_reported_and_promises_nothing(house: House) -> None:
    house.market.runpod.set_stock(RTX_4090, "secure", "LOW", 1)
    await house.watch("RTX 4090 runpod <=1")
    async with house.running("runpod") as life:
        await life.passes(minutes=5)
    (alert,) = house.alerts()
    assert "stock reported low" in alert
    assert "seen " in alert.splitlines()[0]
    assert not any(word in alert.lower() for word in ("guarantee", "reserved", "you can rent"))
    assert (await house.offers())[0]["stock"] == "low"


async def test_what_cannot_be_rented_is_never_an_offer(house: House) -> None:
    taken = house.market.vast.add_machine(machine_id=1)
    house.market.vast.add_machine(machine_id=2, verification="unverified")
    house.market.vast.add_machine(machine_id=3, raw={"rentable": False})
    house.market.vast.add_machine(machine_id=4, raw={"rented": True}, price=0.39)
    house.market.vast.rent(taken)
    await house.watch("RTX 4090 <=0.40")
    async with house.running("vast") as life:
        await life.passes(minutes=5)
        # `rented` tells that the asker rents it already, not that nobody can
        assert {alert["key"] for alert in await house.log()} == {"vast:4:1"}
        assert {offer["key"] for offer in await house.offers()} == {"vast:4:1"}
        house.market.vast.release(taken)
        await life.passes(minutes=5)
    assert {offer["key"] for offer in await house.offers()} == {"vast:1:1", "vast:4:1"}

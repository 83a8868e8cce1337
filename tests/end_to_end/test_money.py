"""Prices from the market to the message: whole offers and single GPUs, disk, bids, per cents."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.end_to_end.house import BuildHouse, House, best_prices

RTX_4090 = "NVIDIA GeForce RTX 4090"
DISK = 8 * 0.15 / 720
"""What the disk that is always included costs an hour."""


async def test_a_ceiling_is_for_each_gpu_unless_it_says_total(house: House) -> None:
    house.market.vast.add_machine(gpus=4, min_chunk=4, price=(1.40 - DISK) / 4)
    await house.watch("RTX 4090 x1+ <=0.36", chat="1")
    await house.watch("RTX 4090 x1+ <=0.36 total", chat="2")
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    assert [alert["chat"] for alert in await house.log()] == ["1"]
    (alert,) = house.alerts()
    assert "US$ 0.3500 per GPU-hour" in alert
    assert "US$ 1.40 an hour in total" in alert
    (offer,) = await house.offers()
    assert (offer["usd_per_hour"], offer["usd_per_gpu_hour"]) == (1.4, 0.35)
    assert best_prices(await house.history("RTX 4090")) == {0.35}


@pytest.mark.parametrize("keys", [True, False])
async def test_a_pod_of_two_costs_twice_the_price_of_one(build_house: BuildHouse, keys: bool) -> None:
    house = await build_house(keys=keys)
    house.market.runpod.set_price(RTX_4090, "secure", 0.69)
    house.market.runpod.set_stock(RTX_4090, "secure", "HIGH", 2)
    await house.watch("RTX 4090 x1+ <=0.36 runpod any tier", chat="1")
    await house.watch("RTX 4090 x1+ <=0.69 total runpod any tier", chat="2")
    await house.watch("RTX 4090 x2 <=0.69 runpod any tier", chat="3")
    async with house.running() as life:
        await life.passes(minutes=5)
    assert [alert["chat"] for alert in await house.log()] == ["3"]
    assert "US$ 0.6900 per GPU-hour" in house.alerts()[0]
    assert "US$ 1.38 an hour in total, disk not included" in house.alerts()[0]
    (offer,) = await house.offers()
    assert (offer["usd_per_hour"], offer["usd_per_gpu_hour"]) == (1.38, 0.69)


@pytest.mark.parametrize("keys", [True, False])
async def test_a_price_is_never_told_with_the_stock_of_the_other_cloud(build_house: BuildHouse, keys: bool) -> None:
    house = await build_house(keys=keys)
    house.market.runpod.set_price(RTX_4090, "secure", 0.69)
    house.market.runpod.set_price(RTX_4090, "community", 0.34)
    house.market.runpod.set_stock(RTX_4090, "secure", "HIGH")
    await house.watch("RTX 4090 x1+ <=0.50 any tier")
    async with house.running() as life:
        await life.passes(minutes=5)
        assert house.alerts() == []
        assert {(each["tier"], each["usd_per_gpu_hour"]) for each in await house.offers()} == {("secure", 0.69)}
        house.market.runpod.set_stock(RTX_4090, "community", "LOW", 1)
        await life.passes(minutes=5)
    (alert,) = house.alerts()
    assert "US$ 0.3400 per GPU-hour" in alert
    assert "Community Cloud" in alert
    assert "Secure" not in alert


@pytest.mark.parametrize(("ceiling", "told"), [("0.31", False), ("0.33", True)])
async def test_the_disk_asked_for_is_part_of_the_price(house: House, ceiling: str, told: bool) -> None:
    house.market.vast.add_machine(price=0.30, storage_cost=0.15)
    await house.watch(f"RTX 4090 x1+ <={ceiling} disk:100")
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    assert len(house.alerts()) == int(told)
    if told:
        assert "US$ 0.3208 an hour in total, with 100 GB of disk" in house.alerts()[0]
        assert "--disk 100" in house.alerts()[0]


async def test_a_rule_for_both_markets_says_that_runpods_price_is_without_disk(house: House) -> None:
    said = await house.ask("watch", "add", "RTX 4090 <=0.33 disk:100")
    assert "on RunPod disk is billed apart and is not in the price" in said.out


async def test_interruptible_and_on_demand_prices_are_never_mixed_up(house: House) -> None:
    house.market.vast.add_machine(price=0.24 - DISK, bid_share=0.12 / (0.24 - DISK))
    await house.watch("RTX 4090 <=0.15", chat="1")
    await house.watch("RTX 4090 <=0.15 vast spot", chat="2")
    async with house.running("vast") as life:
        await life.passes(minutes=10)
    assert [alert["chat"] for alert in await house.log()] == ["2"]
    (alert,) = house.alerts()
    assert "interruptible" in alert
    assert "--bid_price" in alert
    history = await house.history("RTX 4090")
    assert best_prices(history) == {0.24}
    assert best_prices(history, "interruptible") == {0.121667}
    (offer,) = await house.offers("RTX 4090 vast spot")
    assert offer["terms"] == "interruptible"
    assert offer["usd_per_hour"] < 0.15


async def test_the_noise_of_binary_fractions_hides_no_offer_and_is_never_shown(house: House) -> None:
    for number, price in enumerate((0.1 + 0.2, 0.35, 0.35, 0.36)):
        house.market.vast.add_machine(price=0.2, machine_id=number + 1, raw={"dph_total": price})
    await house.watch("RTX 4090 <=0.30")
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    (alert,) = house.alerts()
    assert "US$ 0.3000 per GPU-hour" in alert
    assert "0.30000" not in alert
    assert sorted(each["usd_per_hour"] for each in await house.offers()) == [0.3, 0.35, 0.35, 0.36]


async def test_above_95_per_cent_is_strict_known_and_in_range(house: House, caplog: pytest.LogCaptureFixture) -> None:
    reliabilities: dict[int, Any] = {1: 0.97, 2: 0.9501, 3: 0.95, 4: 0.9499, 5: None, 6: 97.0}
    for number, reliability in reliabilities.items():
        odd = {"reliability": reliability, "reliability2": reliability}
        house.market.vast.add_machine(machine_id=number, host_id=number, raw=odd)
    await house.watch("RTX 4090 x1+ <=0.40")
    caplog.set_level(logging.WARNING)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    (alert,) = house.alerts()
    assert "reliability 97.0 %" in alert
    matching = await house.offers("RTX 4090 x1+ <=0.40")
    assert {offer["key"] for offer in matching} == {"vast:1:1", "vast:2:1"}
    stored = {offer["key"]: offer["reliability"] for offer in await house.offers()}
    assert "vast:6:1" not in stored
    assert stored["vast:5:1"] is None
    (warning,) = [record.getMessage() for record in caplog.records if "skipped" in record.getMessage()]
    assert "reliability" in warning

"""Markets that refuse, err and garble: what is asked then, what is said, and that nothing is thought gone."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from scanners.simulator.faults import BrokenGzip, Drop, Fault, PartialErrors, Refuse, WebPage
from scanners.simulator.journal import Entry
from scanners.simulator.server import VAST_KEY
from tests.end_to_end.clock import START
from tests.end_to_end.faults import Edited
from tests.end_to_end.house import SEARCH, BuildHouse, House

TOO_FREQUENT = Refuse(429, "API requests too frequent: endpoint threshold=2.0", "text/plain")
BAD_KEY = Refuse(404, '{"success":false,"error":"auth_error","msg":"bad key"}', "application/json")
RTX_4090 = "NVIDIA GeForce RTX 4090"


def gaps(entries: list[Entry]) -> list[float]:
    """Seconds between requests."""
    return [(after.at - before.at).total_seconds() for before, after in pairwise(entries)]


async def test_a_plain_429_makes_the_waits_grow_and_leaves_the_other_market_alone(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running() as life:
        await life.passes(minutes=1)
        house.server.journal.clear()
        house.server.faults.add(TOO_FREQUENT, times=5, path=SEARCH)
        began = house.clock.now()
        await life.passes(minutes=30)
        status = (await house.ask("status", "--json")).json["markets"]["vast"]
    refused = [entry for entry in house.asked("vast") if entry.status == 429]
    waits = gaps(house.asked("vast")[: len(refused) + 1])
    assert len(refused) == 5
    assert all(after >= min(1.5 * before, 300) for before, after in pairwise(waits))
    assert sum(entry.at - began <= timedelta(minutes=5) for entry in house.asked("vast")) <= 6
    assert max(gaps(house.asked("runpod"))) <= 300
    assert status["failures_in_a_row"] == 0
    assert len(await house.offers()) == 1
    assert len(house.alerts()) == 1


async def test_while_a_market_refuses_it_is_failing_and_not_empty(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40")
    async with house.running() as life:
        await life.passes(minutes=1)
        house.server.faults.add(TOO_FREQUENT, times=100, path=SEARCH)
        await life.passes(minutes=10)
        now = (await house.ask("now", "--json")).json
        assert now["markets"]["vast"]["ok"] is False
        assert "too frequent" in now["markets"]["vast"]["error"]
        assert now["markets"]["runpod"]["ok"] is True
        assert len(now["offers"]) == 1
        await life.passes(minutes=30)
        health = await house.ask("health", "--json")
    assert health.code == 1
    assert health.json["healthy"] is False
    assert len(health.json["problems"]) == 1
    assert health.json["problems"][0].startswith("vast: ")


@pytest.mark.parametrize("market", ["vast", "runpod"])
async def test_a_rejected_key_is_told_once_and_hardly_asked_again(build_house: BuildHouse, market: str) -> None:
    others = {f"{market}_keys": ("another-key",)}
    house = await build_house(keys=True, extra="", vast_policy=None, **others)
    other = {"vast": "runpod", "runpod": "vast"}[market]
    house.market.vast.add_machine()
    house.market.runpod.set_stock(RTX_4090, "secure", "HIGH", 1)
    await house.watch("RTX 4090 <=1")
    async with house.running() as life:
        await life.passes(minutes=45)
    assert len(house.notices) == 1
    name = {"vast": "Vast.ai", "runpod": "RunPod"}[market]
    assert house.notices[0].startswith(f"{name} cannot be watched until its API key is mended")
    assert VAST_KEY not in house.notices[0]
    assert len(house.asked(market)) <= 5
    assert min(gaps(house.asked(market))) >= 600
    assert max(gaps(house.asked(other))) <= 300
    assert {alert["market"] for alert in await house.log()} == {other}
    doctor = await house.ask("doctor", "--json")
    assert doctor.code == 1
    (failed,) = [check for check in doctor.json["checks"] if not check["ok"]]
    assert failed["name"] == market
    assert failed["remedy"]
    assert "simulated" not in doctor.out + doctor.err


async def test_a_key_that_is_mended_scans_again_without_a_word_too_many(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        house.server.faults.add(BAD_KEY, times=2, path=SEARCH)
        await life.passes(minutes=30)
        assert [notice.partition(",")[0] for notice in house.notices[1:]] == ["Vast.ai answers again"]
        assert len(house.alerts()) == 1


async def test_errors_inside_success_are_a_failed_scan(build_house: BuildHouse) -> None:
    house = await build_house(keys=False)
    house.market.runpod.set_stock(RTX_4090, "secure", "HIGH", 1)
    await house.watch("RTX 4090 runpod <=1")

    def fail(document: dict[str, Any]) -> None:
        document.update(errors=[{"message": "Something went wrong"}], data=None)

    async with house.running() as life:
        await life.passes(minutes=2)
        house.server.faults.add(Edited(fail), times=100, path="/graphql")
        await life.passes(minutes=10)
        now = (await house.ask("now", "--json")).json
        house.server.faults.clear()
        await life.passes(minutes=10)
    assert "Something went wrong" in now["markets"]["runpod"]["error"]
    assert len(now["offers"]) == 1
    assert len(house.alerts()) == 1


async def test_half_an_answer_tells_what_it_holds_and_proves_nothing_gone(build_house: BuildHouse) -> None:
    house = await build_house(keys=False)
    kinds = list(house.market.runpod.types)
    for kind in kinds:
        house.market.runpod.set_stock(kind, "secure", "HIGH", 1)
    await house.watch("any runpod")
    async with house.running() as life:
        await life.passes(minutes=5)
        before = {offer["key"] for offer in await house.offers()}
        house.server.faults.add(PartialErrors(every=3), times=1000, path="/graphql")
        house.market.runpod.set_price(RTX_4090, "secure", 0.61)
        await life.passes(minutes=15)
        offers = {offer["key"]: offer["usd_per_gpu_hour"] for offer in await house.offers()}
        complete = (await house.ask("now", "--json")).json["markets"]["runpod"]["complete"]
    assert offers.keys() == before
    assert kinds.index(RTX_4090) % 3 != 0
    assert offers[f"runpod:{RTX_4090}:secure:1"] == 0.61
    assert complete is False


@pytest.mark.parametrize("fault", [BrokenGzip(), WebPage(), Drop(), Refuse(502, "<html>bad gateway"), Refuse(200, "")])
async def test_a_garbled_answer_is_a_failed_scan_and_nothing_more(house: House, fault: Fault) -> None:
    house.market.vast.add_machine()
    house.market.runpod.set_stock(RTX_4090, "secure", "HIGH", 1)
    await house.watch("RTX 4090 <=1")
    async with house.running() as life:
        await life.passes(minutes=1)
        told = len(house.alerts())
        house.server.faults.add(fault, times=1000)
        await life.passes(minutes=4)
        markets = (await house.ask("now", "--json")).json["markets"]
        assert len(await house.offers()) == 2
        house.server.faults.clear()
        await life.passes(minutes=6)
    assert [market["ok"] for market in markets.values()] == [False, False]
    assert all(market["error"] and "<" not in market["error"][:1] for market in markets.values())
    assert len(house.alerts()) == told
    assert all(market["ok"] for market in (await house.ask("now", "--json")).json["markets"].values())


async def test_the_instant_of_an_alert_is_the_same_in_every_zone(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(seconds=10)
    (alert,) = await house.log()
    assert datetime.fromisoformat(alert["seen_at"]) == START
    for since, found in (
        ("2027-01-10T09:00-03:00", 1),
        ("2027-01-10T09:01-03:00", 0),
        ("2027-01-10T12:00+00:00", 1),
        ("2027-01-10T12:00", 1),
        ("2027-01-10T13:01+01:00", 0),
    ):
        said = await house.ask("alerts", "--since", since, "--json")
        assert len(said.json["alerts"]) == found, since


async def test_a_new_rule_whose_query_always_fails_does_not_starve_the_others(house: House) -> None:
    house.market.vast.add_machine("RTX 3090", price=0.1, raw={"machine_id": None})
    await house.watch("RTX 4090 <=0.40 vast", chat="1")
    async with house.running("vast") as life:
        await life.passes(minutes=2)
        await house.watch("RTX 3090 <=0.40 vast", chat="2")
        await life.passes(minutes=2)
        house.market.vast.add_machine()
        await life.passes(minutes=20)
    assert [alert["chat"] for alert in await house.log()] == ["1"]


async def test_the_loop_goes_on_while_another_process_holds_the_database(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(seconds=1)
        holder = sqlite3.connect(house.folder / "atalaia.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        passing = asyncio.create_task(life.passes(minutes=1))
        done, _ = await asyncio.wait({passing}, timeout=0.3)
        blocked_s = await how_late(0.1)
        assert not done
        holder.execute("ROLLBACK")
        holder.close()
        await asyncio.wait_for(passing, 20)
    assert blocked_s < 1
    assert len(await house.offers()) == 1


async def how_late(seconds: float) -> float:
    """How much longer than it should a timer of the loop takes."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    await asyncio.wait({loop.create_future()}, timeout=seconds)
    return loop.time() - began - seconds

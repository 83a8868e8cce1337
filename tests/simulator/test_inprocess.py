"""Both services can be asked without a socket, and say what they say over one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from scanners.simulator.clock import ManualClock
from scanners.simulator.exchange import Answer, Asked
from scanners.simulator.inprocess import InProcessTransport
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer
from scanners.simulator.vast import VastPolicy

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
SEARCH = "http://simulator.invalid/api/v0/bundles/"
CATALOGUE = "http://simulator.invalid/v2/catalog/gpus"


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_both_services_answer_and_every_exchange_is_heard() -> None:
    market, clock = SimulatedMarket.empty(START), ManualClock(START)
    machine = market.vast.add_machine("RTX 4090")
    heard: list[tuple[Asked, Answer]] = []
    transport = InProcessTransport(SimulatorServer(market, clock), clock, lambda *both: heard.append(both))
    async with httpx.AsyncClient(transport=transport) as client:
        found = await client.post(SEARCH, json={"rentable": {"eq": True}}, headers=bearer(VAST_KEY))
        types = await client.get(CATALOGUE, headers=bearer(RUNPOD_KEY), params={"count": "1"})
    assert [row["machine_id"] for row in found.json()["offers"]] == [machine]
    assert types.status_code == 400
    assert types.headers["content-type"] == "application/problem+json"
    assert [(asked.path, answer.status) for asked, answer in heard] == [
        ("/api/v0/bundles/", 200),
        ("/v2/catalog/gpus", 400),
    ]
    assert json.loads(heard[0][0].body) == {"rentable": {"eq": True}}


async def test_an_answer_can_be_streamed_as_the_product_reads_it() -> None:
    market, clock = SimulatedMarket.empty(START), ManualClock(START)
    async with (
        httpx.AsyncClient(transport=InProcessTransport(SimulatorServer(market, clock), clock)) as client,
        client.stream("POST", SEARCH, json={}, headers=bearer(VAST_KEY)) as answer,
    ):
        body = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert json.loads(body) == {"offers": []}


async def test_limits_follow_the_clock_and_so_does_the_market() -> None:
    market, clock = SimulatedMarket.empty(START), ManualClock(START)
    server = SimulatorServer(market, clock, vast_policy=VastPolicy(requests_per_minute=10, burst=1))
    async with httpx.AsyncClient(transport=InProcessTransport(server, clock)) as client:
        codes = []
        for pause in (0.0, 3.0, 3.0):
            clock.move(seconds=pause)
            codes.append((await client.post(SEARCH, json={}, headers=bearer(VAST_KEY))).status_code)
    assert codes == [200, 429, 200]
    assert market.now == START + timedelta(seconds=6)


def test_what_is_planned_happens_at_its_time_whoever_looks() -> None:
    market = SimulatedMarket.empty(START)
    happened: list[datetime] = []
    market.plan(START + timedelta(seconds=90), lambda: happened.append(market.now))
    market.advance(START + timedelta(seconds=89))
    assert happened == []
    market.advance(START + timedelta(hours=1))
    assert happened == [START + timedelta(seconds=90)]
    with pytest.raises(ValueError, match="past"):
        market.plan(START, lambda: None)

"""The simulator over HTTP: routing, faults, journal, clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from scanners.simulator.clock import ManualClock, SimClock
from scanners.simulator.faults import BrokenGzip, Drip, Drop, Hang, PartialErrors, Refuse, WebPage
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer
from scanners.simulator.vast import VastPolicy
from tests.simulator.asking import START

SEARCH = "/api/v0/bundles/"
CATALOGUE = "/v2/catalog/gpus"
VAST = {"Authorization": f"Bearer {VAST_KEY}"}
RUNPOD = {"Authorization": f"Bearer {RUNPOD_KEY}"}
TYPES = {"query": "{ gpuTypes { id } }"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
async def server(clock: ManualClock) -> AsyncIterator[SimulatorServer]:
    market = SimulatedMarket.empty(START)
    market.vast.add_machine(machine_id=555)
    async with SimulatorServer(market, clock, vast_policy=VastPolicy(burst=50)) as opened:
        yield opened


@pytest.fixture
async def client(server: SimulatorServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=5) as opened:
        yield opened


async def test_both_services_answer_on_one_loopback_address(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    offers = (await client.post(SEARCH, json={}, headers=VAST)).json()["offers"]
    kinds = (await client.get(CATALOGUE, headers=RUNPOD)).json()["gpus"]
    single = await client.get(f"{CATALOGUE}/NVIDIA%20GeForce%20RTX%204090", headers=RUNPOD)
    graph = (await client.post("/graphql", json=TYPES)).json()["data"]["gpuTypes"]
    page = await client.get("/somewhere/else")
    assert [row["machine_id"] for row in offers] == [555]
    assert len(kinds) == len(graph) > 40
    assert single.json()["name"] == "RTX 4090"
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html")


async def test_the_market_is_advanced_to_the_clock_before_each_answer(
    client: httpx.AsyncClient, clock: ManualClock
) -> None:
    before = (await client.post(SEARCH, json={}, headers=VAST)).json()["offers"][0]["duration"]
    clock.move(hours=5)
    after = (await client.post(SEARCH, json={}, headers=VAST)).json()["offers"][0]["duration"]
    assert before - after == pytest.approx(5 * 3_600)


async def test_limits_follow_the_clock(server: SimulatorServer, client: httpx.AsyncClient, clock: ManualClock) -> None:
    statuses = [(await client.get(CATALOGUE, headers=RUNPOD)).status_code for _ in range(61)]
    assert statuses.count(429) == 1
    clock.move(minutes=1)
    assert (await client.get(CATALOGUE, headers=RUNPOD)).status_code == 200


async def test_big_answers_are_compressed_for_those_who_accept_it(client: httpx.AsyncClient) -> None:
    squeezed = await client.post(SEARCH, json={}, headers=VAST)
    plain = await client.post(SEARCH, json={}, headers={**VAST, "Accept-Encoding": "identity"})
    assert squeezed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert squeezed.json() == plain.json()


async def test_a_fault_meets_the_requests_it_waits_for_and_no_others(
    server: SimulatorServer, client: httpx.AsyncClient
) -> None:
    server.faults.add(Refuse(503, '{"message":"Service Unavailable"}', "application/json"), times=2, path=SEARCH)
    assert (await client.get(CATALOGUE, headers=RUNPOD)).status_code == 200
    statuses = [(await client.post(SEARCH, json={}, headers=VAST)).status_code for _ in range(3)]
    assert statuses == [503, 503, 200]
    assert len(server.faults) == 0


async def test_a_web_page_can_come_instead_of_data(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    server.faults.add(WebPage())
    answer = await client.post(SEARCH, json={}, headers=VAST)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html")


async def test_compression_can_be_broken(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    server.faults.add(BrokenGzip())
    with pytest.raises(httpx.DecodingError):
        await client.post(SEARCH, json={}, headers=VAST)


async def test_the_connection_can_be_dropped(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    server.faults.add(Drop())
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await client.post(SEARCH, json={}, headers=VAST)
    (entry,) = server.journal
    assert (entry.status, entry.fault) == (None, "Drop")


async def test_an_answer_can_hang_until_it_is_released(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    hang = Hang()
    server.faults.add(hang, path=SEARCH)
    waiting = asyncio.create_task(client.post(SEARCH, json={}, headers=VAST))
    await hang.reached.wait()
    other = await client.get(CATALOGUE, headers=RUNPOD)
    assert other.status_code == 200
    assert not waiting.done()
    hang.released.set()
    assert (await waiting).json()["offers"]


async def test_a_server_with_hanging_answers_still_closes(clock: ManualClock) -> None:
    async with (
        SimulatorServer(SimulatedMarket.empty(START), clock) as server,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        hang = Hang()
        server.faults.add(hang)
        waiting = asyncio.create_task(client.get(server.url + CATALOGUE))
        await hang.reached.wait()
        await server.__aexit__(None, None, None)
        with pytest.raises(httpx.HTTPError):
            await waiting
    (entry,) = server.journal
    assert (entry.status, entry.fault) == (None, "Hang")


async def test_an_answer_can_drip(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    server.faults.add(Drip(pause=0.0, chunk=200))
    async with client.stream("POST", SEARCH, json={}, headers={**VAST, "Accept-Encoding": "identity"}) as answer:
        body = b"".join([chunk async for chunk in answer.aiter_raw()])
    assert json.loads(body)["offers"]


async def test_graphql_can_answer_by_halves(server: SimulatorServer, client: httpx.AsyncClient) -> None:
    server.faults.add(PartialErrors(every=2), path="/graphql")
    body = (await client.post("/graphql", json=TYPES)).json()
    kinds = body["data"]["gpuTypes"]
    assert kinds[0] is None
    assert kinds[1]["id"]
    assert len(body["errors"]) == kinds.count(None)


async def test_the_journal_tells_what_was_asked_and_keeps_no_secret(
    server: SimulatorServer, client: httpx.AsyncClient, clock: ManualClock
) -> None:
    clock.move(seconds=30)
    await client.post(SEARCH, json={"limit": 3}, headers={**VAST, "User-Agent": "tester"})
    await client.get(CATALOGUE, params={"api_key": RUNPOD_KEY, "count": "1"}, headers=RUNPOD)
    first, second = server.journal
    assert (first.method, first.path, first.body, first.status, first.rows) == ("POST", SEARCH, {"limit": 3}, 200, 1)
    assert (first.at, first.headers["user-agent"], first.keyed) == (clock.now(), "tester", True)
    assert (second.status, dict(second.query)) == (400, {"api_key": "***", "count": "1"})
    assert VAST_KEY not in repr(list(server.journal))
    assert RUNPOD_KEY not in repr(list(server.journal))
    assert server.journal.of("/v2/") == [second]


async def test_a_port_that_is_taken_is_an_error_and_leaves_nothing_behind(
    server: SimulatorServer, clock: ManualClock
) -> None:
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(OSError, match="address"):
        async with SimulatorServer(SimulatedMarket.empty(START), clock, port=port):
            pass


def test_a_fast_clock_runs_as_many_times_faster_as_told() -> None:
    seconds = [100.0]
    clock = SimClock(START, 60, lambda: seconds[0])
    seconds[0] += 2
    assert (clock.now() - START).total_seconds() == 120
    with pytest.raises(ValueError, match="above zero"):
        SimClock(START, 0, lambda: 0.0)


def test_a_clock_moved_by_hand_only_goes_forward() -> None:
    clock = ManualClock(START)
    with pytest.raises(ValueError, match="backwards"):
        clock.move(seconds=-1)

"""Where a RunPod type stands when its own row does not say, for rules that ask for a place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from market.gpu import CATALOGUE
from market.offer import Offer
from market.rule import EVERY_PLACE, Place, Rule
from market.verdict import matches
from scanners.errors import OddAnswer
from scanners.markets import runpod
from scanners.markets.runpod import data_centers
from scanners.simulator.clock import ManualClock
from scanners.simulator.faults import Drop, Refuse, WebPage
from scanners.simulator.limits import Window
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.runpod import RunPodPolicy
from scanners.simulator.server import RUNPOD_KEY, SimulatorServer
from tests.scanners.pods import answer

START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SILENT = "NVIDIA GeForce RTX 5090"
TELLING = "NVIDIA GeForce RTX 4090"
CENTER = "EU-RO-1"
OFTEN = RunPodPolicy(windows=(Window(name="day", quota=50_000, seconds=86_400),))
HERE = Rule(places=EVERY_PLACE, data_centers=frozenset({CENTER}), reliability_above=1)
PATH = "/v2/catalog/datacenters"


class Scene:
    """A market in which a silent type is in stock in one data centre, and the module that asks it."""

    def __init__(self, server: SimulatorServer, clock: ManualClock, client: httpx.AsyncClient) -> None:
        self.server, self.clock, self.book, self.client = server, clock, server.market.runpod, client
        settings = runpod.Settings(url=server.url, api_key=RUNPOD_KEY, requests_per_minute=30)
        self.market = runpod.build(settings, client, CATALOGUE, clock.now)

    def reads(self) -> int:
        """How often the data centres were asked for."""
        return len(self.server.journal.of(PATH))

    async def offer(self, type_id: str = SILENT, *, tier: str = "secure", count: int = 1) -> Offer:
        """The offer of a type, by the next answer, which is whole."""
        snapshot = await self.market.scan(query(self.market, tier, count))
        assert snapshot.complete
        return next(offer for offer in snapshot.offers if offer.machine == type_id)


def query(market: runpod.RunPod, tier: str, count: int) -> Any:
    return next(
        each
        for each in market.probes(Rule(places=frozenset[Place]({("runpod", tier)}), counts=(count, count)))  # type: ignore[arg-type] # a test's own word
    )


@pytest.fixture
async def scene(client: httpx.AsyncClient) -> AsyncIterator[Scene]:
    clock, market = ManualClock(START), SimulatedMarket.empty(START)
    async with SimulatorServer(market, clock, runpod_policy=OFTEN) as server:
        found = Scene(server, clock, client)
        for type_id in (SILENT, TELLING):
            for name in found.book.standing(found.book.types[type_id]):
                found.book.set_center(type_id, name, "NONE")
            found.book.set_stock(type_id, "secure", "LOW")
            found.book.set_stock(type_id, "community", "LOW")
        found.book.set_center(SILENT, CENTER, "LOW")
        found.book.set_center(TELLING, "US-KS-2", "LOW")
        yield found


async def test_a_rule_for_a_data_centre_finds_a_type_that_names_none(scene: Scene) -> None:
    scene.market.probes(HERE)
    offer = await scene.offer()
    assert (offer.data_centers, offer.place, offer.country) == ((CENTER,), CENTER, "RO")
    assert matches(HERE, offer, START)


async def test_a_rule_for_a_country_is_served_too(scene: Scene) -> None:
    scene.market.probes(Rule(places=EVERY_PLACE, countries=frozenset({"RO"})))
    assert (await scene.offer()).country == "RO"


@pytest.mark.parametrize(
    "rule",
    [
        Rule(places=EVERY_PLACE),
        Rule(places=EVERY_PLACE, not_countries=frozenset({"CN"})),
        Rule(places=frozenset[Place]({("vast", "community")}), countries=frozenset({"RO"})),
        Rule(places=frozenset[Place]({("runpod", "community")}), countries=frozenset({"RO"})),
    ],
)
async def test_without_a_rule_that_needs_them_no_data_centre_is_asked_for(scene: Scene, rule: Rule) -> None:
    scene.market.probes(rule)
    assert (await scene.offer()).data_centers == ()
    assert scene.reads() == 0


async def test_while_every_type_in_stock_names_its_own_none_is_asked_for(scene: Scene) -> None:
    scene.market.probes(HERE)
    scene.book.set_stock(SILENT, "secure", "NONE")
    await scene.offer(TELLING)
    assert scene.reads() == 0


async def test_a_list_that_came_is_never_replaced(scene: Scene) -> None:
    scene.market.probes(HERE)
    scene.book.set_center(TELLING, "EU-SE-1", "NONE")
    assert (await scene.offer()).data_centers == (CENTER,)
    assert (await scene.offer(TELLING)).data_centers == ("US-KS-2",)


async def test_a_data_centre_without_stock_is_none(scene: Scene) -> None:
    scene.market.probes(HERE)
    scene.book.set_center(SILENT, CENTER, "NONE")
    assert (await scene.offer()).data_centers == ()


async def test_community_cloud_has_no_data_centre(scene: Scene) -> None:
    scene.market.probes(HERE)
    assert (await scene.offer(tier="community")).data_centers == ()
    assert scene.reads() == 0


async def test_a_place_of_larger_pods_is_known_only_where_there_is_one_place(scene: Scene) -> None:
    scene.market.probes(HERE)
    assert (await scene.offer(count=4)).data_centers == (CENTER,)
    scene.book.set_center(SILENT, "US-TX-3", "LOW")
    scene.clock.move(minutes=5)
    assert (await scene.offer(count=4)).data_centers == ()
    assert set((await scene.offer(count=1)).data_centers) == {CENTER, "US-TX-3"}


async def test_they_are_read_once_in_a_few_minutes(scene: Scene) -> None:
    scene.market.probes(HERE)
    for _ in range(15):
        assert (await scene.offer()).data_centers == (CENTER,)
        scene.clock.move(seconds=40)
    assert 2 <= scene.reads() <= 4


async def test_a_clock_that_is_set_back_stops_no_reading(scene: Scene) -> None:
    moments: list[datetime] = [START, START.replace(hour=9), START.replace(hour=9, minute=1)]
    settings = runpod.Settings(url=scene.server.url, api_key=RUNPOD_KEY)
    market = runpod.build(settings, scene.client, CATALOGUE, lambda: moments[0])
    market.probes(HERE)
    while moments:
        await market.scan(market.heartbeat())
        del moments[0]
    assert scene.reads() == 2


FAULTS: Mapping[str, Any] = {
    "a web page": WebPage(),
    "a dropped connection": Drop(),
    "no permission": Refuse(403, '{"title":"Forbidden"}', "application/problem+json"),
    "not there": Refuse(404, '{"message":"Not Found"}', "application/json"),
    "a breakdown": Refuse(503, '{"message":"Service Unavailable"}', "application/json"),
    "asked too often": Refuse(429, "{}", "application/problem+json"),
    "no list": Refuse(200, "{}", "application/json"),
    "an empty list": Refuse(200, '{"dataCenters":[]}', "application/json"),
    "no GPU anywhere": Refuse(200, '{"dataCenters":[{"id":"EU-RO-1"}]}', "application/json"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_failure_there_costs_the_catalogue_nothing_and_is_said(scene: Scene, fault: str) -> None:
    scene.market.probes(HERE)
    scene.server.faults.add(FAULTS[fault], path=PATH)
    snapshot = await scene.market.scan(scene.market.heartbeat())
    assert snapshot.complete
    assert {offer.machine for offer in snapshot.offers} == {SILENT, TELLING}
    assert any("data centres" in note for note in snapshot.notes)
    assert RUNPOD_KEY not in str(snapshot.notes)
    await scene.offer()
    assert scene.reads() == 1, "what failed is not asked again at once"


async def test_what_was_read_holds_through_a_failure_but_not_for_ever(scene: Scene) -> None:
    scene.market.probes(HERE)
    await scene.offer()
    scene.server.faults.add(FAULTS["a breakdown"], times=99, path=PATH)
    scene.clock.move(minutes=10)
    assert (await scene.offer()).data_centers == (CENTER,)
    scene.clock.move(minutes=10)
    assert (await scene.offer()).data_centers == ()


@pytest.mark.parametrize("tiers", [["secure"], ["secure", "community"]])
async def test_the_pace_is_kept_with_the_further_question(
    scene: Scene, client: httpx.AsyncClient, tiers: list[str]
) -> None:
    settings = runpod.Settings(url=scene.server.url, api_key=RUNPOD_KEY, requests_per_minute=6)
    market = runpod.build(settings, client, CATALOGUE, scene.clock.now)
    market.probes(HERE)
    while scene.clock.now() < START.replace(minute=9):
        for tier in tiers:
            await market.scan(query(market, tier, 1))
            scene.clock.move(seconds=max(market.rest_s(), 10.0))
    times = [entry.at.timestamp() for entry in scene.server.journal.of("/v2/")]
    assert scene.reads() >= 2
    assert max(sum(start <= at < start + 59.9 for at in times) for start in times) <= 6


async def test_none_is_asked_for_while_the_quota_is_almost_used_up(client: httpx.AsyncClient) -> None:
    clock, market = ManualClock(START), SimulatedMarket.empty(START)
    policy = RunPodPolicy(windows=(Window(name="minute", quota=3, seconds=60),))
    async with SimulatorServer(market, clock, runpod_policy=policy) as server:
        scene = Scene(server, clock, client)
        scene.book.set_stock(SILENT, "secure", "LOW")
        scene.market.probes(HERE)
        await scene.offer()
    assert scene.reads() == 0


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "EU-RO-1", "gpuAvailability": [{"id": "A", "availability": "LOW"}]}, None, 3, {"id": None}],
        [{"id": "EU-RO-1", "gpuAvailability": [{"id": "A", "availability": "Low"}, None, 7, {"id": ""}]}],
        [
            {"id": "EU-RO-1", "gpuAvailability": [{"id": "A", "availability": "HIGH"}]},
            {"id": "B", "gpuAvailability": 3},
        ],
        [{"id": "EU-RO-1", "gpuAvailability": [{"id": "A", "availability": "LOW"}, {"id": "B", "availability": "?"}]}],
        [{"id": "EU-RO-1", "gpuAvailability": [{"id": "A", "availability": "LOW"}, {"id": "B"}]}] * 2,
    ],
)
def test_odd_rows_are_passed_over(rows: list[Any]) -> None:
    assert data_centers.read(answer({"dataCenters": rows})) == {"A": ("EU-RO-1",)}


@pytest.mark.parametrize(
    "content", [{}, [], None, {"dataCenters": {}}, {"dataCenters": []}, {"dataCenters": [1]}, b"<"]
)
def test_no_list_of_data_centres_is_odd(content: Any) -> None:
    with pytest.raises(OddAnswer):
        data_centers.read(answer(content))

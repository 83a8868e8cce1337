"""What every marketplace module promises. A new one is found by its file and tested here at once."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.offer import Offer
from market.rule import EVERY_PLACE, CardChoice, Place, Rule
from market.verdict import matches
from scanners import registry
from scanners.errors import KeyRejected, OddAnswer, RateLimited, ScanError, Unreachable
from scanners.registry import Marketplace
from scanners.settings import MarketSettings
from scanners.simulator.clock import ManualClock
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer
from scanners.simulator.vast import VastPolicy
from tests.scanners.stage import http, sends, stage

START = datetime(2026, 11, 2, 12, tzinfo=UTC)
KEY = "wrong-" + "K" * 24
NAMES = tuple(registry.modules())
KEYS = {"vast": VAST_KEY, "runpod": RUNPOD_KEY}

every_market = pytest.mark.parametrize("name", NAMES)
with_and_without_key = pytest.mark.parametrize("key", [KEY, None], ids=["with a key", "without a key"])


def built(name: str, client: httpx.AsyncClient, **settings: Any) -> Marketplace:
    module = registry.modules()[name]
    market: Marketplace = module.build(module.Settings(**settings), client, CATALOGUE, lambda: START)
    return market


def test_the_two_marketplaces_are_found_by_their_folders() -> None:
    assert {"vast", "runpod"} <= set(NAMES)


@every_market
def test_settings_have_the_keys_that_every_market_has(name: str) -> None:
    settings = registry.modules()[name].Settings()
    assert isinstance(settings, MarketSettings)
    assert settings.enabled is True
    assert settings.url.startswith("https://")
    assert settings.api_key is None
    assert settings.requests_per_minute > 0


@every_market
@pytest.mark.parametrize(
    "wrong",
    [{"tipo": 1}, {"requests_per_minute": 0}, {"requests_per_minute": float("nan")}, {"url": "console"}, {"url": "https://"},
     {"enabled": "perhaps"}, {"api_key": ["x"]}],
)  # fmt: skip
def test_wrong_settings_are_refused_naming_the_key_and_showing_no_value(name: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        registry.modules()[name].Settings(**{"api_key": KEY} | wrong)
    assert next(iter(wrong)) in str(caught.value)
    assert KEY not in str(caught.value)


@every_market
@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_key_is_no_key_and_that_is_remarked(name: str, empty: str | None, client: httpx.AsyncClient) -> None:
    assert registry.modules()[name].Settings(api_key=empty).api_key is None
    assert built(name, client, api_key=empty).remarks()
    assert built(name, client, api_key=KEY).remarks() == ()


@every_market
def test_settings_never_show_the_key(name: str) -> None:
    settings = registry.modules()[name].Settings(api_key=f" {KEY}\n")
    assert KEY not in repr(settings) + str(settings.model_dump())
    assert settings.api_key.get_secret_value() == KEY


@every_market
def test_a_market_says_its_name_and_its_limits(name: str, client: httpx.AsyncClient) -> None:
    market = built(name, client, requests_per_minute=7.5)
    assert market.name == name
    assert market.limits.requests_per_minute == 7.5


def failures() -> Iterator[tuple[str, bytes]]:
    page = "<!doctype html><html><body>Just a moment</body></html>"
    yield "a web page", http(page, content_type="text/html; charset=utf-8")
    yield "a web page called JSON", http(page)
    yield "nothing", http(b"")
    yield "null", http("null")
    yield "an empty object", http({})
    yield "an empty success", http({"success": True})
    yield "lists of nothing", http({"offers": None, "gpus": None, "data": None})
    yield "rows that are none", http({"offers": [1], "gpus": [1], "data": {"gpuTypes": [1]}})
    yield "half a document", http(b'{"offers": [{"id": 1', content_type="application/json")
    yield "endless brackets", http(b"[" * 50_000)
    yield "plain text called gzip", http(b"{}", headers=[("Content-Encoding", "gzip")])
    yield "gzip cut short", http(gzip.compress(b"{}" * 99)[:-9], headers=[("Content-Encoding", "gzip")])
    yield "a dropped connection", b""
    yield "half an answer", http({"offers": []})[:-4]
    yield "no HTTP", b"\x00\x01\x02\x03\r\n\r\n"
    yield "sent elsewhere", http(status=307, headers=[("Location", "http://127.0.0.1:1/")])
    for status in (400, 401, 403, 404, 405, 409, 410, 418, 422, 429, 500, 502, 503, 504, 520):
        yield f"{status} with JSON", http({"error": f"key {KEY}"}, status=status)
        yield f"{status} with text", http(f"key {KEY}", status=status, content_type="text/plain")
        yield f"{status} with a page", http(f"<html>{KEY}</html>", status=status, content_type="text/html")


@every_market
@with_and_without_key
async def test_every_failure_is_a_scan_error_without_the_key(
    name: str, key: str | None, client: httpx.AsyncClient
) -> None:
    async with stage(sends()) as server:
        market = built(name, client, url=server.url, api_key=key)
        for failure, raw in failures():
            server.play, server.requests = sends(raw), []
            error = await error_of(market)
            assert isinstance(error, ScanError), failure
            assert len(server.requests) == 1, f"{failure}: a failed query is not sent again by itself"
            assert error.market == name
            assert key is None or key not in str(error), failure
            assert len(str(error)) < 400, failure


async def error_of(market: Marketplace) -> Exception | None:
    """What scanning raises; a snapshot would be a lie about the market."""
    try:
        await market.scan(market.heartbeat())
    except Exception as error:  # noqa: BLE001 - whatever comes is the subject of the test
        return error
    return None


@every_market
@with_and_without_key
async def test_a_wait_that_the_server_names_is_passed_on(name: str, key: str | None, client: httpx.AsyncClient) -> None:
    async with stage(sends(http("slow down", status=429, headers=[("Retry-After", "34")]))) as server:
        market = built(name, client, url=server.url, api_key=key)
        with pytest.raises(RateLimited) as caught:
            await market.scan(market.heartbeat())
    assert caught.value.retry_after == 34


@every_market
async def test_a_market_that_is_not_there_is_unreachable(name: str, client: httpx.AsyncClient) -> None:
    market = built(name, client, url="http://127.0.0.1:1")
    with pytest.raises(Unreachable):
        await market.scan(market.heartbeat())


@every_market
@with_and_without_key
async def test_a_page_for_people_is_odd_and_never_an_empty_market(
    name: str, key: str | None, client: httpx.AsyncClient
) -> None:
    async with stage(sends(http("<html></html>", content_type="text/html"))) as server:
        market = built(name, client, url=server.url, api_key=key)
        with pytest.raises(OddAnswer):
            await market.scan(market.heartbeat())


@pytest.fixture(scope="module")
def living() -> SimulatedMarket:
    return SimulatedMarket(seed=7, start=START, offers=200)


def served(market: SimulatedMarket) -> SimulatorServer:
    return SimulatorServer(market, ManualClock(START), vast_policy=VastPolicy(requests_per_minute=None))


@every_market
async def test_a_wrong_key_is_told_from_every_other_failure(
    name: str, living: SimulatedMarket, client: httpx.AsyncClient
) -> None:
    async with served(living) as server:
        market = built(name, client, url=server.url, api_key=KEY)
        with pytest.raises(KeyRejected) as caught:
            await market.scan(market.heartbeat())
    assert KEY not in str(caught.value)


async def book(market: Marketplace) -> list[Offer]:
    return [offer for query in market.census([]) for offer in (await market.scan(query)).offers]


@every_market
async def test_a_census_finds_offers_that_its_own_queries_cover(
    name: str, living: SimulatedMarket, client: httpx.AsyncClient
) -> None:
    async with served(living) as server:
        market = built(name, client, url=server.url, api_key=KEYS[name])
        found = await book(market)
        assert len(found) > 10
        assert len({offer.key for offer in found}) == len(found)
        for offer in found:
            assert offer.market == name
            assert offer.key.startswith(f"{name}:{offer.machine}:")
            assert offer.price > 0
            assert offer.gpu_count > 0
            assert any(query.covers(offer, START) for query in market.census([offer.gpu]))
            assert httpx.URL(market.link(offer)).scheme == "https"


RULES = [
    Rule(places=EVERY_PLACE, reliability_above=1),
    Rule(choices=(CardChoice(name="RTX 4090", cards=frozenset({"RTX 4090"})),), counts=(1, None), ceiling=500_000),
    Rule(places=EVERY_PLACE, counts=(2, 4), ceiling=900_000, reliability_above=979_999),
    Rule(places=EVERY_PLACE, counts=(1, None), ceiling=3_000_000, ceiling_is_total=True, disk_gb=64, min_vram_gb=24),
    Rule(places=EVERY_PLACE, unverified=True, countries=frozenset({"US", "CA"})),
    Rule(not_countries=frozenset({"US"}), min_cuda=12_004, min_vram_gb=48, counts=(1, 8)),
    Rule(places=frozenset({("vast", "datacenter"), ("runpod", "community")}), counts=(1, 2)),
    Rule(places=frozenset[Place]({("vast", "community")}), terms="interruptible", ceiling=300_000, counts=(1, 2)),
    Rule(places=frozenset[Place]({("vast", "datacenter")}), min_down_mbps=500, min_ram_gb=64, min_duration_s=86_400),
]


@every_market
async def test_the_probes_of_a_rule_find_all_that_the_rule_matches(
    name: str, living: SimulatedMarket, client: httpx.AsyncClient
) -> None:
    async with served(living) as server:
        market = built(name, client, url=server.url, api_key=KEYS[name], **every_size(name))
        questions = [(rule, market.probes(rule)) for rule in RULES]  # what is read may depend on what rules ask
        whole = [(await market.scan(query)) for query in whole_book(market)]
        assert all(snapshot.complete for snapshot in whole), "the base of comparison has to be whole"
        telling = 0
        for rule, probes in questions:
            wanted = {offer.key for snapshot in whole for offer in snapshot.offers if matches(rule, offer, START)}
            found = set()
            for query in probes:
                snapshot = await market.scan(query)
                assert snapshot.complete
                assert all(query.expects(offer, START) for offer in snapshot.offers)
                found |= {offer.key for offer in snapshot.offers if matches(rule, offer, START)}
            assert found <= wanted, rule
            assert implied(found, wanted, rule) == wanted, rule
            telling += bool(wanted)
        assert telling >= 4, "rules that match nothing prove nothing"


def implied(found: set[str], wanted: set[str], rule: Rule) -> set[str]:
    """What is found, and smaller pods: RunPod takes an open range by a few sizes, because larger pods imply them."""
    if rule.counts[1] is not None:
        return found
    pods = {key.rpartition(":")[0] for key in found if key.startswith("runpod:")}
    return found | {key for key in wanted if key.rpartition(":")[0] in pods}


def every_size(name: str) -> dict[str, Any]:
    return {"gpu_counts": tuple(range(1, 9))} if name == "runpod" else {}


def whole_book(market: Marketplace) -> list[Coverage]:
    """Queries for everything, unverified hosts too, in portions that are not cut."""
    if market.name != "vast":
        return list(market.census([]))
    plain = market.census([])[0]
    portions: list[tuple[int, int | None]] = [(1, 1), (2, 2), (3, 4), (5, None)]
    return [Coverage(market="vast", tiers=plain.tiers, counts=counts, verified_only=False) for counts in portions]


@every_market
async def test_a_rule_for_the_other_market_asks_nothing_here(name: str, client: httpx.AsyncClient) -> None:
    others = frozenset(place for place in EVERY_PLACE if place[0] != name)
    assert built(name, client).probes(Rule(places=others)) == ()
    assert built(name, client).probes(Rule(places=EVERY_PLACE))


@every_market
async def test_confirming_queries_show_the_offers_they_were_made_for(
    name: str, living: SimulatedMarket, client: httpx.AsyncClient
) -> None:
    async with served(living) as server:
        market = built(name, client, url=server.url, api_key=KEYS[name])
        offers = (await book(market))[:7]
        for query in market.confirm(offers):
            snapshot = await market.scan(query)
            asked = {offer.key for offer in offers if query.covers(offer, START)}
            assert asked
            assert asked <= {offer.key for offer in snapshot.offers}
            assert snapshot.complete


@every_market
async def test_a_heartbeat_costs_next_to_nothing_where_rows_are_charged(
    name: str, living: SimulatedMarket, client: httpx.AsyncClient
) -> None:
    async with served(living) as server:
        market = built(name, client, url=server.url, api_key=KEYS[name])
        snapshot = await market.scan(market.heartbeat())
    assert snapshot.complete
    assert market.limits.rows_per_day is None or snapshot.rows <= 1


@every_market
async def test_without_a_key_the_market_can_still_be_looked_at(
    name: str, living: SimulatedMarket, client: httpx.AsyncClient
) -> None:
    async with served(living) as server:
        assert await book(built(name, client, url=server.url))

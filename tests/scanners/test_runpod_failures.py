"""RunPod fails in every known way: each is an error of its kind, never a sold-out market, and leaves no trace."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from market.gpu import CATALOGUE
from scanners.errors import KeyRejected, OddAnswer, RateLimited, Refused, Retired, ScanError, Unreachable
from scanners.markets import runpod
from scanners.simulator.clock import ManualClock
from scanners.simulator.faults import BrokenGzip, Drop, Fault, PartialErrors, Refuse, WebPage
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import RUNPOD_KEY, SimulatorServer

START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SCOPELESS = "a-key-without-permission"
HUGE = b"<html>" + b"blocked " * 200_000
TROUBLE = {"message": "Something went wrong. Please try again later or contact support."}


def problem(status: int, detail: str = "", **more: Any) -> Refuse:
    content = {"title": "A Title", "status": status, "detail": detail} | more
    return Refuse(status, json.dumps(content), "application/problem+json")


def sends(content: Any, status: int = 200) -> Refuse:
    return Refuse(status, json.dumps(content), "application/json")


def page(status: int, body: bytes = HUGE, **headers: str) -> Refuse:
    return Refuse(status, body, "text/html; charset=UTF-8", headers)


EITHER: list[tuple[Fault, type[ScanError]]] = [
    (page(403), Refused),
    (page(429), RateLimited),
    (page(429, Retry_After="0"), RateLimited),
    (page(502), Refused),
    (page(503), Refused),
    (page(520), Refused),
    (Refuse(403, b"error code: 1010", "text/plain"), Refused),
    (Refuse(429, b"", headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), RateLimited),
    (sends({"message": "Service Unavailable"}, 503), Refused),
    (sends({"error": {}}, 401), KeyRejected),
    (sends({"message": "Not Found"}, 404), Retired),
    (sends({"message": "Method Not Allowed"}, 405), Refused),
    (sends({}), OddAnswer),
    (sends(None), OddAnswer),
    (Refuse(200, b'{"gpus":[{"id":'), OddAnswer),
    (WebPage(), OddAnswer),
    (BrokenGzip(), OddAnswer),
    (Drop(), Unreachable),
]
WITH_KEY: list[tuple[Fault, type[ScanError]]] = [
    *EITHER,
    (problem(400, "product is required"), Refused),
    (problem(401, "missing bearer token"), KeyRejected),
    (problem(403, "access denied"), KeyRejected),
    (problem(404, "resource not found"), Retired),
    (problem(405), Refused),
    (
        problem(422, "Request validation failed.", errors=["$: additional properties 'bogus' not allowed"] * 500),
        Refused,
    ),
    (problem(429, "rate limit exceeded for the minute window"), RateLimited),
    (problem(500), Refused),
    (problem(503), Refused),
    (problem(200), OddAnswer),
    (sends({"gpus": None}), OddAnswer),
    (sends({"gpus": []}), OddAnswer),
    (sends({"gpus": [{"id": "NVIDIA L4", "availability": "LOW"}] * 20}), OddAnswer),
]
WITHOUT_KEY: list[tuple[Fault, type[ScanError]]] = [
    *EITHER,
    (sends({"errors": [TROUBLE]}), Refused),
    (sends({"errors": [TROUBLE | {"extensions": {"code": "INTERNAL_SERVER_ERROR"}}], "data": None}), Refused),
    (sends({"errors": [{"message": 'Cannot query field "securePrice" on type "GpuType".'}]}, 400), Retired),
    (sends({"data": None}), OddAnswer),
    (sends({"data": {"gpuTypes": []}}), OddAnswer),
    (sends({"data": {"gpuTypes": None}, "errors": []}), OddAnswer),
    (sends({"data": {"gpuTypes": [{"id": "NVIDIA L4"}] * 20}}), OddAnswer),
]


@dataclass(frozen=True)
class Scene:
    server: SimulatorServer
    client: httpx.AsyncClient

    def market(self, key: str | None) -> runpod.RunPod:
        settings = runpod.Settings(url=self.server.url, api_key=key)
        return runpod.build(settings, self.client, CATALOGUE, lambda: START)


@pytest.fixture(scope="module")
def living() -> SimulatedMarket:
    return SimulatedMarket(seed=3, start=START, offers=1)


@pytest.fixture
async def scene(living: SimulatedMarket, client: httpx.AsyncClient) -> AsyncIterator[Scene]:
    async with SimulatorServer(living, ManualClock(START), runpod_scopeless_keys={SCOPELESS}) as server:
        yield Scene(server, client)


@pytest.mark.parametrize(
    ("key", "fault", "kind"),
    [(RUNPOD_KEY, *each) for each in WITH_KEY] + [(None, *each) for each in WITHOUT_KEY],
)
async def test_a_failure_is_an_error_of_its_kind_and_the_next_answer_is_as_good_as_ever(
    scene: Scene, key: str | None, fault: Fault, kind: type[ScanError]
) -> None:
    market = scene.market(key)
    before = await market.scan(market.heartbeat())
    scene.server.faults.add(fault)
    with pytest.raises(ScanError) as caught:
        await market.scan(market.heartbeat())
    assert type(caught.value) is kind
    assert len(str(caught.value)) < 300, "whatever came, a person has to read this"
    after = await market.scan(market.heartbeat())
    assert before.offers
    assert after.complete
    assert after.offers == before.offers


async def test_a_key_without_permission_is_for_a_person_to_mend(scene: Scene) -> None:
    market = scene.market(SCOPELESS)
    with pytest.raises(KeyRejected):
        await market.scan(market.heartbeat())


async def test_half_an_answer_shows_offers_and_proves_no_absence(scene: Scene) -> None:
    market = scene.market(None)
    whole = await market.scan(market.heartbeat())
    scene.server.faults.add(PartialErrors())
    half = await market.scan(market.heartbeat())
    assert not half.complete
    assert set(half.offers) < set(whole.offers)
    assert any("Something went wrong" in note for note in half.notes)

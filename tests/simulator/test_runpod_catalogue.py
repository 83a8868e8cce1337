"""The simulated REST v2 catalogue of RunPod."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest

from scanners.simulator.limits import Window
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.pod_types import FILLER, POD_TYPES, PodType
from scanners.simulator.runpod import RunPodPolicy, RunPodService
from tests.simulator.asking import KEY, START, asked, document

PATH = "/v2/catalog/gpus"
STOCK = {"include": "AVAILABILITY", "product": "POD"}
CARD = "NVIDIA GeForce RTX 4090"


class Catalogue:
    """A still market and the service in front of it."""

    def __init__(self, policy: RunPodPolicy | None = None) -> None:
        self.market = SimulatedMarket.empty(START)
        self.book = self.market.runpod
        self.service = RunPodService(
            self.book, keys={KEY}, scopeless={"scopeless"}, policy=policy or RunPodPolicy(), chance=Random(5)
        )

    def __call__(self, path: str = PATH, **query: str) -> Any:
        answer = self.service.answer(asked(path, query=query, key=KEY))
        assert (answer.status, answer.content_type) == (200, "application/json"), answer.body
        return document(answer)

    def row(self, type_id: str = CARD, **query: str) -> dict[str, Any]:
        rows: list[dict[str, Any]] = self(**query)["gpus"]
        return next(row for row in rows if row["id"] == type_id)

    def refusal(self, path: str = PATH, key: str | None = KEY, method: str = "GET", **query: str) -> tuple[int, str]:
        answer = self.service.answer(asked(path, query=query, key=key, method=method))
        body = document(answer)
        assert answer.content_type == "application/problem+json"
        assert body["status"] == answer.status
        assert body["title"]
        return answer.status, body["detail"]


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue()


def test_without_a_good_key_nothing_is_told(catalogue: Catalogue) -> None:
    assert catalogue.refusal(key=None) == (401, "missing bearer token")
    assert catalogue.refusal(key="wrong") == (401, "invalid bearer token")
    assert catalogue.refusal(key="scopeless") == (403, "access denied")


def test_stock_is_told_only_when_asked_for(catalogue: Catalogue) -> None:
    catalogue.book.set_stock(CARD, "secure", "LOW")
    assert "availability" not in catalogue.row()
    assert catalogue.row(**STOCK)["availability"] == "LOW"


def test_stock_is_of_one_cloud_and_one_pod_size(catalogue: Catalogue) -> None:
    catalogue.book.set_stock(CARD, "secure", "HIGH")
    catalogue.book.set_stock(CARD, "secure", "NONE", count=8)
    catalogue.book.set_stock(CARD, "community", "MEDIUM")
    assert catalogue.row(**STOCK)["availability"] == "HIGH"
    assert catalogue.row(**STOCK, count="8", cloud="SECURE")["availability"] == "NONE"
    assert catalogue.row(**STOCK, cloud="COMMUNITY")["availability"] == "MEDIUM"


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"include": "AVAILABILITY"}, 400),
        ({"product": "POD"}, 400),
        ({"count": "2"}, 400),
        ({"cloud": "SECURE"}, 400),
        ({"countryCodes": "FR"}, 400),
        ({**STOCK, "cudaVersions": "12.8", "minCudaVersion": "12.8"}, 400),
        ({"include": "PRICES"}, 422),
        ({**STOCK, "product": "PODS"}, 422),
        ({**STOCK, "count": "0"}, 422),
        ({**STOCK, "count": "two"}, 422),
        ({**STOCK, "cloud": "ALL"}, 422),
        ({**STOCK, "countryCodes": "fr"}, 422),
        ({**STOCK, "countryCodes": "FR,"}, 422),
        ({**STOCK, "cudaVersions": "12"}, 422),
        ({**STOCK, "minCudaVersion": "12.x"}, 422),
    ],
)
def test_queries_that_break_a_rule_are_refused(catalogue: Catalogue, query: dict[str, str], status: int) -> None:
    assert catalogue.refusal(**query)[0] == status


def test_one_type_can_be_asked_for_by_its_id(catalogue: Catalogue) -> None:
    assert catalogue(f"{PATH}/{CARD}")["id"] == CARD
    assert catalogue.refusal(f"{PATH}/RTX 4090") == (404, "resource not found")
    assert catalogue.refusal("/v2/catalog/cards") == (404, "resource not found")
    assert catalogue.refusal(method="POST")[0] == 405


def test_a_cloud_that_does_not_offer_a_type_shows_a_filler_for_its_price(catalogue: Catalogue) -> None:
    rows = catalogue()["gpus"]
    fillers = [(row, cloud) for row in rows for cloud in ("secure", "community") if row["price"][cloud] in (0, FILLER)]
    assert {row["price"][cloud] for row, cloud in fillers} == {0, FILLER}
    assert any(not row[cloud] for row, cloud in fillers)
    assert any(row[cloud] for row, cloud in fillers), "a slice with two fillers says that it is offered"


def test_flags_and_counts_contradict_each_other_and_a_sentinel_is_no_card(catalogue: Catalogue) -> None:
    rows = catalogue()["gpus"]
    assert any(row["community"] and row["maxCount"]["community"] == 0 for row in rows)
    assert any(not row["community"] and row["maxCount"]["community"] > 0 for row in rows)
    assert any(row["secure"] and row["maxCount"]["secure"] == 0 for row in rows)
    assert [row["memory"] for row in rows if row["id"] == "unknown"] == [0]
    assert any(" MIG " in row["id"] for row in rows)


def test_data_centres_belong_to_secure_cloud_and_are_sometimes_left_out(catalogue: Catalogue) -> None:
    for kind in POD_TYPES:
        catalogue.book.set_stock(kind.id, "secure", "LOW")
        catalogue.book.set_stock(kind.id, "community", "LOW")
    secure, community = catalogue(**STOCK)["gpus"], catalogue(**STOCK, cloud="COMMUNITY")["gpus"]
    named = ["dataCenters" in row for row in secure if row["availability"] == "LOW"]
    assert any(named)
    assert not all(named)
    assert not any("dataCenters" in row for row in community)


def test_a_data_centre_may_have_low_stock_while_there_is_none_overall(catalogue: Catalogue) -> None:
    stray = [row for row in catalogue(**STOCK)["gpus"] if row["availability"] == "NONE" and "dataCenters" in row]
    assert [row["dataCenters"][0]["availability"] for row in stray] == ["LOW"]


def test_a_country_narrows_the_list_but_a_single_type_stays(catalogue: Catalogue) -> None:
    catalogue.book.set_stock(CARD, "secure", "HIGH")
    assert catalogue(**STOCK, countryCodes="ZZ") == {"gpus": []}
    single = catalogue(f"{PATH}/{CARD}", **STOCK, countryCodes="ZZ")
    assert single["availability"] == "NONE"
    assert "dataCenters" not in single


def test_cuda_versions_are_compared_as_versions(catalogue: Catalogue) -> None:
    kind = PodType("Test Card", "Test", 24, 1.0, 1.0, 1.0, None, cuda=("12.2", "12.11"))
    catalogue.book.add_type(kind)
    catalogue.book.set_stock(kind.id, "secure", "LOW")
    row = catalogue.row(kind.id, **STOCK, minCudaVersion="12.3")
    assert [entry["version"] for entry in row["cudaVersions"]] == ["12.11"]
    assert row["availability"] == "LOW"
    assert catalogue.row(kind.id, **STOCK, cudaVersions="13.0")["availability"] == "NONE"


def test_stock_for_other_products_says_nothing_about_pods(catalogue: Catalogue) -> None:
    assert catalogue.row(include="AVAILABILITY", product="SERVERLESS")["availability"] == "HIGH"
    assert catalogue.row(**STOCK)["availability"] == "NONE"


def test_prices_and_types_can_be_changed(catalogue: Catalogue) -> None:
    catalogue.book.set_price(CARD, "secure", 0.61)
    assert catalogue.row()["price"]["secure"] == 0.61
    catalogue.book.remove_type(CARD)
    assert CARD not in {row["id"] for row in catalogue()["gpus"]}
    with pytest.raises(KeyError):
        catalogue.book.set_stock(CARD, "secure", "LOW")


def test_every_answer_to_a_known_caller_tells_its_limits_and_its_request_id(catalogue: Catalogue) -> None:
    answers = [catalogue.service.answer(asked(PATH, key=KEY)) for _ in range(2)]
    assert answers[1].headers["RateLimit"].startswith('"minute";r=58;t=60, "hour";r=2998;t=')
    assert answers[1].headers["RateLimit-Policy"] == ('"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400')
    assert answers[0].headers["x-request-id"] != answers[1].headers["x-request-id"]
    stranger = catalogue.service.answer(asked(PATH))
    assert "x-request-id" in stranger.headers
    assert "RateLimit" not in stranger.headers


def test_the_window_that_is_full_refuses_and_says_how_long_to_wait() -> None:
    policy = RunPodPolicy(
        windows=(Window(name="minute", quota=2, seconds=60), Window(name="hour", quota=3, seconds=3600))
    )
    service = Catalogue(policy).service
    times = [0, 10, 15, 61, 70, 3599, 3600]
    answers = [service.answer(asked(PATH, key=KEY, at=START + timedelta(seconds=at))) for at in times]
    assert [answer.status for answer in answers] == [200, 200, 429, 200, 429, 429, 200]
    assert answers[2].headers["Retry-After"] == "45"
    assert document(answers[2])["detail"] == "rate limit exceeded for the minute window"
    assert answers[4].headers["Retry-After"] == "3530"
    assert answers[4].headers["RateLimit"] == '"minute";r=1;t=50, "hour";r=0;t=3530'

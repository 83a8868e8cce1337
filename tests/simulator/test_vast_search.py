"""The search language of the simulated Vast.ai, traps included."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from scanners.simulator.market import SimulatedMarket
from scanners.simulator.vast import VastPolicy, VastService
from tests.simulator.asking import KEY, START, asked, document

PATH = "/api/v0/bundles/"


class Search:
    """A market with a service that does not limit its callers."""

    def __init__(self, policy: VastPolicy | None = None) -> None:
        self.market = SimulatedMarket.empty(START)
        self.service = VastService(
            self.market.vast,
            keys={KEY},
            policy=policy or VastPolicy(requests_per_minute=None),
            chance=Random(5),
        )
        self.add = self.market.vast.add_machine

    def __call__(self, query: Any, key: str | None = KEY) -> list[dict[str, Any]]:
        answer = self.service.answer(asked(PATH, method="POST", body=query, key=key))
        assert answer.status == 200, answer.body
        offers: list[dict[str, Any]] = document(answer)["offers"]
        assert answer.rows == len(offers)
        return offers

    def machines(self, query: Any, key: str | None = KEY) -> set[int]:
        return {row["machine_id"] for row in self(query, key)}

    def refusal(self, query: Any) -> tuple[int, str, str]:
        answer = self.service.answer(asked(PATH, method="POST", body=query, key=KEY))
        body = document(answer)
        assert body["success"] is False
        return answer.status, body["error"], body["msg"]


@pytest.fixture
def search() -> Search:
    return Search()


@pytest.mark.parametrize(
    ("operator", "value", "fits"),
    [
        ("eq", 0.97, {2}),
        ("neq", 0.97, {1, 3}),
        ("gt", 0.97, {3}),
        ("gte", 0.97, {2, 3}),
        ("lt", 0.97, {1}),
        ("lte", 0.97, {1, 2}),
        ("in", [0.9, 0.99], {1, 3}),
        ("notin", [0.9, 0.99], {2}),
    ],
)
def test_every_operator_compares(search: Search, operator: str, value: Any, fits: set[int]) -> None:
    for number, reliability in ((1, 0.9), (2, 0.97), (3, 0.99)):
        search.add(machine_id=number, reliability=reliability)
    assert search.machines({"reliability": {operator: value}}) == fits
    assert search.machines({"reliability2": {operator: value}}) == fits


def test_an_unknown_operator_is_refused(search: Search) -> None:
    assert search.refusal({"gpu_name": {"contains": "4090"}}) == (
        400,
        "invalid_request",
        "contains is not a valid search op",
    )
    assert search.refusal({"rentable": True})[:2] == (400, "invalid_request")


def test_an_unknown_field_is_ignored(search: Search) -> None:
    search.add(machine_id=1)
    assert search.machines({"price_per_gpu": {"lte": 0.01}}) == {1}


@pytest.mark.parametrize("operator", ["eq", "neq", "gt", "gte", "lt", "lte"])
def test_a_number_sent_as_text_matches_nothing(search: Search, operator: str) -> None:
    search.add()
    assert search({"dph_total": {operator: "0.40"}}) == []
    assert search({"num_gpus": {"in": ["1"]}}) == []
    assert search({"num_gpus": {"notin": ["2"]}}) == []


def test_a_missing_value_fails_every_comparison(search: Search) -> None:
    search.add(place=None)
    assert search({"geolocation": {"in": ["PT"]}}) == []
    assert search({"geolocation": {"notin": ["PT"]}}) == []


def test_card_names_are_exact_and_case_matters(search: Search) -> None:
    search.add("RTX 4090", machine_id=1)
    search.add("RTX 4090D", machine_id=2)
    assert search.machines({"gpu_name": {"eq": "RTX 4090"}}) == {1}
    assert search.machines({"gpu_name": {"in": ["rtx 4090", "RTX_4090"]}}) == set()


def test_the_ask_id_filters_by_its_second_name_only(search: Search) -> None:
    search.add(machine_id=1)
    search.add(machine_id=2)
    number = next(row["id"] for row in search({}) if row["machine_id"] == 2)
    assert search.machines({"id": {"eq": number}}) == {1, 2}
    assert search.machines({"ask_contract_id": {"eq": number}}) == {2}


def test_words_that_stand_for_other_fields_filter(search: Search) -> None:
    search.add(machine_id=1, verification="verified", datacenter=True, place="Quebec, CA", days=10)
    search.add(machine_id=2, verification="unverified", datacenter=False, place=", US", days=1)
    assert search.machines({"verified": {"eq": True}}) == {1}
    assert search.machines({"verified": {"eq": False}}) == {2}
    assert search.machines({"datacenter": {"eq": True}}) == {1}
    assert search.machines({"geolocation": {"in": ["US", "BR"]}}) == {2}
    assert search.machines({"geolocation": {"notin": ["US"]}}) == {1}
    assert search.machines({"duration": {"gte": 3 * 86_400}}) == {1}
    assert search.machines({"external": {"eq": False}, "rented": {"eq": False}}) == {1, 2}


def test_taken_slices_are_in_the_answer_unless_filtered_out(search: Search) -> None:
    number = search.add()
    search.market.vast.rent(number)
    assert len(search({})) == 1
    assert search({"rentable": {"eq": True}}) == []


def test_the_disk_asked_for_is_in_the_price_and_filters(search: Search) -> None:
    search.add(machine_id=1, price=0.3, storage_cost=0.15, disk_space=500)
    search.add(machine_id=2, price=0.3, disk_space=50)
    (row,) = search({"allocated_storage": 100})
    assert row["machine_id"] == 1
    assert row["dph_total"] == pytest.approx(0.3 + 100 * 0.15 / 720)
    assert search({"allocated_storage": 100, "dph_total": {"lte": 0.31}}) == []
    assert len(search({})) == 2
    assert search({})[0]["storage_total_cost"] == pytest.approx(8 * 0.15 / 720)


def test_some_filters_lose_rows_as_the_real_ones_do(search: Search) -> None:
    for number in range(1, 31):
        search.add(machine_id=number, cuda=12.8, cpu_ram=64_000)
    assert search({"cuda_max_good": {"gte": 12.0}}) == []
    assert len(search({"cuda_max_good": {"gte": 12.0}, "compute_cap": {"gte": 800}})) == 30
    assert 0 < len(search({"cpu_ram": {"gte": 1}})) < 30
    assert len(search({"dlperf_per_dphtotal": {"gte": 1e9}})) == 30


def test_a_bid_search_prices_the_same_offers_at_their_lowest_bid(search: Search) -> None:
    search.add(price=0.4, bid_share=1.2)
    on_demand, bid = search({"type": "on-demand"})[0], search({"type": "bid"})[0]
    assert (on_demand["id"], on_demand["is_bid"], bid["is_bid"]) == (bid["id"], False, True)
    assert bid["dph_base"] == bid["min_bid"] == on_demand["min_bid"] == pytest.approx(0.48)
    assert search.refusal({"type": "spot"})[:2] == (400, "invalid_args")


def test_rows_come_in_the_order_asked_for(search: Search) -> None:
    for number, price in ((1, 0.5), (2, 0.3), (3, 0.4)):
        search.add(machine_id=number, price=price)
    assert [row["machine_id"] for row in search({"order": [["dph_total", "asc"]]})] == [2, 3, 1]
    assert [row["machine_id"] for row in search({"order": [["dph_total", "desc"]]})] == [1, 3, 2]
    assert search.refusal({"order": "dph_total"})[:2] == (400, "invalid_args")


@pytest.mark.parametrize(
    ("query", "key", "rows"),
    [
        ({}, KEY, 64),
        ({"limit": 10}, KEY, 10),
        ({"limit": 100_000}, KEY, 512),
        ({"limit": 512}, None, 64),
        ({"limit": 0}, KEY, 0),
    ],
)
def test_answers_are_cut_silently(search: Search, query: Any, key: str | None, rows: int) -> None:
    for _ in range(600):
        search.add()
    answer = search.service.answer(asked(PATH, method="POST", body=query, key=key))
    assert set(document(answer)) == {"offers"}
    assert len(document(answer)["offers"]) == rows


def test_a_cut_answer_is_a_sample_and_not_the_first_rows(search: Search) -> None:
    for number in range(1, 801):
        search.add(machine_id=number, price=number / 1_000)
    query = {"order": [["dph_total", "asc"]], "limit": 64}
    first, second = search(query), search(query)
    numbers = [row["machine_id"] for row in first]
    assert numbers == sorted(numbers)
    assert max(numbers) > 300
    assert max(numbers) <= 512
    assert numbers != [row["machine_id"] for row in second]


def test_an_answer_that_fits_is_whole(search: Search) -> None:
    for number in range(1, 65):
        search.add(machine_id=number)
    assert search.machines({"limit": 64}) == set(range(1, 65))


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '"text"'])
def test_a_body_that_is_no_query_is_refused(search: Search, body: str) -> None:
    assert search.refusal(body)[:2] == (400, "invalid_request")


@pytest.mark.parametrize("limit", ["64", 1.5, -1, True, None])
def test_a_limit_that_is_no_whole_number_is_refused(search: Search, limit: Any) -> None:
    assert search.refusal({"limit": limit})[:2] == (400, "invalid_args")


def test_the_older_and_the_newer_form_of_a_search_find_the_same(search: Search) -> None:
    search.add(machine_id=1)
    search.add("RTX 3090", machine_id=2)
    query = {"gpu_name": {"eq": "RTX 3090"}}
    older = search.service.answer(asked(PATH, query={"q": json.dumps(query)}, key=KEY))
    newer = search.service.answer(
        asked("/api/v0/search/asks/", method="PUT", body={"select_cols": ["id", "dph_total"], "q": query}, key=KEY)
    )
    assert [row["machine_id"] for row in document(older)["offers"]] == [2]
    assert [set(row) for row in document(newer)["offers"]] == [{"id", "dph_total"}]


def test_a_wrong_path_gives_a_web_page_with_status_200(search: Search) -> None:
    answer = search.service.answer(asked("/api/v0/bundle/", method="POST", body={}, key=KEY))
    assert (answer.status, answer.content_type) == (200, "text/html")


def test_an_old_path_is_gone(search: Search) -> None:
    answer = search.service.answer(asked("/api/v0/instances/", key=KEY))
    assert (answer.status, document(answer)["error"]) == (410, "deprecated_endpoint")


def test_the_spellings_of_cards_can_be_asked_for(search: Search) -> None:
    search.add("RTX 6000Ada")
    assert document(search.service.answer(asked("/api/v0/gpu_names/unique/"))) == {"gpu_names": ["RTX 6000Ada"]}


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("odd", ["0.01", None, [0.01], {"usd": 1}, True, float("inf"), -1])
def test_odd_values_are_sent_and_no_search_looks_at_them(direction: str, odd: Any) -> None:
    search = Search()
    for number, price in ((1, 0.2), (2, 0.3), (3, 0.4)):
        raw = {"dph_total": odd, "gpu_name": odd, "reliability": odd} if number == 2 else {}
        search.add(machine_id=number, host_id=number, price=price, raw=raw)
    query = {"gpu_name": {"eq": "RTX 4090"}, "dph_total": {"lte": 0.5}, "reliability": {"gt": 0.5}}
    rows = search(query | {"order": [["dph_total", direction], ["gpu_name", "asc"]]})
    assert [row["machine_id"] for row in rows] == ([1, 2, 3] if direction == "asc" else [3, 2, 1])
    assert rows[1]["dph_total"] == odd

"""The simulated data centres of RunPod."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from scanners.simulator.market import SimulatedMarket
from scanners.simulator.pod_types import DATA_CENTERS
from scanners.simulator.runpod import RunPodPolicy, RunPodService
from tests.simulator.asking import KEY, START, asked, document

PATH = "/v2/catalog/datacenters"
STOCK = {"include": "GPU_AVAILABILITY"}
CARD = "NVIDIA GeForce RTX 4090"
SILENT = "NVIDIA GeForce RTX 5090"


class Centers:
    """A still market and the service in front of it."""

    def __init__(self) -> None:
        self.book = SimulatedMarket.empty(START).runpod
        self.service = RunPodService(self.book, keys={KEY}, policy=RunPodPolicy(), chance=Random(5))

    def __call__(self, path: str = PATH, *, method: str = "GET", key: str | None = KEY, **query: str) -> Any:
        answer = self.service.answer(asked(path, query=query, key=key, method=method))
        return document(answer) if answer.status == 200 else answer.status

    def rows(self, **query: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self(**query)["dataCenters"]
        return rows

    def levels(self, type_id: str) -> dict[str, str]:
        return {
            row["id"]: each["availability"]
            for row in self.rows(**STOCK)
            for each in row.get("gpuAvailability", [])
            if each["id"] == type_id
        }


@pytest.fixture
def centers() -> Centers:
    return Centers()


def test_every_data_centre_is_described(centers: Centers) -> None:
    rows = centers.rows()
    assert {row["id"] for row in rows} == set(DATA_CENTERS)
    for row in rows:
        assert row.keys() == {"id", "name", "region", "globalNetwork", "networkVolumeTypes", "compliance"}


def test_stock_is_told_only_when_asked_for(centers: Centers) -> None:
    assert any("gpuAvailability" in row for row in centers.rows(**STOCK))
    assert not any("cpuAvailability" in row for row in centers.rows(**STOCK))
    both = centers.rows(include="GPU_AVAILABILITY,CPU_AVAILABILITY")
    assert all("cpuAvailability" in row for row in both)


def test_a_data_centre_without_gpus_has_no_list_of_them(centers: Centers) -> None:
    for type_id in list(centers.book.types):
        if type_id != CARD:
            centers.book.remove_type(type_id)
    having = {row["id"] for row in centers.rows(**STOCK) if "gpuAvailability" in row}
    assert having == set(centers.levels(CARD)) < set(DATA_CENTERS)


def test_a_type_stands_here_even_where_its_own_row_names_no_data_centre(centers: Centers) -> None:
    for type_id in (CARD, SILENT):
        centers.book.set_stock(type_id, "secure", "LOW")
    gpus = document(
        centers.service.answer(asked("/v2/catalog/gpus", query={"include": "AVAILABILITY", "product": "POD"}, key=KEY))
    )["gpus"]
    named = {row["id"]: {each["id"] for each in row.get("dataCenters", [])} for row in gpus}
    found = {type_id: {name for name, level in centers.levels(type_id).items() if level != "NONE"} for type_id in named}
    assert found[CARD] == named[CARD] != set()
    assert found[SILENT] > named[SILENT] == set()


def test_what_is_sold_out_is_listed_without_stock(centers: Centers) -> None:
    centers.book.set_stock(CARD, "secure", "NONE")
    assert set(centers.levels(CARD).values()) == {"NONE"}


def test_a_level_can_be_set_in_one_place(centers: Centers) -> None:
    centers.book.set_center(CARD, "ZZ-NEW-1", "HIGH")
    assert centers.levels(CARD)["ZZ-NEW-1"] == "HIGH"


def test_filters_narrow_the_list(centers: Centers) -> None:
    assert {row["region"] for row in centers.rows(regions="EUROPE,ASIA")} == {"EUROPE", "ASIA"}
    both = centers.rows(networkVolumeTypes="STANDARD,HIGH_PERFORMANCE")
    assert both
    assert all(len(row["networkVolumeTypes"]) == 2 for row in both)
    assert {row["globalNetwork"] for row in centers.rows(globalNetwork="false")} == {False}
    assert all("GDPR" in row["compliance"] for row in centers.rows(compliance="GDPR"))
    assert centers.rows(compliance="HIPAA") == []


@pytest.mark.parametrize(
    "query",
    [{"include": "AVAILABILITY"}, {"include": "GPU_AVAILABILITY,"}, {"regions": "europe"}, {"compliance": "X"},
     {"networkVolumeTypes": ""}, {"globalNetwork": "yes"}],
)  # fmt: skip
def test_words_that_are_not_known_are_refused(centers: Centers, query: dict[str, str]) -> None:
    assert centers(**query) == 422


def test_one_data_centre_can_be_asked_for(centers: Centers) -> None:
    assert centers(f"{PATH}/EU-RO-1", **STOCK)["id"] == "EU-RO-1"
    assert centers(f"{PATH}/EU-XX-9") == 404
    assert centers(f"{PATH}x") == 404
    assert centers(method="POST") == 405
    assert centers(key=None) == 401

"""The scanners on answers captured from the real services, where such are at hand.

The captures are not part of the project: ATALAIA_CAPTURES names the folder that holds them.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.offer import Tier, physical_gpus
from market.snapshot import Snapshot
from scanners.client import Response
from scanners.markets.runpod import rest
from scanners.markets.runpod.memory import Memory
from scanners.markets.runpod.offers import snapshot
from scanners.markets.runpod.wire import SENTINEL
from scanners.markets.vast.offers import parse
from tests.scanners.pods import answer
from tests.scanners.vast_rows import BOOK

FOLDER = os.environ.get("ATALAIA_CAPTURES")
pytestmark = pytest.mark.skipif(not FOLDER, reason="ATALAIA_CAPTURES names no folder of captured answers")
AT = datetime(2026, 8, 22, 18, 14, tzinfo=UTC)
CLOUDS: tuple[Tier, ...] = ("secure", "community")


def lists(name: str) -> list[list[dict[str, Any]]]:
    """Every captured list that an answer held under `name`, wherever it lies."""
    found = []
    for path in sorted(Path(FOLDER or "").rglob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and isinstance(content.get(name), list):
            found.append(content[name])
    return found


@pytest.fixture(scope="module")
def full_answers() -> list[list[dict[str, Any]]]:
    """Answers of Vast.ai with every field."""
    return [rows for rows in lists("offers") if all({"dph_base", "dph_total"} <= row.keys() for row in rows)]


@pytest.fixture(scope="module")
def book() -> list[dict[str, Any]]:
    """A whole verified book that lacks the fields its collector did not ask for; each row stands for a machine."""
    rows = max(lists("offers"), key=len)
    added = {"verification": "verified", "rentable": True, "storage_cost": 0}
    return [{**row, "machine_id": row["id"], **added} for row in rows]


@pytest.fixture(scope="module")
def catalogue() -> Response:
    """A whole catalogue of RunPod."""
    (rows,) = lists("gpus")
    return answer({"gpus": rows})


def vast(rows: Any, coverage: Coverage = BOOK) -> Snapshot:
    body = json.dumps({"offers": rows}).encode()
    return parse(body, coverage=coverage, catalogue=CATALOGUE, taken_at=AT, row_limit=512, keyless=False)


def test_two_slices_of_one_machine_are_not_six_gpus(full_answers: list[list[dict[str, Any]]]) -> None:
    (rows,) = [rows for rows in full_answers if {row["gpu_name"] for row in rows} == {"B300"}]
    offers = vast(rows).offers
    assert len({offer.machine for offer in offers}) == 1
    assert sorted(offer.gpu_count for offer in offers) == [2, 4]
    assert physical_gpus(list(offers)) == 4
    assert {offer.machine_gpus for offer in offers} == {8}
    for offer in offers:
        assert offer.vram_gb == 288
        assert offer.price / offer.gpu_count == pytest.approx(7_500_000, rel=1e-3)


def test_every_captured_row_can_be_read(full_answers: list[list[dict[str, Any]]]) -> None:
    assert len(full_answers) >= 3
    for rows in full_answers:
        found = vast(rows, replace(BOOK, verified_only=False))
        assert (found.skipped, len(found.offers)) == (0, len({(row["machine_id"], row["num_gpus"]) for row in rows}))


def test_most_of_a_verified_book_is_over_95_per_cent_reliable(book: list[dict[str, Any]]) -> None:
    asked = replace(BOOK, disk_gb=5)
    assert len(vast(book, asked).offers) == 1_343
    assert len(vast(book, replace(asked, reliability_above=950_000)).offers) == 1_285


def test_one_card_of_that_book(book: list[dict[str, Any]]) -> None:
    card = replace(BOOK, disk_gb=5, cards=frozenset({"RTX 4090"}))
    whole, reliable = vast(book, card).offers, vast(book, replace(card, reliability_above=950_000)).offers
    assert (len(whole), len(reliable)) == (106, 104)
    assert sum(offer.price <= 400_000 * offer.gpu_count for offer in reliable) == 74


def test_every_spelling_of_that_book_is_a_known_card(book: list[dict[str, Any]]) -> None:
    assert {offer.gpu for offer in vast(book).offers} <= CATALOGUE.cards.keys()


def test_what_is_sold_in_a_catalogue_is_told_from_what_only_fills_it(catalogue: Response) -> None:
    sold = set()
    for tier in CLOUDS:
        listings, skipped = rest.read(catalogue, tier)
        assert (len(listings), skipped) == (50, 0)
        listings = [each for each in listings if each.type_id != SENTINEL]
        assert len(listings) == 49
        sold |= {(each.type_id, tier) for each in listings if each.sellable(1)}
    assert len(sold) == 67
    assert not any("B300" in type_id and "MIG" in type_id for type_id, _ in sold)
    assert ("AMD Instinct MI300X OAM", "community") not in sold
    assert ("NVIDIA GeForce RTX 3090", "secure") in sold


def test_the_offers_of_that_catalogue_are_what_has_stock(catalogue: Response) -> None:
    for tier in CLOUDS:
        listings, _ = rest.read(catalogue, tier)
        asked = Coverage(market="runpod", tiers=frozenset({tier}), counts=(1, 1))
        found = snapshot(listings, coverage=asked, catalogue=CATALOGUE, memory=Memory(), taken_at=AT)
        assert found.complete
        assert found.offers
        assert {offer.stock for offer in found.offers} <= {"low", "medium"}
        assert {offer.gpu for offer in found.offers} <= CATALOGUE.cards.keys()
        assert all(offer.price > 0 and offer.vram_gb > 0 for offer in found.offers)

"""One card has one name, whoever writes it and however; nothing is a card by resemblance."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.card import can_be_typed, cleaned, key_of
from market.cards import CARDS, FAMILY_ALIASES
from market.gpu import CATALOGUE, default_catalogue


@pytest.fixture
def captures() -> Path:
    folder = os.environ.get("ATALAIA_CAPTURES")
    if not folder:
        pytest.skip("ATALAIA_CAPTURES names no folder of captured answers")
    return Path(folder)


def test_the_default_catalogue_is_the_table() -> None:
    assert set(default_catalogue().cards) == {card.name for card in CARDS}


def test_no_card_stands_twice_in_the_table() -> None:
    names = [card.name for card in CARDS]
    assert len(names) == len(set(names))


def test_no_spelling_of_a_market_belongs_to_two_cards() -> None:
    for spellings in ([s for card in CARDS for s in card.vast], [s for card in CARDS for s in card.runpod]):
        assert len(spellings) == len(set(spellings))


def test_every_known_card_can_be_typed_by_its_name() -> None:
    for card in CARDS:
        assert can_be_typed(card.name), card.name
        choice = CATALOGUE.typed[key_of(card.name)]
        assert card.name in choice.cards, card.name


def test_every_family_holds_whole_desktop_cards_only() -> None:
    assert set(CATALOGUE.families) == set(FAMILY_ALIASES)
    for members in CATALOGUE.families.values():
        assert len(members) >= 2
        assert not any("MIG" in name or "Laptop" in name for name in members)


@pytest.mark.parametrize(
    ("market", "spelling", "card"),
    [
        ("vast", "RTX 4090", "RTX 4090"),
        ("runpod", "NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("vast", "NVIDIA  GeForce  RTX 4090", "RTX 4090"),
        ("vast", "RTX_4090", "RTX 4090"),
        ("vast", "RTX 4090D", "RTX 4090 D"),
        ("vast", "RTX 4090 D", "RTX 4090 D"),
        ("vast", "RTX 4090 Laptop GPU", "RTX 4090 Laptop"),
        ("vast", "RTX 4070S Ti", "RTX 4070 Ti Super"),
        ("vast", "RTX 4070S", "RTX 4070 Super"),
        ("vast", "RTX 4000Ada", "RTX 4000 Ada"),
        ("runpod", "NVIDIA RTX 4000 SFF Ada Generation", "RTX 4000 Ada SFF"),
        ("vast", "Q RTX 6000", "Quadro RTX 6000"),
        ("vast", "H200", "H200 SXM"),
        ("runpod", "NVIDIA H200", "H200 SXM"),
        ("vast", "A100 SXM4", "A100 SXM"),
        ("vast", "A100 SXM", "A100 SXM"),
        ("runpod", "NVIDIA A100-SXM4-40GB", "A100 SXM"),
        ("runpod", "NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("runpod", "NVIDIA B300 SXM6 AC MIG 1g.34gb", "B300 MIG 34GB"),
        ("runpod", "NVIDIA RTX PRO 4500 Blackwell Server Edition", "RTX PRO 4500 SE"),
        ("runpod", "NVIDIA  RTX A4500", "RTX A4500"),
        ("vast", "RTX PRO 6000 S", "RTX PRO 6000 SE"),
        ("vast", "RTX PRO 6000", "RTX PRO 6000"),
        ("vast", "RTX 4090 48GB", "RTX 4090"),
        ("vast", "A6000", "RTX A6000"),
        ("vast", "RTX 4090 12GB", "RTX 4090 12GB"),
        ("vast", "RTX A1000", "RTX A1000"),
        ("vast", "C500 SXM9", "C500 SXM9"),
        ("runpod", "NVIDIA GeForce RTX 9990", "RTX 9990"),
    ],
)
def test_a_market_spelling_gives_the_canonical_card(market: str, spelling: str, card: str) -> None:
    assert CATALOGUE.card_of(market, spelling) == card


def test_an_unknown_spelling_is_made_safe_and_kept() -> None:
    assert CATALOGUE.card_of("vast", " C500\n\tSXM9\x00\u202e ") == "C500 SXM9"
    assert len(CATALOGUE.card_of("vast", "Z" * 500)) == 64
    assert CATALOGUE.card_of("vast", "\x00") == "unknown"


@given(st.text(max_size=80))
@settings(deadline=None, max_examples=50)
def test_any_spelling_is_one_printable_line(spelling: str) -> None:
    name = cleaned(spelling)
    assert name.isprintable()
    assert 0 < len(name) <= 64
    assert cleaned(name) == name


@pytest.mark.parametrize(
    ("card", "megabytes", "gigabytes"),
    [
        ("RTX 4090", 24564, 24),
        ("RTX 4090", 23028, 24),
        ("RTX 4090", 49140, 48),
        ("RTX 2080 Ti", 22528, 22),
        ("RTX 2080 Ti", 11264, 11),
        ("A16", 15356, 16),
        ("B300", 275040, 288),
        ("B200", 183359, 180),
        ("A10", 23028, 24),
        ("L40S", 46068, 48),
        ("A100 SXM", 39936, 40),
        ("H200 NVL", 143 * 1024, 141),
        ("MI350X", 294 * 1024, 288),
        ("RTX 3080", 20480, 20),
        ("C500 SXM9", 24564, 24),
        ("C500 SXM9", 23028, 24),
        ("C500 SXM9", 22528, 22),
        ("C500 SXM9", 275040, 288),
        ("C500 SXM9", 15356, 16),
        ("C500 SXM9", 100, 1),
        ("RTX 4090", 81559, 80),
    ],
)
def test_reported_memory_becomes_the_nominal_size(card: str, megabytes: float, gigabytes: int) -> None:
    assert CATALOGUE.nominal_gb(card, megabytes) == gigabytes


@pytest.mark.parametrize("megabytes", [0, -1, float("nan"), float("inf")])
def test_memory_that_is_no_size_is_refused(megabytes: float) -> None:
    with pytest.raises(ValueError, match="not a size"):
        CATALOGUE.nominal_gb("RTX 4090", megabytes)


def test_a_request_uses_the_spelling_of_the_market() -> None:
    assert CATALOGUE.vast_spellings("RTX 4090 D") == ("RTX 4090D", "RTX 4090 D")
    assert CATALOGUE.vast_spellings("RTX 4090") == ("RTX 4090",)
    assert CATALOGUE.vast_spellings("A100 SXM") == ("A100 SXM4", "A100 SXM")
    assert CATALOGUE.vast_spellings("MI300X") == ("MI300X",)
    assert CATALOGUE.vast_spellings("C500 SXM9") == ("C500 SXM9",)
    assert CATALOGUE.runpod_ids("RTX 4090") == ("NVIDIA GeForce RTX 4090",)
    assert CATALOGUE.runpod_ids("C500 SXM9") == ()


def test_a_card_seen_on_a_market_becomes_a_card_of_its_own() -> None:
    larger = CATALOGUE.with_seen(["C500 SXM9", "C500 SXM9", "RTX 4090"])
    assert larger.cards.keys() - CATALOGUE.cards.keys() == {"C500 SXM9"}
    assert larger.typed["c500sxm9"].cards == {"C500 SXM9"}
    assert larger.card_of("vast", "C500-SXM9") == "C500 SXM9"
    assert all("C500 SXM9" not in members for members in larger.families.values())


def test_seeing_nothing_new_changes_nothing() -> None:
    larger = CATALOGUE.with_seen(["C500 SXM9"])
    assert larger.with_seen(["C500 SXM9", "RTX 4090", "rtx4090"]) is larger
    assert "C500 SXM9" not in CATALOGUE.cards


def test_a_bare_family_name_of_a_market_joins_the_family() -> None:
    larger = CATALOGUE.with_seen(["H100"])
    assert larger.typed["h100"].cards == {"H100", "H100 SXM", "H100 PCIe", "H100 NVL"}
    assert larger.nominal_gb("H100", 81559) == 80
    assert "PRO 6000" in CATALOGUE.with_seen(["PRO 6000"]).families["RTX PRO 6000"]


@pytest.mark.parametrize(
    "name",
    ["any", "vast", "0.40", "4x", "x4", "RTX 4090 x8", "RTX 4090 0,40", "RTX 4090 <=0.01", "rel>95", "80GB", "5"],
)
def test_a_seen_name_that_reads_as_a_rule_cannot_hijack_rules(name: str) -> None:
    larger = CATALOGUE.with_seen([name])
    assert name in larger.cards
    assert key_of(name) not in larger.typed


def test_a_model_number_means_its_plain_card_and_else_is_ambiguous() -> None:
    assert CATALOGUE.typed["4090"].name == "RTX 4090"
    assert CATALOGUE.typed["1080"].name == "GTX 1080"
    assert CATALOGUE.typed["8000"].name == "Quadro RTX 8000"
    assert set(CATALOGUE.ambiguous["6000"]) == {
        "Quadro P6000",
        "Quadro RTX 6000",
        "RTX 6000 Ada",
        "RTX A6000",
        "RTX PRO 6000",
        "RTX PRO 6000 MIG 24GB",
        "RTX PRO 6000 MIG 48GB",
        "RTX PRO 6000 Max-Q",
        "RTX PRO 6000 SE",
        "RTX PRO 6000 WS",
    }


def test_the_nearest_names_of_a_misspelt_card_are_told() -> None:
    assert "RTX 5090" in CATALOGUE.nearest("RTX 5091")
    assert CATALOGUE.nearest("H100 SMX")[0] == "H100 SXM"
    assert CATALOGUE.nearest("") == ()
    assert CATALOGUE.nearest("zebra crossing") == ()


def test_every_captured_vast_spelling_and_size_is_known(captures: Path) -> None:
    with (captures / "vast" / "gpu_names.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 100
    for row in rows:
        name = CATALOGUE.card_of("vast", row["gpu_name"])
        assert row["gpu_name"] in CATALOGUE.vast_spellings(name)
        for size in row["gpu_ram_mb_seen"].split():
            nominal = CATALOGUE.nominal_gb(name, float(size))
            assert nominal in CATALOGUE.cards[name].memory_gb
            assert nominal == CATALOGUE.nominal_gb("C500 SXM9", float(size))


def test_every_captured_runpod_type_is_known(captures: Path) -> None:
    catalogue = json.loads((captures / "runpod" / "gpm_v2" / "runpod_catalog.json").read_text())
    types = [gpu for gpu in catalogue["gpus"] if gpu["id"] != "unknown"]
    names = [CATALOGUE.card_of("runpod", gpu["id"]) for gpu in types]
    for gpu, name in zip(types, names, strict=True):
        assert gpu["id"] in CATALOGUE.runpod_ids(name)
        assert CATALOGUE.nominal_gb(name, gpu["memory"] * 1024) in CATALOGUE.cards[name].memory_gb
    assert len(types) == 49
    assert len(set(names)) == 48  # the A100 SXM comes with 40 and with 80 GB

"""When the answer to one query speaks for another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.commands.foreknowledge import includes
from market.coverage import Coverage
from tests.bot.commands.parlour import BOTH

ASKED = Coverage(
    market="vast",
    tiers=BOTH,
    cards=frozenset({"RTX 4090"}),
    counts=(1, 2),
    ceiling=400_000,
    reliability_above=950_000,
    min_vram_gb=24,
    countries=frozenset({"PT"}),
    disk_gb=50,
)
NARROWER: list[dict[str, Any]] = [
    {"market": "runpod"},
    {"tiers": frozenset({"datacenter"})},
    {"cards": frozenset({"RTX 3090"})},
    {"counts": (2, 2)},
    {"counts": (1, 1)},
    {"ceiling": 399_999},
    {"terms": "interruptible"},
    {"disk_gb": 100},
    {"reliability_above": 980_000},
    {"min_vram_gb": 48},
    {"min_down_mbps": 100},
    {"min_duration_s": 3600},
    {"countries": frozenset({"BR"})},
    {"not_countries": frozenset({"CN"})},
    {"machines": frozenset({"1"})},
    {"excluded_machines": frozenset({"1"})},
]
WIDER: list[dict[str, Any]] = [
    {},
    {"cards": None},
    {"cards": frozenset({"RTX 4090", "RTX 3090"})},
    {"counts": (1, None)},
    {"ceiling": 500_000},
    {"ceiling": None, "disk_gb": 8},
    {"reliability_above": None},
    {"verified_only": False},
    {"min_vram_gb": None},
    {"countries": frozenset()},
    {"countries": frozenset({"PT", "BR"})},
]


@pytest.mark.parametrize("changes", NARROWER, ids=" ".join)
def test_an_answer_to_less_than_was_asked_does_not_speak_for_it(changes: dict[str, Any]) -> None:
    assert not includes(replace(ASKED, **changes), ASKED)


@pytest.mark.parametrize("changes", WIDER, ids=" ".join)
def test_an_answer_to_as_much_or_more_speaks_for_it(changes: dict[str, Any]) -> None:
    assert includes(replace(ASKED, **changes), ASKED)


def test_an_answer_about_verified_hosts_does_not_speak_for_all() -> None:
    assert not includes(ASKED, replace(ASKED, verified_only=False))

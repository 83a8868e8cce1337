"""Killed in the middle of its work: nothing is lost, nothing is stored by half, and hardly anything is told twice."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks.kills import CHATS, MOMENTS, killed
from tests.end_to_end.nursery import Nursery


@pytest.mark.long
async def test_a_kill_at_each_kind_of_moment_loses_nothing_and_costs_a_duplicate_at_most(
    tmp_path: Path, nursery: Nursery
) -> None:
    toll = await killed(len(MOMENTS), Random(5), tmp_path, nursery)
    assert toll.by_moment == dict.fromkeys(MOMENTS, 1)
    assert toll.alerts >= len(CHATS)
    assert toll.lost == []
    assert toll.halves == []
    assert max(toll.twice.values()) <= toll.kills

"""Rows are spent evenly until their reset, a little faster in busy hours, and shared without waste."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.budget import BUSY_HOURS, BUSY_WEIGHT, level, row_rate

MIDNIGHT = datetime(2027, 1, 11, tzinfo=UTC)


@pytest.mark.parametrize("left", [0, 1, 20_000])
@pytest.mark.parametrize("hour", [0, 7.5, 14.99, 15, 23.9])
def test_whoever_spends_at_the_rate_has_nothing_left_at_the_reset(left: int, hour: float) -> None:
    at, rows = MIDNIGHT - timedelta(hours=24 - hour), float(left)
    step = timedelta(minutes=1)
    while at < MIDNIGHT:
        rows -= row_rate(at, round(rows), MIDNIGHT) * min(step, MIDNIGHT - at).total_seconds()
        at += step
    assert rows == pytest.approx(0, abs=max(left * 0.01, 1))


def test_busy_hours_are_given_more() -> None:
    quiet = row_rate(MIDNIGHT - timedelta(hours=20), 20_000, MIDNIGHT)
    at = MIDNIGHT - timedelta(hours=24 - BUSY_HOURS.start)
    kept = round(20_000 - quiet * (at - (MIDNIGHT - timedelta(hours=20))).total_seconds())
    assert row_rate(at, kept, MIDNIGHT) == pytest.approx(quiet * BUSY_WEIGHT, rel=0.01)


def test_a_reset_that_is_due_leaves_no_rate_to_work_out() -> None:
    assert row_rate(MIDNIGHT, 7, MIDNIGHT) == 7.0


@given(st.lists(st.floats(0, 100), max_size=8), st.floats(0, 100))
def test_nobody_has_more_than_the_level_and_all_together_stay_within_the_supply(
    demands: list[float], supply: float
) -> None:
    highest = level(demands, supply)
    granted = [min(demand, highest) for demand in demands]
    assert sum(granted) <= supply + 1e-6
    if highest < inf:  # what is short is used up
        assert sum(granted) == pytest.approx(supply, abs=1e-6)

"""Rows are spent evenly until their reset, a little faster in busy hours, and shared without waste."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.budget import BUSY_HOURS, BUSY_WEIGHT, row_rate, shared_periods

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


demands = st.lists(st.tuples(st.floats(0, 100), st.floats(1, 100)), max_size=8)


@given(demands, st.floats(0, 100))
def test_together_they_stay_within_the_supply_and_nobody_is_asked_too_soon(
    wanted: list[tuple[float, float]], supply: float
) -> None:
    found = shared_periods(wanted, supply)
    assert all(period >= least for period, (_, least) in zip(found, wanted, strict=True))
    spent = sum(rows / period for period, (rows, _) in zip(found, wanted, strict=True))
    assert spent <= supply + 1e-6
    if any(least < period < inf for period, (_, least) in zip(found, wanted, strict=True)):
        assert spent == pytest.approx(supply, rel=1e-6)  # what is short is used up


@given(demands, st.floats(0, 100))
def test_what_costs_nothing_never_waits_for_rows(wanted: list[tuple[float, float]], supply: float) -> None:
    free = [(0.0, 6.0), *wanted]
    assert shared_periods(free, supply)[0] == 6.0


def test_a_question_that_costs_four_times_as_much_waits_twice_as_long() -> None:
    dear, cheap, free = shared_periods([(40.0, 30.0), (10.0, 30.0), (0.0, 30.0)], 0.1)
    assert dear == pytest.approx(2 * cheap)
    assert free == 30.0


def test_without_any_rows_only_what_costs_nothing_goes_on() -> None:
    assert shared_periods([(1.0, 30.0), (0.0, 30.0)], 0.0) == [inf, 30.0]

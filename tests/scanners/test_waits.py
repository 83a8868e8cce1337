"""How long a market rests after each kind of failure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest

from scanners.errors import (
    KeyRejected,
    OddAnswer,
    QuotaExhausted,
    RateLimited,
    Refused,
    Retired,
    ScanError,
    Unreachable,
)
from scanners.waits import wait_after

NOW = datetime(2027, 1, 10, 21, 0, tzinfo=UTC)
PASSING = (
    Unreachable("vast", "the connection to the server failed", asked=False),
    Unreachable("vast", "no whole answer within 30 s"),
    OddAnswer("vast", "a page for people instead of data"),
    OddAnswer("vast", "the answer's compression is broken"),
    Refused("vast", "the server answered 503"),
    RateLimited("vast", "too frequent"),
)
LASTING = (KeyRejected("vast", "no such key"), Retired("vast", "gone"), QuotaExhausted("vast", "used up"))


def waits(
    error: ScanError, *, gap_s: float = 6.0, slowest_s: float = 300.0, times: int = 12, seed: int = 1
) -> list[float]:
    """The waits after so many failures in a row."""
    chance = Random(seed)
    return [
        wait_after(error, failures=failures, gap_s=gap_s, slowest_s=slowest_s, now=NOW, chance=chance)[0]
        for failures in range(1, times + 1)
    ]


def quota(resets_at: datetime | None) -> float:
    """The wait for a reset."""
    return waits(QuotaExhausted("vast", "used up", resets_at), times=1)[0]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: f"{type(error).__name__}: {error.problem}")
def test_after_what_may_pass_each_wait_is_longer_than_the_last_until_the_longest(error: ScanError) -> None:
    found = waits(error)
    longest = 600.0 if isinstance(error, RateLimited) else 300.0
    growing = found[: found.index(longest)]
    assert len(growing) >= 4
    assert all(after >= 1.5 * before for before, after in pairwise(growing))
    assert set(found[len(growing) :]) == {longest}
    assert sum(sum(found[:number]) < 300 for number in range(len(found))) <= 6


@pytest.mark.parametrize("error", PASSING, ids=lambda error: f"{type(error).__name__}: {error.problem}")
def test_two_watchers_do_not_come_back_in_step(error: ScanError) -> None:
    assert waits(error, times=4, seed=1) != waits(error, times=4, seed=2)


@pytest.mark.parametrize(
    ("error", "least", "most"),
    [(LASTING[0], 600, 660), (LASTING[1], 3600, 3960), (LASTING[2], 3 * 3600, 3 * 3600)],
    ids=["rejected key", "retired endpoint", "used up quota"],
)
def test_what_does_not_pass_by_itself_is_hardly_asked_again_from_the_first_failure_on(
    error: ScanError, least: float, most: float
) -> None:
    assert all(least <= wait <= most for wait in waits(error))


@pytest.mark.parametrize("error", [*PASSING, *LASTING], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("gap_s", [0.1, 6.0, 1200.0])
def test_a_failing_market_is_never_asked_faster_than_its_limit_allows(error: ScanError, gap_s: float) -> None:
    assert min(waits(error, gap_s=gap_s)) >= gap_s


def test_a_reset_is_waited_for_to_the_moment_that_the_server_names() -> None:
    assert quota(NOW + timedelta(minutes=40)) == 2400
    assert quota(None) == 3 * 3600  # none named: the next midnight


@pytest.mark.parametrize("late", [timedelta(0), timedelta(seconds=1), timedelta(hours=2), timedelta(days=400)])
def test_a_reset_that_is_over_by_our_clock_does_not_make_questions_come_thick_and_fast(late: timedelta) -> None:
    found = waits(QuotaExhausted("vast", "used up", NOW - late))
    assert all(after >= 1.5 * before for before, after in pairwise(found[:5]))


def test_no_server_makes_a_market_rest_for_longer_than_a_day() -> None:
    assert quota(NOW + timedelta(days=4000)) == 86_400
    assert waits(RateLimited("vast", "slow down", retry_after=1e12), times=1) == [86_400]


def test_the_wait_that_a_server_asks_for_is_kept_however_few_the_failures() -> None:
    assert waits(RateLimited("vast", "slow down", retry_after=1812.0), times=2) == [1812, 1812]


def test_a_very_long_row_of_failures_is_no_trouble() -> None:
    chance = Random(1)
    wait, _ = wait_after(PASSING[0], failures=100_000, gap_s=6.0, slowest_s=300.0, now=NOW, chance=chance)
    assert wait == 300

"""The day's quota: never overspent, whoever spends it and whatever crashes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.usage import Spent, Usage
from tests.storage.stage import START, Stage, vast

NIGHT = datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)


@pytest.fixture
def usage(stage: Stage) -> Usage:
    return Usage(stage.store, {"vast": 1000, "runpod": None})


def test_rows_are_set_aside_and_settled(usage: Usage) -> None:
    assert usage.begin("vast", START, 512) == 512
    assert usage.spent("vast", START) == Spent(requests=1, rows=0, reserved=512)
    usage.settle("vast", START, 512, 40)
    assert usage.spent("vast", START) == Spent(requests=1, rows=40, reserved=0)
    assert usage.left("vast", START) == 960


def test_the_last_rows_of_a_day_are_granted_and_then_none(usage: Usage) -> None:
    usage.settle("vast", START, 0, 900)
    assert [usage.begin("vast", START, 512) for _ in range(3)] == [100, 0, 0]
    assert usage.spent("vast", START).requests == 1


def test_a_new_day_is_a_new_quota_in_utc(usage: Usage) -> None:
    usage.settle("vast", NIGHT, 0, 1000)
    assert usage.begin("vast", NIGHT, 64) == 0
    assert usage.begin("vast", NIGHT + timedelta(seconds=1), 64) == 64


def test_a_question_that_crosses_midnight_is_charged_to_the_day_it_was_asked(usage: Usage) -> None:
    usage.begin("vast", NIGHT, 512)
    usage.settle("vast", NIGHT + timedelta(seconds=3), 512, 30)
    assert usage.spent("vast", NIGHT) == Spent(requests=1, rows=30, reserved=0)
    assert usage.spent("vast", NIGHT + timedelta(seconds=3)) == Spent()


def test_a_question_that_failed_gives_its_rows_back(usage: Usage) -> None:
    usage.begin("vast", START, 512)
    usage.cancel("vast", START, 512)
    assert usage.spent("vast", START) == Spent(requests=1)


def test_where_rows_are_not_charged_requests_are_counted(usage: Usage) -> None:
    assert usage.begin("runpod", START, 0) == 0
    assert usage.spent("runpod", START) == Spent(requests=1)
    with pytest.raises(KeyError):
        usage.left("runpod", START)


def test_recording_an_answer_settles_what_was_set_aside_for_it(stage: Stage, usage: Usage) -> None:
    allowed = usage.begin("vast", stage.now, 512)
    stage.scan(vast(1), vast(2), reserved=allowed)
    assert usage.spent("vast", START) == Spent(requests=1, rows=2, reserved=0)


def test_what_a_crashed_process_set_aside_is_not_spent_again(stage: Stage, usage: Usage) -> None:
    usage.begin("vast", START, 512)
    stage.reopen()
    again = Usage(stage.store, {"vast": 1000})
    assert (again.begin("vast", START, 512), again.begin("vast", START, 512)) == (488, 0)


def test_many_at_once_never_get_more_than_there_is(usage: Usage) -> None:
    with ThreadPoolExecutor(4) as pool:
        granted = list(pool.map(lambda _: usage.begin("vast", START, 70), range(40)))
    assert sum(granted) == 1000


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 600), st.floats(0, 1)), max_size=12), day=st.integers(0, 1000))
def test_spent_and_reserved_together_stay_within_the_quota(
    usage: Usage, steps: list[tuple[int, float]], day: int
) -> None:
    at = START + timedelta(days=day * 2)
    before = usage.spent("vast", at)
    for reserve, share in steps:
        allowed = usage.begin("vast", at, reserve)
        assert allowed <= reserve
        usage.settle("vast", at, allowed, int(allowed * share))
        spent = usage.spent("vast", at)
        assert spent.rows + spent.reserved <= 1000
    assert usage.spent("vast", at).rows >= before.rows


def test_turns_of_all_processes_are_a_gap_after_the_last_answer(usage: Usage) -> None:
    assert usage.turn("vast", START, 6.0) == 0
    assert usage.turn("vast", START + timedelta(seconds=1), 6.0) == pytest.approx(5.25)
    usage.answered("vast", START + timedelta(seconds=2), 6.0)
    assert usage.turn("vast", START + timedelta(seconds=7.9), 6.0) == pytest.approx(0.1)
    assert usage.turn("vast", START + timedelta(seconds=8), 6.0) == 0


def test_a_question_that_was_never_answered_holds_others_back_a_little_longer_than_a_gap(usage: Usage) -> None:
    usage.turn("vast", START, 6.0)
    assert usage.turn("vast", START + timedelta(seconds=6.2), 6.0) == pytest.approx(0.05)
    assert usage.turn("vast", START + timedelta(seconds=6.25), 6.0) == 0


def test_a_clock_that_was_set_back_makes_nobody_wait_longer_than_that(usage: Usage) -> None:
    usage.turn("vast", START, 6.0)
    assert usage.turn("vast", START - timedelta(hours=2), 6.0) == 0


def test_a_rest_that_the_service_asked_for_holds_for_every_process_until_it_is_over(stage: Stage, usage: Usage) -> None:
    usage.rest("vast", START, 900)
    stage.reopen()
    again = Usage(stage.store, {"vast": 1000})
    assert again.turn("vast", START + timedelta(seconds=60), 6.0) == pytest.approx(840)
    assert again.turn("vast", START - timedelta(hours=2), 6.0) == 0  # a clock that was set back ends it
    assert again.turn("vast", START + timedelta(seconds=900), 6.0) == 0

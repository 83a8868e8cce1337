"""A full picture holds for long, but only while its market keeps answering at all."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from market.coverage import Coverage
from storage.contact import contact
from storage.history import History, history
from storage.times import to_ms
from tests.storage.stage import BOTH, PROBE, SECURE, START, Stage, runpod, vast

CENSUS_GAP = 1800.0
CONTACT = 60.0


def past(stage: Stage, *, start: datetime = START, market: str | None = None) -> History:
    """The history with a census of Vast.ai each half an hour and questions each minute."""
    return history(
        stage.store,
        cards=frozenset({"RTX 4090"}),
        start=start,
        end=stage.now,
        gap_s={"vast": CENSUS_GAP},
        contact_s=CONTACT,
        market=market,
        step_s=60,
    )


def seconds(stretches: tuple[tuple[datetime, datetime], ...]) -> list[tuple[float, float]]:
    return [((one - START).total_seconds(), (other - START).total_seconds()) for one, other in stretches]


def test_a_market_that_fails_between_two_censuses_is_a_gap(stage: Stage) -> None:
    stage.scan(vast())
    stage.fail(coverage=PROBE, error="timeout")
    stage.fail(coverage=PROBE, error="HTTP 500")
    stage.scan(vast(), coverage=PROBE)
    told = past(stage)
    assert seconds(told.gaps) == [(60, 180)]
    assert (told.available_share, told.samples) == (1.0, 2)
    assert not [point for point in told.series if timedelta(seconds=61) < point.at - START < timedelta(seconds=180)]


def test_a_process_that_was_killed_leaves_a_gap(stage: Stage) -> None:
    stage.scan(vast(), wait=3000)
    stage.scan(vast())
    assert seconds(past(stage).known) == [(0, 120), (3000, 3060)]


def test_answers_to_any_question_keep_the_census_standing(stage: Stage) -> None:
    stage.scan(vast())
    for _ in range(20):
        stage.scan(vast(), coverage=PROBE, wait=110)
    told = past(stage)
    assert (told.gaps, told.available_share) == ((), 1.0)


def test_a_question_that_fails_for_one_card_ends_contact_for_all(stage: Stage) -> None:
    other = Coverage(market="vast", tiers=BOTH, cards=frozenset({"H100 SXM"}))
    stage.scan()
    stage.fail(coverage=other)
    stage.scan(coverage=other)
    assert seconds(past(stage).gaps) == [(60, 120)]


def test_a_market_in_the_dark_takes_no_other_with_it(stage: Stage) -> None:
    stage.scan(vast(), wait=30)
    stage.fail(coverage=SECURE, wait=30)
    stage.fail(coverage=SECURE)
    assert past(stage, market="vast").gaps == ()


def test_what_a_probe_proves_ends_with_the_contact_too(stage: Stage) -> None:
    stage.scan(vast(), coverage=PROBE, wait=30)
    stage.fail(wait=30)
    stage.scan(vast(), coverage=PROBE, wait=200)
    assert seconds(past(stage).available) == [(0, 30), (60, 180)]


def test_each_market_has_a_gap_of_its_own(stage: Stage) -> None:
    anything = Coverage(market="runpod", tiers=frozenset({"community"}))
    stage.scan(runpod(), coverage=SECURE, wait=0)
    stage.scan(vast())
    for _ in range(4):
        stage.scan(coverage=anything, wait=0)
        stage.scan(coverage=PROBE)
    assert seconds(past(stage, market="runpod").available) == [(0, 120)]
    assert past(stage, market="vast").gaps == ()


def test_contact_from_before_the_stretch_still_holds_in_it(stage: Stage) -> None:
    stage.scan(vast(), wait=100)
    assert seconds(past(stage, start=START + timedelta(seconds=50)).known) == [(50, 100)]


@pytest.mark.parametrize("failed_first", [True, False])
def test_of_two_questions_at_one_moment_the_failed_one_counts(stage: Stage, failed_first: bool) -> None:
    if failed_first:
        stage.fail(coverage=PROBE, wait=0)
        stage.scan(wait=60)
    else:
        stage.scan(wait=0)
        stage.fail(coverage=PROBE, wait=60)
    stage.scan(wait=60)
    assert seconds(past(stage).known) == [(60, 120)]


def test_a_market_that_was_never_asked_was_never_in_contact(stage: Stage) -> None:
    stage.fail(coverage=SECURE)
    start, end = to_ms(START), to_ms(stage.now)
    with stage.store.read() as connection:
        assert contact(connection, "vast", start=start, end=end, hold=120_000) == []
        assert contact(connection, "runpod", start=start, end=end, hold=120_000) == []

"""Who is told what when a market breaks, rests, hangs and is well again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.language import speech_for
from bot.outages import Breakdown, Outlook, Recovery, Turn, Verdict, judge_silence, judge_turn
from bot.render.outages import blindness_text, notice_text
from market.blindness import Blindness, blindness_of
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

NOON = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
GAP_S = 300.0
PASSING = (
    Unreachable("vast", "no connection"),
    OddAnswer("vast", "a page for people"),
    Refused("vast", "the server answered 503"),
    RateLimited("vast", "too frequent"),
)
LASTING = (
    (KeyRejected("vast", "the key was rejected"), "key"),
    (Retired("vast", "gone"), "retired"),
    (QuotaExhausted("vast", "the day's rows are used up"), "resting"),
)


class Watching:
    """One market, watched since noon; clocks agree unless a test parts them."""

    def __init__(self, *, ok_at: datetime | None = NOON, owner_knows: bool = False) -> None:
        self.at = NOON
        self.elapsed_s = 0.0
        self.ok_at = ok_at
        self.outlook = Outlook(
            market="vast", gap_s=GAP_S, ok_at=ok_at, owner_knows=owner_knows, good_s=0.0, looked_s=0.0
        )
        self.failures = 0
        self.told: list[Breakdown | Recovery | Blindness] = []

    def wait(self, seconds: float, *, by_wall: float | None = None) -> None:
        """Time passes; the wall clock may make another step."""
        self.elapsed_s += seconds
        self.at += timedelta(seconds=seconds if by_wall is None else by_wall)

    def good(self, after_s: float, wait_s: float = 6.0) -> None:
        """A good answer."""
        self.wait(after_s)
        self.ok_at, self.failures = self.at, 0
        self._note(judge_turn(self.outlook, replace(self._turn(), wait_s=wait_s)))

    def fails(self, error: ScanError, after_s: float, wait_s: float = 60.0) -> None:
        """A failed question."""
        self.wait(after_s)
        self.failures += 1
        self._note(judge_turn(self.outlook, replace(self._turn(), error=error, wait_s=wait_s)))

    def rests(self, after_s: float, wait_s: float) -> None:
        """A turn that asked nothing and plans a rest."""
        self.wait(after_s)
        self._note(judge_turn(self.outlook, replace(self._turn(), wait_s=wait_s, reason="the day's rows are used up")))

    def looks(self, times: int, each_s: float = 10.0) -> None:
        """Looks at a scanner from which nothing comes."""
        for _ in range(times):
            self.wait(each_s)
            self._note(judge_silence(self.outlook, self.elapsed_s))

    def starts_again(self) -> None:
        """A new process, with what the old one kept."""
        self.failures = 0
        self.outlook = replace(self.outlook, good_s=self.elapsed_s, looked_s=self.elapsed_s, idle_s=0.0)

    def _turn(self) -> Turn:
        return Turn(at=self.at, elapsed_s=self.elapsed_s, ok_at=self.ok_at, failures=self.failures, wait_s=6.0)

    def _note(self, verdict: Verdict) -> None:
        self.outlook = verdict.outlook
        self.told.extend(each for each in (verdict.notice, verdict.blindness) if each is not None)


def kinds(told: Iterable[object]) -> list[str]:
    """What was told, in words."""
    return [each.cause if isinstance(each, Breakdown) else type(each).__name__.lower() for each in told]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_what_passes_is_told_once_when_three_gaps_have_failed_and_once_when_it_is_over(error: ScanError) -> None:
    watching = Watching()
    for _ in range(14):
        watching.fails(error, 60)
    assert watching.told == []
    for _ in range(30):
        watching.fails(error, 60)
    assert kinds(watching.told) == ["failing"]
    watching.good(60)
    watching.good(6)
    assert kinds(watching.told) == ["failing", "recovery", "blindness"]


def test_a_blip_is_told_to_nobody() -> None:
    watching = Watching()
    for _ in range(20):
        for _ in range(5):
            watching.fails(PASSING[0], 120)
        watching.good(120)
    assert watching.told == []


@pytest.mark.parametrize(("error", "cause"), LASTING, ids=[cause for _, cause in LASTING])
def test_what_does_not_pass_by_itself_is_told_at_once_and_once(error: ScanError, cause: str) -> None:
    watching = Watching()
    for _ in range(5):
        watching.fails(error, 600, wait_s=3600)
    assert kinds(watching.told) == [cause]
    (notice,) = watching.told
    assert isinstance(notice, Breakdown)
    assert (notice.since, notice.until) == (NOON, NOON + timedelta(seconds=4200))


def test_a_long_rest_that_was_planned_without_a_failure_is_told_too() -> None:
    watching = Watching()
    watching.good(6)
    watching.rests(6, wait_s=9 * 3600)
    assert kinds(watching.told) == ["resting"]


def test_a_good_answer_that_leaves_nothing_to_spend_begins_a_rest_each_day() -> None:
    watching = Watching()
    for _ in range(2):
        watching.good(86_400, wait_s=86_400)
        watching.looks(100)
    assert kinds(watching.told) == 2 * ["resting", "blindness"]


def test_a_second_breakdown_is_told_again() -> None:
    watching = Watching()
    for _ in range(2):
        watching.fails(LASTING[0][0], 600)
        watching.good(600)
    assert kinds(watching.told) == 2 * ["key", "recovery", "blindness"]


def test_a_restart_in_the_middle_neither_repeats_nor_forgets() -> None:
    watching = Watching()
    watching.fails(LASTING[0][0], 60)
    watching.starts_again()
    watching.fails(LASTING[0][0], 600)
    watching.starts_again()
    watching.good(2160)
    assert kinds(watching.told) == ["key", "recovery", "blindness"]
    assert watching.told[-1] == Blindness(market="vast", since=NOON, until=NOON + timedelta(minutes=47))


def test_a_restart_alone_breaks_nothing() -> None:
    watching = Watching()
    watching.fails(PASSING[0], 800)
    watching.starts_again()
    watching.fails(PASSING[0], 600)
    watching.fails(PASSING[0], 60)
    watching.good(60)
    assert kinds(watching.told) == ["blindness"]


def test_time_in_which_nothing_ran_was_blind_and_is_no_breakdown() -> None:
    watching = Watching()
    watching.wait(3 * 3600)
    watching.starts_again()
    watching.good(1)
    assert kinds(watching.told) == ["blindness"]
    assert watching.told == [Blindness(market="vast", since=NOON, until=NOON + timedelta(hours=3, seconds=1))]


def test_time_in_which_the_machine_slept_was_blind_even_if_the_first_question_then_fails() -> None:
    watching = Watching()
    watching.looks(1, each_s=8 * 3600)
    watching.fails(PASSING[0], 1)
    watching.good(18)
    assert kinds(watching.told) == ["blindness"]


def test_before_the_first_answer_ever_nothing_was_blind() -> None:
    watching = Watching(ok_at=None)
    for _ in range(20):
        watching.fails(PASSING[0], 60)
    watching.good(60)
    assert kinds(watching.told) == ["failing", "recovery"]


@pytest.mark.parametrize("step_h", [-2.0, -24.0])
def test_a_clock_set_back_in_the_middle_hides_no_blindness_and_makes_none(step_h: float) -> None:
    watching = Watching()
    watching.wait(6, by_wall=step_h * 3600)
    watching.good(0)
    assert watching.told == []
    for _ in range(40):
        watching.fails(PASSING[0], 60)
    watching.wait(60, by_wall=step_h * 3600)
    watching.good(0)
    assert kinds(watching.told) == ["failing", "recovery", "blindness"]
    blind = watching.told[-1]
    assert isinstance(blind, Blindness)
    assert blind.seconds == pytest.approx(41 * 60)
    assert blind.until == watching.at


def test_a_scanner_from_which_nothing_comes_is_told_once() -> None:
    watching = Watching()
    watching.good(6)
    watching.looks(89)
    assert watching.told == []
    watching.looks(200)
    assert kinds(watching.told) == ["hanging"]
    watching.good(6)
    assert kinds(watching.told) == ["hanging", "recovery", "blindness"]


def test_a_scanner_that_rests_as_planned_does_not_hang() -> None:
    watching = Watching()
    watching.fails(PASSING[3], 6, wait_s=600)
    watching.looks(140)
    assert watching.told == []
    watching.looks(20)
    assert kinds(watching.told) == ["hanging"]


@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_each_notice_is_said_in_the_language_and_zone_of_its_reader(language: str) -> None:
    speech, zone = speech_for(language), ZoneInfo("America/Sao_Paulo")
    blind = Blindness(market="vast", since=NOON, until=NOON + timedelta(minutes=47))
    said = blindness_text(blind, speech=speech, zone=zone, now=blind.until)
    assert all(part in said for part in ("Vast.ai", "09:00", "09:47", "São Paulo", "47 min"))
    texts = {said}
    for cause in ("failing", "key", "retired", "resting", "hanging"):
        notice = Breakdown(market="runpod", cause=cause, problem="<no> answer", since=NOON, until=NOON)
        texts.add(notice_text(notice, speech=speech, zone=zone, now=NOON))
    texts.add(notice_text(Recovery(market="runpod", after_s=2820), speech=speech, zone=zone, now=NOON))
    assert len(texts) == 7
    if language == "pt_BR":
        assert not any("answer" in text.replace("<no> answer", "") or "asked" in text for text in texts)


def test_an_alert_of_blindness_holds_all_that_it_says_and_is_the_same_only_for_the_same() -> None:
    blind = Blindness(market="vast", since=NOON, until=NOON + timedelta(minutes=47, milliseconds=5))
    assert blindness_of(blind.alert("-100:7", topic="7")) == blind
    keys = {
        each.alert(chat).dedup_key
        for each in (blind, replace(blind, market="runpod"), replace(blind, since=NOON - timedelta(milliseconds=1)))
        for chat in ("1", "2")
    }
    assert len(keys) == 6
    with pytest.raises(ValueError, match="blindness"):
        blindness_of(replace(blind.alert("1"), kind="available"))

"""Quiet answers are counted, and said once in five minutes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.tally import Tally

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)


def lines(market: str, tally: Tally, *, seconds: int, step: int) -> list[str]:
    found = (tally.line(market, START + timedelta(seconds=second)) for second in range(0, seconds + 1, step))
    return [line for line in found if line is not None]


def test_answers_within_five_minutes_say_nothing() -> None:
    assert lines("vast", Tally(), seconds=299, step=1) == []


def test_five_minutes_are_one_line_with_the_number_of_answers() -> None:
    assert lines("vast", Tally(), seconds=600, step=6) == [
        "vast: 51 answers in 5 min, nothing new",
        "vast: 50 answers in 5 min, nothing new",
    ]


def test_markets_are_counted_apart() -> None:
    tally = Tally()
    tally.line("vast", START)
    assert tally.line("runpod", START + timedelta(minutes=6)) is None
    assert tally.line("vast", START + timedelta(minutes=6)) == "vast: 2 answers in 6 min, nothing new"


def test_a_clock_set_back_breaks_nothing() -> None:
    tally = Tally()
    tally.line("vast", START)
    assert tally.line("vast", START - timedelta(hours=1)) is None

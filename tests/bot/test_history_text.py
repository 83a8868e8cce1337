"""The history of a card in words: a price that stood still is one price, and a blink is no gap."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.language import speech_for
from bot.render.chat.history import history_html
from storage.history import History
from storage.series import Point
from tests.bot.telegram_markup import read

NOW = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


def text(*prices: int, gaps: tuple[timedelta, ...] = ()) -> str:
    found = History(
        start=NOW - WEEK,
        end=NOW,
        samples=10,
        known=((NOW - WEEK, NOW),),
        gaps=tuple((NOW - WEEK, NOW - WEEK + each) for each in gaps),
        available=(),
        available_share=1.0,
        series=tuple(point(price, age) for age, price in enumerate(prices)),
    )
    return read(history_html("RTX 4090", found, ages=(), now=NOW, speech=speech_for("en"))).text


def point(price: int, days_ago: int) -> Point:
    return Point(
        at=NOW - timedelta(days=days_ago),
        market="runpod",
        tier="secure",
        terms="on_demand",
        best=price,
        median=price,
        gpus=None,
        offers=1,
        stock="low",
    )


def test_a_price_that_stood_still_is_one_price() -> None:
    assert "cheapest: always US$ 2.53" in text(2_530_000, 2_530_000)


def test_how_many_answers_it_rests_on_and_how_far_apart_they_are_is_said() -> None:
    assert "10 answers, one about every 16 h 48 min" in text(2_530_000)


def test_prices_that_moved_are_a_range() -> None:
    assert "cheapest: US$ 2.50 to US$ 2.53" in text(2_530_000, 2_500_000)


def test_a_gap_is_told_from_a_hundredth_of_the_time_on() -> None:
    assert "gap" not in text(2_530_000, gaps=(timedelta(seconds=12), WEEK / 100 - timedelta(seconds=1)))
    told = text(2_530_000, gaps=(timedelta(seconds=12), timedelta(hours=12)))
    assert "nothing known for 12 h in 1 gap" in told

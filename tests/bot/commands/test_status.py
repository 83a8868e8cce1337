"""/status: what is left of the day's rows, how fast questions come round, and what is said when nobody scans."""

from __future__ import annotations

from pathlib import Path

from bot.conversation import Speaker
from bot.pace import note_pace
from scanners.poller import Pace
from tests.bot.commands.parlour import START, Parlour, parlour, vast

SPOKEN = "stretched so that the day's rows last until their reset"


def paced(room: Parlour, census_s: float | None = 1800.0, round_s: float | None = 30.0) -> None:
    """Vast.ai was asked just now."""
    pace = Pace(wait_s=6.0, reason=SPOKEN, census_s=census_s, round_s=round_s)
    note_pace(room.product.chats, "vast", pace, room.clock.now())


async def test_it_says_what_is_left_and_how_fast_that_may_be_spent(room: Parlour) -> None:
    await room.answered(*[vast(each) for each in range(100)])
    text = await room.asks("/status")
    assert "100 of 20,000 rows" in text
    assert "19,900 rows left · now about 1,206 an hour" in text


async def test_rows_that_are_set_aside_are_told_apart_and_not_left(room: Parlour) -> None:
    room.product.usage.begin("vast", START, 2_000)
    text = await room.asks("/status")
    assert "18,000 rows left" in text
    assert "2,000 rows set aside" in text


async def test_it_says_how_fast_questions_come_round_and_why(room: Parlour) -> None:
    paced(room)
    text = await room.asks("/status")
    assert f"next question in 6 s: {SPOKEN}" in text
    assert "every scarce card is asked for within 30 s" in text
    assert "full picture of each card every 30 min\n" in text


async def test_full_pictures_that_had_to_be_stretched_are_said_with_what_was_wanted(room: Parlour) -> None:
    paced(room, census_s=5400.0)
    text = await room.asks("/status")
    assert "full picture of each card every 1 h 30 min instead of 30 min" in text
    text = await room.asks("/status", speaker=Speaker(chat="9", user="9", language="pt-br"))
    assert "retrato completo de cada placa a cada 1 h 30 min em vez de 30 min" in text


async def test_paces_of_a_run_that_has_ended_are_not_told_as_if_they_held(room: Parlour) -> None:
    paced(room)
    room.clock.pass_time(3600)
    text = await room.asks("/status")
    assert "nobody is scanning" in text
    assert "full picture" not in text
    assert "asked for within" not in text


async def test_where_nothing_is_watched_no_pace_is_made_up(tmp_path: Path) -> None:
    async with parlour(tmp_path) as room:
        paced(room, census_s=None, round_s=None)
        text = await room.asks("/status")
    assert "full picture" not in text
    assert "asked for within" not in text

"""The note on how a market is being asked, as another process reads it."""

from __future__ import annotations

from datetime import timedelta
from math import inf
from pathlib import Path

from bot.pace import note_pace, read_pace
from scanners.poller import Pace
from tests.bot.commands.parlour import START, parlour


async def test_a_note_is_read_as_it_was_left(tmp_path: Path) -> None:
    async with parlour(tmp_path) as room:
        pace = Pace(wait_s=6.0, reason="as fast as the request limit allows", census_s=1800.0, round_s=30.0)
        note_pace(room.product.chats, "vast", pace, START)
        note = read_pace(room.product.chats, "vast")
    assert note is not None
    assert (note.next_at, note.gap_s, note.reason) == (START + timedelta(seconds=6), 6.0, pace.reason)
    assert (note.census_s, note.round_s) == (1800.0, 30.0)


async def test_on_a_day_without_rows_no_pace_of_full_pictures_is_told_and_history_can_be_asked(tmp_path: Path) -> None:
    async with parlour(tmp_path) as room:
        note_pace(room.product.chats, "vast", Pace(reason="the day's rows are used up", census_s=inf), START)
        note = read_pace(room.product.chats, "vast")
        await room.answered()
        assert "RTX 4090" in await room.asks("/history 4090")
    assert note is not None
    assert note.census_s is None

"""What the log says of answers: a line for what is new, and one for many in which nothing was."""

from __future__ import annotations

import logging

import pytest

from tests.bot.commands.parlour import Parlour, vast


async def test_an_answer_that_changes_something_has_a_line_and_those_like_it_share_one(
    room: Parlour, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="bot.scribe")
    for price in (0.40, *[0.40] * 51, 0.30):
        await room.answered(vast(1, price))
        room.clock.pass_time(6)
    lines = [record.getMessage() for record in caplog.records if record.name == "bot.scribe"]
    assert len(lines) == 3
    assert "1 new" in lines[0]
    assert lines[1] == "vast: 51 answers in 5 min, nothing new"
    assert "1 changed" in lines[2]

"""Answers that Telegram holds up: they come late and say so, and no command stays without a word."""

from __future__ import annotations

from typing import Literal

import pytest

from bot.conversation import Key, Reply
from bot.telegram.replies import MOST_DOUBTS
from tests.bot.telegram.cast import OWNER
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Drop, Message, Person, refusals

KEYS = ((Key(label="Again", data="v1:page:1"),),)


@pytest.fixture
def ana(playing: Stage) -> Person:
    return playing.api.person(OWNER, "Ana")


async def shown(stage: Stage, person: Person, *replies: Reply) -> Message:
    """The first message of a command that is answered so."""
    stage.desk.replies["now"] = replies
    person.tells("/now")
    return await person.chat.next_message()


async def test_an_answer_that_a_flood_limit_holds_up_for_long_comes_and_says_so(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", refusals.too_many_requests(900), times=1)
    message = await shown(playing, ana, Reply(html="<b>rule 1</b>", keys=KEYS), Reply(html="next"))
    assert message.text == "This answer is 15 min late: Telegram did not let it through.\nrule 1"
    assert message.content.styled("bold") == ["rule 1"]
    assert message.rows == [["Again"]]
    assert playing.clock.waits == [900.0]
    assert (await ana.chat.next_message()).text == "next"


async def test_a_late_answer_that_has_no_room_for_a_line_more_comes_as_it_is(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", refusals.too_many_requests(900), times=1)
    message = await shown(playing, ana, Reply(html="x" * 4090))
    assert message.text == "x" * 4090


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("cuts", [1, 2, 4])
async def test_an_answer_that_is_cut_again_and_again_comes_with_one_copy_for_each_cut_at_most(
    playing: Stage, ana: Person, when: Literal["before", "after"], cuts: int
) -> None:
    playing.api.inject("sendMessage", Drop(), times=cuts, when=when)
    ana.tells("/now")
    await playing.api.next_calls("sendMessage", cuts + 1)
    await playing.settled()
    assert len(ana.chat.from_bot) == 1 + (cuts if when == "after" else 0)


async def test_an_answer_outlives_an_outage_however_long(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", refusals.server_error(), times=60)
    message = await shown(playing, ana, Reply(html="here"))
    assert message.text.endswith("late: Telegram did not let it through.\nhere")
    assert max(playing.clock.waits) == 30.0
    assert playing.clock.elapsed > 1200


async def test_a_reply_whose_answer_is_always_lost_is_not_repeated_for_ever(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", Drop(), times=None, when="after")
    ana.tells("/now")
    await playing.api.next_calls("sendMessage", MOST_DOUBTS + 1)
    await playing.settled()
    assert len(ana.chat.from_bot) == MOST_DOUBTS + 1


async def test_a_reply_in_doubt_is_repeated_only_when_telegram_answers(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", Drop(), when="after")
    playing.api.inject("getMe", Drop(), times=10)
    ana.tells("/now")
    await playing.api.next_calls("getMe", 12)
    await playing.settled()
    assert len(ana.chat.from_bot) == 2

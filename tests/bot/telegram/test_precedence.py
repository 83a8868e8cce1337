"""Who comes first: alerts, then answers, then refusals. No flood delays what comes before it, or somebody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.channels import Outgoing
from tests.bot.samples import NOW, VAST, alert, part
from tests.bot.telegram.cast import GROUP, LISTED, OWNER, LeapingClock
from tests.bot.telegram.stage import Stage
from tests.bot.telegram.standing import StandingClock
from tests.fakes.botapi import BotApi, Gate, Person, refusals


def outgoing(chat: int) -> Outgoing:
    return Outgoing(id=41, alert=replace(alert(part(VAST)), chat=str(chat)), now=NOW)


@pytest.fixture
async def still(api: BotApi) -> AsyncIterator[Stage]:
    """A running bot on a clock that stands still."""
    stage = Stage(api, StandingClock())
    await stage.play()
    yield stage
    await stage.bot.stop()


def strangers(stage: Stage, count: int) -> list[Person]:
    return [stage.api.person(5000 + number, "Eve") for number in range(count)]


async def test_strangers_to_whom_sending_is_slow_delay_no_owner(still: Stage) -> None:
    gate = Gate()
    for stranger in strangers(still, 60):
        still.api.inject("sendMessage", gate, times=None, chat_id=stranger.number)
        stranger.tells("/start")
    ana = still.api.person(OWNER, "Ana")
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    assert await still.channel.send(outgoing(OWNER))
    assert still.clock.elapsed == 0
    gate.open()


async def test_strangers_presses_that_are_slow_to_answer_delay_no_owner(still: Stage) -> None:
    ana, gate = still.api.person(OWNER, "Ana"), Gate()
    still.api.inject("answerCallbackQuery", gate, times=None)
    for number, stranger in enumerate(strangers(still, 60)):
        query = {"id": str(number), "from": stranger.as_json(), "chat_instance": "1", "data": "v1:pause:1"}
        still.api.push_update({"callback_query": query})
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    gate.open()


async def test_refusals_end_for_as_long_as_telegram_wants_and_nobody_waits_for_them(still: Stage) -> None:
    still.api.inject("sendMessage", refusals.too_many_requests(25))
    first, *others = strangers(still, 9)
    first.tells("hi")
    await still.api.next_calls("sendMessage", 1)
    await still.settled()
    for stranger in others:
        stranger.tells("hi")
    ana = still.api.person(OWNER, "Ana")
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    await still.settled()
    assert len(still.api.calls("sendMessage")) == 2
    assert still.clock.waits == []
    still.clock.advance(25)
    others[0].tells("hi again")
    assert "private" in (await others[0].chat.next_message()).text


async def test_a_crowd_of_strangers_is_refused_within_a_small_budget(stage: Stage) -> None:
    await stage.play()
    crowd = strangers(stage, 100)
    for stranger in crowd:
        stranger.tells("/start")
    await stage.api.all_read()
    await stage.settled()
    assert 5 <= len(stage.api.calls("sendMessage")) <= 30
    assert stage.chats.writes == 0
    stage.clock.advance(60)
    crowd[-1].tells("/start")
    assert "private" in (await crowd[-1].chat.next_message()).text, "who was not refused aloud is not taken as told"


async def test_a_stranger_who_blocks_the_bot_makes_no_row_and_no_word_to_the_owner(stage: Stage) -> None:
    await stage.play()
    (stranger,) = strangers(stage, 1)
    stage.api.inject("sendMessage", refusals.blocked())
    stranger.tells("/start")
    await stage.api.all_read()
    await stage.settled()
    assert stage.chats.writes == 0
    assert stage.told == []


async def test_chatter_in_a_group_delays_no_alert_for_it(still: Stage) -> None:
    group, bob = still.api.supergroup(GROUP), still.api.person(7000, "Bob")
    for _ in range(150):
        bob.says(group, "/help")
    await still.api.all_read()
    await group.next_message()
    for minute in range(3):
        still.clock.elapsed = 60.0 * minute
        assert await still.channel.send(outgoing(GROUP)), "at once, whatever waits to be answered"


async def test_an_owners_own_flood_delays_no_alert(still: Stage) -> None:
    ana = still.api.person(OWNER, "Ana")
    for number in range(30):
        ana.tells(f"/help {number}")
    await ana.chat.next_message()
    assert await still.channel.send(outgoing(OWNER))


async def test_one_persons_flood_in_a_group_delays_another_by_two_messages_at_most(still: Stage) -> None:
    group, bob, ana = still.api.supergroup(GROUP), still.api.person(7000, "Bob"), still.api.person(OWNER, "Ana")
    for _ in range(40):
        bob.says(group, "/help")
    texts = [(await group.next_message()).text for _ in range(3)]
    ana.says(group, "/help me")
    await still.api.all_read()
    for _ in range(2):
        still.clock.advance(1)
        texts.append((await group.next_message()).text)
    assert "help: me" in texts


async def test_a_flood_of_one_chat_delays_no_other_chat(still: Stage) -> None:
    ana, eva = still.api.person(OWNER, "Ana"), still.api.person(LISTED, "Eva")
    still.api.inject("sendMessage", refusals.too_many_requests(900), chat_id=LISTED)
    for _ in range(40):
        eva.tells("/help")
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"


@pytest.mark.parametrize("place", [OWNER, GROUP])
async def test_every_command_of_a_flood_is_answered_and_no_limit_is_broken(
    playing: Stage, clock: LeapingClock, place: int
) -> None:
    playing.api.limits.enabled = True
    ana = playing.api.person(OWNER, "Ana")
    chat = playing.api.supergroup(GROUP) if place == GROUP else ana.chat
    for number in range(24):
        ana.says(chat, f"/watch {number}")
    texts = [(await chat.next_message()).text for _ in range(24)]
    assert texts == [f"watch: {number}" for number in range(24)]
    assert len(playing.api.calls("sendMessage")) == 24, "no request that the limits refuse"
    assert clock.elapsed < 180


async def test_stopping_lets_out_what_waits_for_its_turn_and_not_what_telegram_holds_back(still: Stage) -> None:
    ana, eva = still.api.person(OWNER, "Ana"), still.api.person(LISTED, "Eva")
    still.api.inject("sendMessage", refusals.too_many_requests(900), chat_id=LISTED)
    eva.tells("/help")
    for _ in range(8):
        ana.tells("/help")
    await still.api.next_calls("sendMessage", 4)
    await still.api.all_read()
    await still.bot.stop()
    assert len(ana.chat.from_bot) == 8
    assert eva.chat.from_bot == []

"""What people have said outlives a stop and a crash: it is kept before Telegram may forget it, until it is done."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from bot.telegram.lanes import DEPTH
from storage.errors import StoreUnwritable
from tests.bot.telegram.cast import GROUP, LISTED, OTHER_GROUP, OWNER, STRANGER, LeapingClock
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import BotApi, Drop, Page


async def killed(stage: Stage) -> None:
    """What a kill does: everything ends where it is, nothing is confirmed, nothing is noted."""
    running = [*stage.bot._tasks, *stage.bot._reception.lanes._running]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await stage.line.close()


async def next_run(api: BotApi, clock: LeapingClock, before: Stage) -> Stage:
    stage = Stage(api, clock, chats=before.chats, inbox=before.inbox)
    await stage.play()
    return stage


async def stuck(stage: Stage, *, after: int) -> asyncio.Event:
    """Lets so many commands through; those that follow wait in the desk. Set when one does."""
    there, never = asyncio.Event(), asyncio.Event()

    async def before() -> None:
        if len(stage.desk.requests) > after:
            there.set()
            await never.wait()

    stage.desk.before = before
    return there


@pytest.mark.parametrize("end", ["kill", "stop"])
async def test_commands_that_wait_when_the_bot_ends_are_done_by_the_next_run(
    playing: Stage, api: BotApi, clock: LeapingClock, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.telegram.bot.DRAIN_S", 0.0)
    there = await stuck(playing, after=2)
    ana = api.person(OWNER, "Ana")
    for number in range(6):
        ana.tells(f"/watch {number}")
    await asyncio.wait_for(there.wait(), 2)
    await api.all_read()
    await (killed(playing) if end == "kill" else playing.bot.stop())
    assert [request.argument for request in playing.desk.requests] == ["0", "1", "2"]

    later = await next_run(api, clock, playing)
    await api.all_read()
    await later.settled()
    assert [request.argument for request in later.desk.requests] == ["2", "3", "4", "5"], "in order, what is done once"
    texts = [message.text for message in ana.chat.from_bot]
    assert texts == [f"watch: {number}" for number in range(6)]
    await later.bot.stop()


async def test_what_was_done_is_not_done_again_when_telegram_repeats_it(
    playing: Stage, api: BotApi, clock: LeapingClock
) -> None:
    ana = api.person(OWNER, "Ana")
    await api.all_read()
    ana.tells("/watch once")  # the next question, which would confirm it, never gets there
    api.inject("getUpdates", Drop(), times=None)
    await ana.chat.next_message()
    await playing.settled()
    await killed(playing)
    api.heal()

    later = await next_run(api, clock, playing)
    ana.tells("/watch another")
    await ana.chat.next_message()
    assert [request.argument for request in later.desk.requests] == ["another"]
    await later.bot.stop()


async def test_a_command_to_the_bot_by_name_is_done_even_where_the_next_run_does_not_know_its_name(
    playing: Stage, api: BotApi, clock: LeapingClock
) -> None:
    there = await stuck(playing, after=0)
    group = api.group(GROUP)
    api.person(LISTED, "Eva").says(group, "/delete@fake_watch_bot 3")
    await asyncio.wait_for(there.wait(), 2)
    await killed(playing)

    api.inject("getMe", Page(502), times=None)
    later = await next_run(api, clock, playing)
    assert (await group.next_message()).text == "delete: 3"
    await later.bot.stop()


async def test_who_was_taken_off_the_list_meanwhile_is_refused(
    playing: Stage, api: BotApi, clock: LeapingClock
) -> None:
    there = await stuck(playing, after=0)
    eva = api.person(LISTED, "Eva")
    eva.tells("/watch 4090")
    await asyncio.wait_for(there.wait(), 2)
    await killed(playing)

    later = Stage(api, clock, chats=playing.chats, inbox=playing.inbox, users=())
    await later.play()
    assert "private" in (await eva.chat.next_message()).text
    assert later.desk.requests == []
    assert playing.inbox.open == set()
    await later.bot.stop()


async def test_strangers_are_not_kept(playing: Stage, api: BotApi) -> None:
    nobody = api.person(STRANGER, "Nobody")
    nobody.tells("/watch 4090")
    group = api.group(OTHER_GROUP)
    nobody.says(group, "/now")
    nobody.says(group, "what a day")
    await api.all_read()
    await playing.settled()
    assert playing.inbox.bodies == {}


async def test_without_a_database_people_are_answered_all_the_same(
    playing: Stage, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    playing.inbox.problem = StoreUnwritable(Path("atalaia.db"), "cannot be written (full)", "free disk space")
    ana = api.person(OWNER, "Ana")
    ana.tells("/now")
    assert (await ana.chat.next_message()).text == "now:"
    assert "without being kept" in caplog.text


async def test_what_an_earlier_run_has_left_and_cannot_be_read_holds_up_nothing(
    stage: Stage, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    stage.inbox.keep([(1, "{"), (2, "[]"), (3, json.dumps({"update_id": 3, "message": 7}))], stage.clock.now())
    await stage.play()
    ana = api.person(OWNER, "Ana")
    ana.tells("/now")
    assert (await ana.chat.next_message()).text == "now:"
    await stage.settled()
    assert stage.inbox.open == set()
    assert "of an earlier run cannot be read" in caplog.text


@pytest.mark.parametrize(("language", "words"), [("en", "were not read"), ("pt_BR", "não foram lidas")])
async def test_of_a_flood_the_chat_is_told_how_many_were_not_read(
    playing: Stage, api: BotApi, caplog: pytest.LogCaptureFixture, language: str, words: str
) -> None:
    caplog.set_level(logging.ERROR)
    playing.life._default = playing.life._default.__class__(language=language, zone=playing.life._default.zone)
    going = asyncio.Event()

    async def before() -> None:
        await going.wait()

    playing.desk.before = before
    ana = api.person(OWNER, "Ana")
    for number in range(DEPTH + 20):
        ana.tells(f"/watch {number}")
    await api.all_read()
    going.set()
    await playing.settled()
    read = [request.argument for request in playing.desk.requests]
    assert len(read) >= DEPTH
    *answers, last = ana.chat.from_bot
    assert len(answers) == len(read)
    assert f"{DEPTH + 20 - len(read)} " in last.text
    assert words in last.text
    assert playing.inbox.open == set(), "what was not read is not done later, when it was sent again"

    ana.tells("/watch again")
    await api.all_read()
    await playing.settled()
    assert ana.chat.from_bot[-1].text == "watch: again", "said once"

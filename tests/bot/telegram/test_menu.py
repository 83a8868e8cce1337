"""The menu and the other courtesies of the start: they are tried for long, and nobody waits for them."""

from __future__ import annotations

import asyncio

import pytest

from tests.bot.telegram.cast import OWNER
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Drop, Gate, Refusal, refusals

REFUSALS = {
    "429": refusals.too_many_requests(3600),
    "500": refusals.server_error(),
    "403": Refusal(403, "Forbidden: something new"),
    "400": refusals.bad_request("something new"),
}


async def menu(stage: Stage) -> dict[str, list[str]]:
    """What Telegram shows, by language, once the bot has seen to it."""
    task = next((task for task in asyncio.all_tasks() if task.get_name() == "telegram:menu"), None)
    if task is not None:
        await asyncio.wait_for(task, 2)
    commands = stage.api.world.commands
    return {language: [one["command"] for one in listed] for (_, language), listed in commands.items()}


async def test_the_menu_of_commands_is_set_in_each_language(playing: Stage) -> None:
    assert await menu(playing) == {"": ["watch", "now"], "pt": ["vigiar"]}


async def test_a_menu_that_telegram_will_never_take_is_not_asked_for_again(stage: Stage) -> None:
    stage.api.inject("setMyCommands", refusals.bad_request("BOT_COMMANDS_TOO_MUCH"), times=None)
    await stage.play()
    assert await menu(stage) == {}
    assert len(stage.api.calls("setMyCommands")) == 2


@pytest.mark.parametrize("method", ["getMe", "getMyCommands", "setMyCommands", "deleteWebhook"])
@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
async def test_what_fails_beside_the_reading_keeps_nobody_from_being_answered(
    stage: Stage, method: str, refusal: Refusal
) -> None:
    stage.api.inject(method, refusal, times=20)
    await stage.play()
    ana = stage.api.person(OWNER, "Ana")
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    await stage.api.all_read()
    assert stage.bot.problem is None


async def test_a_menu_that_hangs_keeps_nobody_from_being_answered(stage: Stage) -> None:
    gate = Gate()
    stage.api.inject("getMyCommands", gate, times=None)
    await stage.play()
    ana = stage.api.person(OWNER, "Ana")
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    gate.open()


async def test_a_menu_that_meets_a_flood_limit_is_set_when_that_is_over(stage: Stage) -> None:
    stage.api.inject("setMyCommands", refusals.too_many_requests(3600))
    stage.api.inject("setMyCommands", Drop(), times=2)
    await stage.play()
    assert await menu(stage) == {"": ["watch", "now"], "pt": ["vigiar"]}
    assert stage.clock.waits == [3600.0, 20.0, 40.0]


async def test_a_menu_that_stands_already_is_not_set_again_by_a_restart(stage: Stage) -> None:
    for _ in range(3):
        await stage.play()
        await menu(stage)
        await stage.bot.stop()
    assert len(stage.api.calls("setMyCommands")) == 2
    await stage.play()


async def test_a_webhook_that_cannot_be_removed_at_once_is_removed_later(stage: Stage) -> None:
    stage.api.world.webhook = "https://example.org/hook"
    stage.api.inject("deleteWebhook", refusals.too_many_requests(40))
    stage.api.inject("deleteWebhook", refusals.server_error(), times=2)
    await stage.play()
    ana = stage.api.person(OWNER, "Ana")
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    assert max(stage.clock.waits) == 40.0


async def test_a_name_that_is_learned_late_still_decides_which_commands_are_meant(stage: Stage) -> None:
    stage.api.inject("getMe", refusals.server_error(), times=2)
    group = stage.api.supergroup(stage.groups[0])
    await stage.play()
    await stage.api.all_read()
    ana = stage.api.person(OWNER, "Ana")
    stage.clock.advance(60)
    ana.tells("/now")
    await ana.chat.next_message()
    ana.says(group, f"/help@{stage.api.username}")
    ana.says(group, "/help@another_bot")
    assert (await group.next_message()).text == "help:"
    await stage.api.all_read()
    await stage.settled()
    assert len(group.from_bot) == 1

"""Chats that go, move and come back: the others get their alerts, and nothing is sent where nothing arrives."""

from __future__ import annotations

import pytest

from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import GROUP, OWNER, SECOND, SUPERGROUP, THIRD, Home, alerts_in
from tests.fakes.botapi import Refusal, Standing, refusals

ANY = "any <=1 vast"


def rules(*chats: int) -> str:
    """A configuration in which each chat has a rule."""
    return "".join(f'[[watches]]\nname = "of {chat}"\nrule = "{ANY}"\nchat = {chat}\n' for chat in chats)


def sent_to(home: Home, chat: int) -> int:
    """How many messages were tried to be sent to a chat."""
    return sum(call.chat_id == chat for call in home.api.calls("sendMessage"))


async def test_one_chat_that_blocked_the_bot_costs_no_other_its_alert(build_home: BuildHome) -> None:
    home = await build_home(extra=rules(OWNER, SECOND, THIRD), users=(SECOND, THIRD))
    second, third = home.person(SECOND), home.person(THIRD)
    async with home.running("vast") as life:
        await life.passes(minutes=1)
        second.chat.standing = Standing.BLOCKED
        home.market.vast.add_machine("RTX 4090")
        await life.passes(minutes=2)
        assert [len(alerts_in(person.chat)) for person in (home.owner, second, third)] == [1, 0, 1]
        assert sent_to(home, SECOND) == 1
        home.market.vast.add_machine("RTX 3090")
        await life.passes(minutes=5)
        assert [len(alerts_in(person.chat)) for person in (home.owner, second, third)] == [2, 0, 2]
        assert sent_to(home, SECOND) == 1
        told = [message for message in home.owner.chat.from_bot if f"chat {SECOND}" in message.text]
        assert len(told) == 1

        second.unblocks_bot()
        second.tells("/start")
        await life.heard()
        await life.passes(minutes=1)
        home.market.vast.add_machine("RTX 3060")
        await life.passes(minutes=1)
    assert "RTX 3060" in alerts_in(second.chat)[-1].text


async def test_a_group_that_becomes_a_supergroup_gets_its_alert_there_once_and_takes_all_along(
    build_home: BuildHome,
) -> None:
    home = await build_home(chats=(GROUP,))
    group = home.api.group(GROUP)
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {ANY}", group)
        await life.passes(minutes=1)
        news = home.api.world.updates
        later = group.migrates(SUPERGROUP)
        services = [dict(update) for update in news._updates]
        news.drop()  # the bot learns of it only by being refused
        before = sent_to(home, GROUP)
        home.market.vast.add_machine("RTX 4090")
        await life.passes(minutes=2)
        assert len(alerts_in(later)) == 1
        assert sent_to(home, GROUP) == before + 1
        for service in services:
            home.api.push_update({name: body for name, body in service.items() if name != "update_id"})
        await life.heard()
        home.market.vast.add_machine("RTX 3090")
        await life.passes(minutes=2)
        assert "RTX 4090" in (await life.asks(home.owner, "/now 4090", later)).text
    async with home.running("vast") as life:
        home.market.vast.add_machine("RTX 3060")
        await life.passes(minutes=2)
        member = home.person(SECOND)
        assert "<=1" in (await life.asks(member, "/watches", later)).text
    assert len(alerts_in(later)) == 3
    assert sent_to(home, GROUP) == before + 1
    watches = (await home.ask("watch", "list", "--json")).json["watches"]
    assert [watch["chat"] for watch in watches] == [str(SUPERGROUP)]


@pytest.mark.parametrize(
    "refusal", [refusals.chat_not_found(), refusals.deactivated(), refusals.kicked(), refusals.cannot_initiate()]
)
async def test_a_chat_that_is_gone_for_good_is_tried_once_and_the_owner_hears_of_it_once(
    build_home: BuildHome, refusal: Refusal
) -> None:
    home = await build_home(extra=rules(SECOND))
    home.api.inject("sendMessage", refusal, times=None, chat_id=SECOND)
    async with home.running("vast") as life:
        for card in ("RTX 4090", "RTX 3090", "RTX 3060"):
            home.market.vast.add_machine(card)
            await life.passes(minutes=1)
        await life.heard()
    async with home.running("vast") as life:
        home.market.vast.add_machine("RTX 3070")
        await life.passes(minutes=1)
    assert sent_to(home, SECOND) == 1
    assert len(home.owner.chat.from_bot) == 1
    assert f"chat {SECOND}" in home.owner.chat.from_bot[0].text


async def test_a_group_where_the_bot_may_not_write_is_tried_again_a_day_later(build_home: BuildHome) -> None:
    home = await build_home(extra=rules(GROUP), chats=(GROUP,))
    group = home.api.group(GROUP)
    group.standing = Standing.MUTED
    home.market.vast.add_machine("RTX 4090")
    async with home.running("vast") as life:
        await life.passes(minutes=30)
        assert sent_to(home, GROUP) == 1
        group.standing = Standing.MEMBER
        home.clock.move(hours=24)
        await life.passes(minutes=2)
    assert len(alerts_in(group)) == 1

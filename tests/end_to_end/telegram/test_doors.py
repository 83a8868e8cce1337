"""Who gets in: nobody whom the owner did not name, by whatever way they come; and what it costs that they try."""

from __future__ import annotations

import re
import sqlite3
import time
from typing import Any

from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import GROUP, OWNER, SECOND, STRANGER, Home

KNOCKS = ("/start", "/watch 4090 <=0.40", "/precos", "/now", "/status", "hello", "4090 <=0.40")
_CODE = re.compile(r"become its owner: (\S+)")


def stored(home: Home) -> list[str]:
    """Everything in the database, as text."""
    connection = sqlite3.connect(home.folder / "atalaia.db")
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def parted(home: Home) -> tuple[list[str], list[str]]:
    """The database without what was said to the bot lately, and that."""
    lines, start = stored(home), 'INSERT INTO "inbox" '
    return (
        [line for line in lines if not line.startswith(start)],
        [line for line in lines if line.startswith(start)],
    )


async def test_with_nobody_named_nobody_gets_in_and_the_start_says_how_the_owner_does(build_home: BuildHome) -> None:
    home = await build_home(owners=())
    home.market.vast.add_machine()
    stranger = home.person(STRANGER, "Eve")
    async with home.running("vast") as life:
        for knock in KNOCKS:
            stranger.tells(knock)
        await life.heard()
        assert len(stranger.chat.from_bot) == 1
        assert "4090" not in stranger.chat.from_bot[0].text
        await life.passes(minutes=2)
        found = _CODE.search(home.terminal.getvalue())
        assert found is not None
        assert "You are the owner" in (await life.asks(home.owner, found[1])).text
    assert not [line for line in stored(home) if str(STRANGER) in line.replace(".", "")]
    async with home.running("vast") as life:
        assert "RTX 4090 <=0.40" in (await life.asks(home.owner, "/watch 4090 0.40")).text
        assert home.terminal.getvalue().count("become its owner") == 1
        assert "owner of this bot now" not in (await life.asks(stranger, found[1])).text
        stranger.tells("/watches")
        await life.heard()
    assert len(stranger.chat.from_bot) == 2  # one sentence a day, and again after a restart


async def test_a_stranger_can_press_nothing_not_even_a_button_made_by_hand(home: Home) -> None:
    stranger = home.person(STRANGER, "Eve")
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch 4090 0.40")
        home.api.push_update(
            {
                "callback_query": {
                    "id": "77",
                    "from": stranger.as_json(),
                    "message": home.owner.chat.from_bot[0].as_json() | {"chat": stranger.chat.as_json()},
                    "chat_instance": "1",
                    "data": "v1:delete:1",
                }
            }
        )
        await life.heard()
        (answer,) = home.api.calls("answerCallbackQuery")
    assert "Only the owner" in answer.params["text"]
    assert len((await home.ask("watch", "list", "--json")).json["watches"]) == 1


async def test_a_member_of_a_listed_group_may_read_there_and_change_nothing(build_home: BuildHome) -> None:
    home = await build_home(chats=(GROUP,))
    group, member = home.api.group(GROUP), home.person(SECOND, "Bia")
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch 4090 0.40", group)
        listed = await life.asks(home.owner, "/watches", group)
        toast = await member.taps(listed, "🗑 1").answered(10)
        assert "Only the owner" in toast.text
        assert "Only the owner" in (await life.asks(member, "/delete 1", group)).text
        assert "RTX 4090 <=0.40" in (await life.asks(member, "/watches", group)).text
        assert listed.edits == 0
        watches = (await home.ask("watch", "list", "--json")).json["watches"]
        assert [(watch["id"], watch["chat"], watch["state"]) for watch in watches] == [(1, str(GROUP), "active")]
        toast = await home.owner.taps(listed, "⏸ 1").answered(10)
        await life.heard()
    assert listed.edits == 1
    assert (await home.ask("watch", "list", "--json")).json["watches"][0]["state"] == "paused"


async def test_two_hundred_messages_of_a_stranger_cost_one_reply_and_delay_nobody(home: Home) -> None:
    stranger = home.person(STRANGER, "Eve")
    async with home.running("vast") as life:
        await life.asks(home.owner, "/status")
        await life.heard()
        before, _ = parted(home)
        for number in range(200):
            stranger.tells(KNOCKS[number % len(KNOCKS)])
        began = time.perf_counter()
        await life.asks(home.owner, "/status")
        took_s = time.perf_counter() - began
        await life.heard()
        after, inbox = parted(home)
        assert after == before
        assert len(inbox) <= 2, "what the owner asked, and nothing else"
    assert took_s < 2
    assert len(stranger.chat.from_bot) == 1


async def test_a_group_that_is_not_listed_hears_nothing_of_the_product(home: Home) -> None:
    group, stranger = home.api.group(GROUP), home.person(STRANGER, "Eve")
    home.market.vast.add_machine()
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch 4090 0.40")
        for knock in KNOCKS:
            stranger.says(group, knock)
        await life.heard()
        await life.passes(minutes=2)
    assert len(group.from_bot) <= 1
    assert not [message for message in group.from_bot if "4090" in message.text]
    assert {watch["chat"] for watch in (await home.ask("watch", "list", "--json")).json["watches"]} == {str(OWNER)}


async def test_a_crowd_that_guesses_the_one_time_code_keeps_no_owner_out_and_doctor_tells_of_it(
    build_home: BuildHome,
) -> None:
    home = await build_home(owners=())
    assert (await owner_check(home))["detail"] == "the bot has no owner yet"
    async with home.running("vast") as life:
        for number in range(210):
            home.person(5000 + number).tells("hello there 12")
        await life.heard()
        check = await owner_check(home)
        assert check["detail"] == "the bot has no owner yet; 100 wrong one-time codes were sent to it"
        assert check["remedy"]
        code = _CODE.search(home.terminal.getvalue())
        assert code is not None
        assert "You are the owner" in (await life.asks(home.owner, code[1])).text
    assert await owner_check(home) == {"name": "owner", "ok": True, "detail": "the bot has an owner", "remedy": None}


async def owner_check(home: Home) -> dict[str, Any]:
    """What doctor says of the bot's owner, when the markets may be asked again."""
    home.clock.move(minutes=1)
    checks = (await home.ask("doctor", "--json")).json["checks"]
    return next(check for check in checks if check["name"] == "owner")

"""The door over the real line: the written table for commands and buttons, strangers, and the one-time code."""

from __future__ import annotations

import pytest

from bot.buttons import Button, encode
from bot.conversation import Key, Reply
from bot.telegram.letter import markup
from tests.bot.telegram.cast import GROUP, LISTED, OTHER_GROUP, OWNER, STRANGER
from tests.bot.telegram.stage import Stage
from tests.bot.test_access import GROUPS, WHO, table
from tests.fakes.botapi import Chat, Group, Message

READING, CHANGING = encode(Button(action="page", id=1)), encode(Button(action="delete", id=1))
KEYS = ((Key(label="page", data=READING), Key(label="delete", data=CHANGING)),)


class Cell:
    """One person at one place of a running bot."""

    def __init__(self, stage: Stage, row: dict[str, str]) -> None:
        user = WHO[row["who"]]
        self.stage = stage
        self.person = stage.api.person(user or 4000, "Somebody", language="en")
        self.anonymous = user is None
        self.chat: Chat = self.person.chat
        if row["where"] in GROUPS:
            self.chat = stage.api.supergroup(GROUPS[row["where"]])

    def says(self, text: str) -> Message | None:
        if isinstance(self.chat, Group) and self.anonymous:
            return self.chat.anonymous_says(text)
        return self.person.says(self.chat, text)

    async def reaches(self, text: str) -> bool:
        """Whether a command gets to the desk."""
        before = len(self.stage.desk.requests)
        self.says(text)
        await self.stage.api.all_read()
        await self.stage.settled()
        return len(self.stage.desk.requests) > before

    async def presses(self, message: Message, label: str) -> bool:
        """Whether a press gets to the desk; it is answered in any case."""
        before = len(self.stage.desk.presses)
        await self.person.taps(message, label).answered()
        return len(self.stage.desk.presses) > before


@pytest.mark.parametrize("row", table(), ids=lambda row: f"{row['who']}, {row['where']}, {row['lists']}")
async def test_every_cell_of_the_written_table_holds_on_the_line(stage: Stage, row: dict[str, str]) -> None:
    if row["lists"] == "empty":
        stage.owners = stage.users = stage.groups = ()
    await stage.play()
    cell = Cell(stage, row)
    given = {
        "read": await cell.reaches("/now"),
        "change": await cell.reaches("/delete 1"),
    }
    sent = await stage.line.bot.send_message(cell.chat.number, "a list", reply_markup=markup(KEYS))
    message = cell.chat.find(sent.message_id)
    assert message is not None
    if not cell.anonymous:  # a press always has a name
        given["reading button"] = await cell.presses(message, "page")
        given["changing button"] = await cell.presses(message, "delete")
    assert given == {column: row[column] == "yes" for column in given}
    assert row["edited message"] == "ignored"
    if not cell.anonymous:
        stage.api.push_update({"edited_message": {**_as_said(cell, "/watch 4090"), "edit_date": 1}})
        await stage.api.all_read()
        await stage.settled()
        assert "watch" not in [request.command for request in stage.desk.requests]


def _as_said(cell: Cell, text: str) -> dict[str, object]:
    said = cell.person.says(cell.chat, text)
    cell.stage.api.world.updates.drop()  # only the edited form of it arrives
    return said.as_json()


async def test_a_stranger_in_a_listed_group_is_refused_and_the_press_gets_a_notice(playing: Stage) -> None:
    group = playing.api.supergroup(GROUP)
    owner, member = playing.api.person(OWNER, "Ana"), playing.api.person(STRANGER, "Bob")
    playing.desk.replies["watch"] = (Reply(html="watch 1", keys=KEYS),)
    owner.says(group, "/watch 4090")
    message = await group.next_message()

    member.says(group, "/delete 1")
    assert (await group.next_message()).text == "Only the owner and people on the bot's list can do this."
    toast = await member.taps(message, "delete").answered()
    assert toast.text == "Only the owner and people on the bot's list can do this."
    assert [request.command for request in playing.desk.requests] == ["watch"]
    assert playing.desk.presses == []


async def test_a_stranger_who_floods_gets_one_reply_and_costs_nothing_else(playing: Stage) -> None:
    stranger, owner = playing.api.person(STRANGER, "Eve"), playing.api.person(OWNER, "Ana")
    for number in range(200):
        stranger.tells(("/start", "/watch 4090", "hello there", "/now")[number % 4])
    owner.tells("/status")
    assert (await owner.chat.next_message()).text == "status:"
    await playing.api.all_read()
    await playing.settled()
    assert [message.text for message in stranger.chat.from_bot] == [
        f"This bot is private. Its owner can let you in: your number is {STRANGER}"
    ]
    assert playing.chats.writes == 0
    assert playing.chats.chats == {}
    assert [request.command for request in playing.desk.requests] == ["status"]


async def test_a_refusal_speaks_the_strangers_language_and_shows_nothing_of_the_product(playing: Stage) -> None:
    stranger = playing.api.person(STRANGER, "Eve", language="pt-br")
    stranger.tells("/vigiar 4090")
    message = await stranger.chat.next_message()
    assert message.text == f"Este bot é particular. O dono dele pode liberar você: seu número é {STRANGER}"
    assert message.silent


async def test_talk_of_people_in_a_group_is_never_answered(playing: Stage) -> None:
    for number, group in enumerate((playing.api.supergroup(GROUP), playing.api.supergroup(OTHER_GROUP))):
        for person in (playing.api.person(7000 + number, "Bob"), playing.api.person(8000 + number, "Zoe")):
            person.says(group, "who wants coffee?")
            person.says(group, "/coffee")
        await playing.api.all_read()
        await playing.settled()
        assert group.from_bot == []
    assert playing.desk.requests == []


@pytest.fixture
async def unowned(stage: Stage) -> Stage:
    stage.owners = ()
    await stage.play()
    return stage


async def test_who_sends_the_one_time_code_first_becomes_the_owner(unowned: Stage) -> None:
    assert unowned.access.code is not None
    code = unowned.access.code
    ana, eve = unowned.api.person(OWNER, "Ana"), unowned.api.person(STRANGER, "Eve")
    ana.tells(f"/start {code}")
    assert (await ana.chat.next_message()).text == "You are the owner of this bot now. /help shows what it can do."
    eve.tells(code)
    assert "private" in (await eve.chat.next_message()).text
    ana.tells("/delete 1")
    assert (await ana.chat.next_message()).text == "delete: 1"
    assert unowned.desk.requests[-1].speaker.is_owner
    assert unowned.chats.facts == {"telegram.owner": str(OWNER)}


async def test_a_listed_person_can_send_the_code_too(unowned: Stage) -> None:
    assert unowned.access.code is not None
    eva = unowned.api.person(LISTED, "Eva")
    eva.tells("twelve chars")
    assert (await eva.chat.next_message()).text == ": twelve chars", "a wrong code is still what they wrote"
    eva.tells(unowned.access.code)
    assert "owner" in (await eva.chat.next_message()).text


async def test_the_code_is_not_taken_in_a_group_where_all_can_read_it(unowned: Stage) -> None:
    assert unowned.access.code is not None
    group = unowned.api.supergroup(GROUP)
    unowned.api.person(STRANGER, "Eve").says(group, f"/start {unowned.access.code}")
    await unowned.api.all_read()
    await unowned.settled()
    assert unowned.access.owners == frozenset()


async def test_wrong_codes_are_limited_and_answered_once(unowned: Stage) -> None:
    assert unowned.access.code is not None
    eve = unowned.api.person(STRANGER, "Eve")
    for _ in range(5):
        eve.tells("AAAA-BBBB-CCCC")
    eve.tells(unowned.access.code)
    await unowned.api.all_read()
    await unowned.settled()
    assert len(eve.chat.from_bot) == 1
    assert unowned.access.owners == frozenset()

"""Who may do what: the written table is the rule, and what is not in it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.access import (
    CODE_LENGTH,
    STRANGERS,
    Access,
    Right,
    leaving_button,
    leaving_command,
    needed_for_button,
    needed_for_command,
    new_code,
)
from bot.buttons import ACTIONS, Button, encode
from bot.commands.names import NAMES
from bot.guesses import GUESSES
from tests.bot.telegram.cast import GROUP, LISTED, OTHER_GROUP, OWNER, STRANGER, MemoryChats

PAGE = Path(__file__).parents[2] / "docs" / "access.md"
CODE = "K7QM-2XWD-H9TB"


def table() -> list[dict[str, str]]:
    """The rows of the written table by column."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


WHO: dict[str, int | None] = {"owner": OWNER, "listed person": LISTED, "stranger": STRANGER, "no name": None}
GROUPS = {"listed group": GROUP, "other group": OTHER_GROUP}


def place(row: dict[str, str]) -> tuple[int | None, int, bool]:
    """(user, chat, is it a group) of a row."""
    user = WHO[row["who"]]
    if row["where"] == "private chat":
        assert user is not None
        return user, user, False
    return user, GROUPS[row["where"]], True


def access(*, filled: bool = True, facts: MemoryChats | None = None) -> Access:
    if not filled:
        return Access(facts or MemoryChats(), code=lambda: CODE)
    return Access(facts or MemoryChats(), owners=[OWNER], users=[LISTED], chats=[GROUP])


@pytest.mark.parametrize("row", table(), ids=lambda row: f"{row['who']}, {row['where']}, {row['lists']}")
def test_every_row_of_the_written_table_holds(row: dict[str, str]) -> None:
    user, chat, is_group = place(row)
    right = access(filled=row["lists"] == "filled").right(user, chat, is_group=is_group)
    given = {
        "read": right >= needed_for_command("now"),
        "change": right >= needed_for_command("delete"),
        "reading button": right >= needed_for_button(encode(Button(action="page", id=1))),
        "changing button": right >= needed_for_button(encode(Button(action="delete", id=1))),
    }
    assert given == {column: row[column] == "yes" for column in given}


def test_the_table_holds_every_combination_that_can_occur() -> None:
    filled = {(row["who"], row["where"]) for row in table() if row["lists"] == "filled"}
    everywhere = {(who, where) for who in WHO for where in ("private chat", *GROUPS)}
    assert everywhere - filled == {("no name", "private chat")}
    empty = {(row["who"], row["where"]) for row in table() if row["lists"] == "empty"}
    assert empty == {
        (who, where) for who, where in everywhere if who in ("stranger", "no name") and where != "listed group"
    } - {("no name", "private chat")}


@pytest.mark.parametrize(
    ("user", "chat", "is_group"),
    [
        (None, STRANGER, False),
        (None, OWNER, False),
        (LISTED, OWNER, False),
        (STRANGER, LISTED, False),
        (STRANGER, GROUP, False),
        (0, 0, False),
        (STRANGER, STRANGER, True),
    ],
)
def test_a_combination_that_is_not_in_the_table_has_no_right(user: int | None, chat: int, is_group: bool) -> None:
    assert access().right(user, chat, is_group=is_group) is Right.NONE


def test_a_private_chat_listed_as_a_chat_lets_its_person_in_there_only() -> None:
    listed = Access(MemoryChats(), owners=[OWNER], chats=[STRANGER])
    assert listed.right(STRANGER, STRANGER, is_group=False) is Right.CHANGE
    assert listed.right(STRANGER, GROUP, is_group=True) is Right.NONE


def test_commands_named_on_the_page_as_reading_are_exactly_those_that_only_read() -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition("**read**:")
    reading, _, _ = rest.partition("**change**")
    assert set(re.findall(r"/([a-z]+)", reading)) == {name for name in NAMES if needed_for_command(name) is Right.READ}


@pytest.mark.parametrize("name", ["", "nothing", "WATCHES", "watch", "forget", "export", "/now", "now "])
def test_what_is_not_named_as_reading_needs_the_right_to_change(name: str) -> None:
    assert needed_for_command(name) is Right.CHANGE


@pytest.mark.parametrize("data", ["", "v0:page:1", "v1:page:-1", "page", "v1:erase:1", "v1:page:1:" + "x" * 90])
def test_a_button_that_cannot_be_read_needs_the_right_to_change(data: str) -> None:
    assert needed_for_button(data) is Right.CHANGE


def test_only_buttons_that_show_something_are_for_readers() -> None:
    reading = {action for action in ACTIONS if needed_for_button(f"v1:{action}:1") is Right.READ}
    assert reading == {"history", "more", "page", "why"}


async def test_the_first_who_sends_the_code_is_the_owner_and_stays_it() -> None:
    facts = MemoryChats()
    first = access(filled=False, facts=facts)
    assert first.code == CODE
    assert await first.claim(STRANGER, f" {CODE.lower()} ")
    assert first.right(STRANGER, STRANGER, is_group=False) is Right.OWN
    assert first.code is None
    assert not await first.claim(LISTED, CODE)
    assert first.right(LISTED, LISTED, is_group=False) is Right.NONE

    later = access(filled=False, facts=facts)
    assert later.code is None
    assert later.right(STRANGER, STRANGER, is_group=False) is Right.OWN


def test_owners_of_the_configuration_are_the_only_ones_when_there_are_any() -> None:
    facts = MemoryChats()
    facts.facts["telegram.owner"] = str(STRANGER)
    assert access(facts=facts).owners == {OWNER}


def test_a_damaged_fact_makes_nobody_the_owner() -> None:
    facts = MemoryChats()
    facts.facts["telegram.owner"] = "none of your business"
    assert access(filled=False, facts=facts).owners == frozenset()


async def test_no_code_is_taken_when_there_is_an_owner() -> None:
    known = access()
    assert known.code is None
    assert not known.is_guess(CODE)
    assert not await known.claim(STRANGER, CODE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CODE, True),
        (CODE.replace("-", ""), True),
        ("/start " + CODE, True),
        ("AAAA-BBBB-CCCC", True),
        ("", False),
        ("/start", False),
        ("K7QM-2XWD-H9T", False),
        (CODE + "A", False),
        ("é" * 12, False),
        ("１２３４５６７８９０１２", False),
    ],
)
def test_only_what_has_the_form_of_a_code_is_a_guess(text: str, expected: bool) -> None:
    assert access(filled=False).is_guess(text) is expected


async def test_after_some_wrong_guesses_even_the_right_code_is_not_taken_from_that_person() -> None:
    unclaimed = access(filled=False)
    for _ in range(GUESSES):
        assert not await unclaimed.claim(STRANGER, "AAAA-BBBB-CCCC")
    assert not await unclaimed.claim(STRANGER, CODE)
    assert await unclaimed.claim(OWNER, CODE), "somebody else's guesses do not shut the owner out"


@pytest.mark.parametrize("crowd", [200, 3000])
async def test_no_crowd_of_strangers_shuts_the_owner_out_however_often_they_guess(crowd: int) -> None:
    unclaimed = access(filled=False)
    for _ in range(GUESSES):
        for user in range(1000, 1000 + crowd):
            assert not await unclaimed.claim(user, "hello there 12")
    assert await unclaimed.claim(OWNER, CODE)


def test_codes_are_long_and_never_the_same() -> None:
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code.replace("-", "")) == CODE_LENGTH and "O" not in code and "0" not in code for code in codes)


def test_a_stranger_is_told_once_a_day() -> None:
    door = access()
    assert [door.refusal_due(STRANGER, STRANGER, now_s=float(second)) for second in range(3)] == [True, False, False]
    assert not door.refusal_due(STRANGER, STRANGER, now_s=86_399.0)
    assert door.refusal_due(STRANGER, STRANGER, now_s=86_400.0)


def test_a_group_that_is_not_listed_is_told_once_a_day_whoever_asks_there() -> None:
    door = access()
    assert door.refusal_due(STRANGER, OTHER_GROUP, now_s=0.0)
    assert not door.refusal_due(STRANGER + 1, OTHER_GROUP, now_s=1.0)
    assert not door.refusal_due(STRANGER, STRANGER, now_s=2.0), "the person has been told, wherever that was"
    assert not door.refusal_due(None, OTHER_GROUP, now_s=3.0)


def test_many_strangers_fill_a_bounded_memory_and_then_nobody_new_is_told() -> None:
    door = access()
    told = sum(door.refusal_due(1000 + number, 1000 + number, now_s=0.0) for number in range(3 * STRANGERS))
    assert told <= STRANGERS
    assert not door.refusal_due(1000, 1000, now_s=1.0), "crowding out does not earn a second answer"
    assert door.refusal_due(1000, 1000, now_s=90_000.0)


async def test_a_listed_group_stays_listed_under_its_new_ids_after_a_restart_too() -> None:
    facts = MemoryChats()
    running = access(facts=facts)
    await running.moved(GROUP, -1001)
    await running.moved(-1001, -1002)
    await running.moved(GROUP, -1001)
    for each in (running, access(facts=facts)):
        assert each.right(STRANGER, -1002, is_group=True) is Right.READ


async def test_a_group_that_is_not_listed_is_not_listed_by_moving() -> None:
    facts = MemoryChats()
    running = access(facts=facts)
    await running.moved(OTHER_GROUP, -1001)
    assert running.right(STRANGER, -1001, is_group=True) is Right.NONE
    assert facts.writes == 0


@pytest.mark.parametrize(
    ("chat", "author", "served"),
    [
        ("terminal", None, True),
        (str(OWNER), str(OWNER), True),
        (str(LISTED), str(LISTED), True),
        (str(STRANGER), str(STRANGER), False),
        (str(STRANGER), str(OWNER), False),
        (str(GROUP), str(STRANGER), True),
        (str(GROUP), None, True),
        (str(OTHER_GROUP), str(OWNER), None),
        (str(OTHER_GROUP), str(LISTED), False),
        (str(OTHER_GROUP), None, False),
        (str(OTHER_GROUP), "nobody", False),
    ],
)
def test_a_rule_is_served_where_who_made_it_could_make_it_now(
    chat: str, author: str | None, served: bool | None
) -> None:
    assert access().serves(chat, author) is served


def test_in_a_group_that_was_just_taken_off_nothing_is_served_and_later_what_an_owner_resumes_there() -> None:
    facts = MemoryChats()
    access(facts=facts).note_lists()
    taken_off = Access(facts, owners=[OWNER])
    assert taken_off.serves(str(GROUP), str(OWNER)) is False
    taken_off.note_lists()
    assert Access(facts, owners=[OWNER]).serves(str(GROUP), str(OWNER)) is None


async def test_a_group_is_served_under_its_new_id_and_its_people_may_leave_there() -> None:
    running = access()
    running.remember([(str(GROUP), str(STRANGER))])
    await running.moved(GROUP, -1001)
    assert running.serves("-1001", str(STRANGER))
    assert running.has_rules(STRANGER, -1001)


def test_who_has_rules_is_known_by_person_in_groups_and_by_chat_in_private() -> None:
    door = access()
    door.remember([("-600", "5"), ("6", None), ("-700", None), ("terminal", None)])
    known = [(user, chat) for user in (5, 6, 7) for chat in (-600, -700, 5, 6, 7) if door.has_rules(user, chat)]
    assert known == [(5, -600), (6, 6)]


def test_who_leaves_may_do_what_the_page_says_and_no_more() -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition("always see, pause and delete them")
    named, _, _ = rest.partition("work for these rules")
    assert set(re.findall(r"/([a-z]+)", named)) == {name for name in NAMES if leaving_command(name)}
    assert {action for action in ACTIONS if leaving_button(f"v1:{action}:1")} == {
        "pause",
        "delete",
        "confirm",
        "cancel",
    }
    assert leaving_button("v1:page:0:1")
    assert not leaving_button("v1:page:7:0")
    assert not leaving_button("nonsense")


async def test_who_becomes_the_owner_is_made_known_at_once() -> None:
    known: list[bool] = []
    unclaimed = Access(MemoryChats(), code=lambda: CODE, claimed=lambda: known.append(True))
    await unclaimed.claim(STRANGER, "AAAA-BBBB-CCCC")
    assert known == []
    await unclaimed.claim(STRANGER, CODE)
    assert known == [True]


async def test_stored_moves_in_a_circle_end() -> None:
    facts = MemoryChats()
    facts.facts |= {f"telegram.moved.{GROUP}": "-1001", "telegram.moved.-1001": str(GROUP)}
    assert access(facts=facts).right(STRANGER, -1001, is_group=True) is Right.READ

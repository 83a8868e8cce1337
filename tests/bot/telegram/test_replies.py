"""How replies are shown: as asked, in the right place, and once, whatever Telegram does."""

from __future__ import annotations

import asyncio

import pytest

from bot.conversation import Key, Outcome, Reply
from tests.bot.telegram.cast import GROUP, LISTED, OWNER
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Gate, Message, Page, Person, refusals

KEYS = ((Key(label="Again", data="v1:page:1"), Key(label="Open", url="https://example.org/a?b=1&c=2")),)


@pytest.fixture
def ana(playing: Stage) -> Person:
    return playing.api.person(OWNER, "Ana")


async def shown(stage: Stage, person: Person, *replies: Reply) -> Message:
    """The first message of a command that is answered so."""
    stage.desk.replies["now"] = replies
    person.tells("/now")
    return await person.chat.next_message()


async def test_a_reply_has_its_markup_and_buttons_and_no_preview_of_links(playing: Stage, ana: Person) -> None:
    message = await shown(playing, ana, Reply(html='<b>4090</b> <a href="https://example.org">x</a>', keys=KEYS))
    assert message.content.styled("bold") == ["4090"]
    assert message.rows == [["Again", "Open"]]
    assert message.button("Open").url == "https://example.org/a?b=1&c=2"
    call = playing.api.calls("sendMessage")[0]
    assert call.params["link_preview_options"] == {"is_disabled": True}
    assert message.sounded


async def test_several_replies_come_in_order_and_a_silent_one_makes_no_sound(playing: Stage, ana: Person) -> None:
    await shown(playing, ana, Reply(html="1"), Reply(html="2", silent=True), Reply(html="3"))
    await playing.settled()
    assert [(each.text, each.sounded) for each in ana.chat.from_bot] == [("1", True), ("2", False), ("3", True)]


async def test_commands_of_one_chat_are_answered_in_order(playing: Stage, ana: Person) -> None:
    for number in range(20):
        ana.tells(f"/now {number}")
    assert [(await ana.chat.next_message()).text for _ in range(20)] == [f"now: {number}" for number in range(20)]


async def test_a_slow_answer_in_one_chat_holds_up_no_other(playing: Stage, ana: Person) -> None:
    waiting, opened = asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        if playing.desk.requests[-1].speaker.chat == str(OWNER):
            waiting.set()
            await opened.wait()

    playing.desk.before = slowly
    for number in range(10):
        ana.tells(f"/now {number}")
    await asyncio.wait_for(waiting.wait(), 2)
    eva = playing.api.person(LISTED, "Eva")
    eva.tells("/now")
    assert (await eva.chat.next_message()).text == "now:"
    opened.set()


async def test_markup_that_telegram_cannot_parse_goes_once_more_as_plain_text(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", refusals.unparsable("Unclosed start tag at byte offset 2"))
    message = await shown(playing, ana, Reply(html="<b>RTX_4090</b> &lt;= 0.4"))
    assert message.text == "RTX_4090 <= 0.4"
    assert message.entities == ()
    assert len(playing.api.calls("sendMessage")) == 2


async def test_what_can_never_be_sent_is_tried_once_and_told_and_the_next_reply_comes(
    playing: Stage, ana: Person
) -> None:
    playing.api.inject("sendMessage", refusals.bad_request("message is too long"))
    message = await shown(playing, ana, Reply(html="long"), Reply(html="short"))
    assert message.text == "The answer to this could not be shown here, and it was noted."
    assert (await ana.chat.next_message()).text == "short"
    assert len(playing.api.calls("sendMessage")) == 3


async def test_a_chat_in_which_nothing_can_be_said_is_not_asked_for_ever(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", refusals.bad_request("something new"), times=None)
    ana.tells("/now")
    await playing.api.next_calls("sendMessage", 2)
    await playing.settled()
    assert len(playing.api.calls("sendMessage")) == 2


@pytest.mark.parametrize("fault", [Page(), refusals.server_error(), refusals.too_many_requests(3)])
async def test_a_short_outage_costs_a_reply_nothing(
    playing: Stage, ana: Person, fault: Page | refusals.Refusal
) -> None:
    playing.api.inject("sendMessage", fault, times=3)
    message = await shown(playing, ana, Reply(html="here"))
    assert message.text == "here"
    await playing.settled()
    assert len(ana.chat.from_bot) == 1


async def test_the_wait_that_telegram_asks_for_is_kept(playing: Stage, ana: Person) -> None:
    playing.api.inject("sendMessage", refusals.too_many_requests(7))
    await shown(playing, ana, Reply(html="here"))
    assert playing.clock.waits == [7.0]


async def test_a_reply_to_a_topic_that_is_gone_comes_in_the_group(playing: Stage, ana: Person) -> None:
    forum = playing.api.supergroup(GROUP, topics=(5,))
    playing.api.inject("sendMessage", refusals.thread_not_found())
    ana.says(forum, "/now", topic=5)
    assert (await forum.next_message()).topic is None


async def test_a_reply_follows_a_group_that_moves_meanwhile(playing: Stage, ana: Person) -> None:
    group = playing.api.group(GROUP)
    gate = Gate()
    playing.api.inject("sendMessage", gate, chat_id=GROUP)
    ana.says(group, "/now")
    await asyncio.wait_for(gate.reached.wait(), 2)
    new = group.migrates(-1005)
    gate.open()
    assert (await new.next_message()).text == "now:"
    assert playing.life.current(str(GROUP)) == "-1005"


async def test_a_chat_that_blocks_the_bot_while_it_waits_is_left_alone(playing: Stage) -> None:
    eva = playing.api.person(LISTED, "Eva")
    gate = Gate()
    playing.api.inject("sendMessage", gate, chat_id=LISTED)
    eva.tells("/now")
    await asyncio.wait_for(gate.reached.wait(), 2)
    eva.blocks_bot()
    gate.open()
    await playing.api.all_read()
    await playing.settled()
    assert playing.chats.chats[str(LISTED)].state == "blocked"
    assert len(playing.told) == 1


async def test_a_fault_of_the_desk_is_an_apology_and_the_next_command_is_answered(
    playing: Stage, ana: Person, caplog: pytest.LogCaptureFixture
) -> None:
    async def breaks() -> None:
        playing.desk.before = None
        raise ZeroDivisionError("ours")

    playing.desk.before = breaks
    ana.tells("/now")
    assert (await ana.chat.next_message()).text == "Something went wrong here, and it was noted. Please try again."
    ana.tells("/now")
    assert (await ana.chat.next_message()).text == "now:"
    assert [record.exc_info is not None for record in caplog.records if record.levelname == "ERROR"] == [True]


async def pressed(stage: Stage, person: Person, outcome: Outcome) -> Message:
    """A message with buttons, one of which is pressed and answered."""
    message = await shown(stage, person, Reply(html="a list", keys=KEYS))
    stage.desk.outcome = outcome
    await person.taps(message, "Again").answered()
    return message


async def test_a_press_is_answered_once_with_its_notice_and_edits_its_message(playing: Stage, ana: Person) -> None:
    outcome = Outcome(notice="page 2", replies=(Reply(html="<i>more</i>", edits=True, keys=KEYS),))
    message = await pressed(playing, ana, outcome)
    assert await ana.chat.next_edit() is message
    assert (message.text, message.rows) == ("more", [["Again", "Open"]])
    calls = playing.api.calls("answerCallbackQuery")
    assert [call.params.get("text") for call in calls] == ["page 2"]
    press = playing.desk.presses[0]
    assert (press.data, press.message_id, press.speaker.is_owner) == ("v1:page:1", str(message.number), True)


async def test_a_notice_that_is_too_long_is_cut_and_an_empty_one_is_still_an_answer(
    playing: Stage, ana: Person
) -> None:
    await pressed(playing, ana, Outcome(notice="x" * 500))
    await pressed(playing, ana, Outcome())
    calls = playing.api.calls("answerCallbackQuery")
    assert [len(call.text("text")) for call in calls] == [200, 0]


async def test_a_press_that_breaks_the_desk_is_answered_once_with_an_apology(playing: Stage, ana: Person) -> None:
    message = await shown(playing, ana, Reply(html="a list", keys=KEYS))

    async def breaks() -> None:
        raise ZeroDivisionError("ours")

    playing.desk.before = breaks
    toast = await ana.taps(message, "Again").answered()
    assert "went wrong" in toast.text
    assert len(playing.api.calls("answerCallbackQuery")) == 1


async def test_a_press_that_comes_too_late_to_be_answered_still_counts(playing: Stage, ana: Person) -> None:
    message = await shown(playing, ana, Reply(html="a list", keys=KEYS))
    playing.api.inject("answerCallbackQuery", refusals.query_too_old())
    playing.desk.outcome = Outcome(replies=(Reply(html="done", edits=True),))
    ana.taps(message, "Again")
    assert (await ana.chat.next_edit()).text == "done"


async def test_an_edit_that_changes_nothing_is_no_failure(
    playing: Stage, ana: Person, caplog: pytest.LogCaptureFixture
) -> None:
    await pressed(playing, ana, Outcome(replies=(Reply(html="a list", keys=KEYS, edits=True),)))
    await playing.settled()
    assert len(playing.api.calls("editMessageText")) == 1
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


async def test_what_was_to_replace_a_deleted_message_comes_as_a_new_one(playing: Stage, ana: Person) -> None:
    playing.api.inject("editMessageText", refusals.nothing_to_edit())
    await pressed(playing, ana, Outcome(replies=(Reply(html="page 2", edits=True),)))
    assert (await ana.chat.next_message()).text == "page 2"


@pytest.mark.parametrize(
    "change",
    [
        {"message": None, "inline_message_id": "7"},
        {"data": None, "game_short_name": "x"},
        {"message": {"message_id": 3, "date": 0, "chat": {"id": OWNER, "type": "private", "first_name": "Ana"}}},
        {"data": "\x00'; DROP TABLE watch"},
    ],
)
async def test_an_odd_press_is_answered_too(playing: Stage, ana: Person, change: dict[str, object]) -> None:
    message = await shown(playing, ana, Reply(html="a list", keys=KEYS))
    query = {
        "id": "77",
        "from": ana.as_json(),
        "chat_instance": "1",
        "message": message.as_json(),
        "data": "v1:page:1",
        **change,
    }
    playing.api.push_update({"callback_query": {name: value for name, value in query.items() if value is not None}})
    calls = await playing.api.next_calls("answerCallbackQuery", 1)
    await playing.settled()
    assert [call.params["callback_query_id"] for call in calls] == ["77"]
    assert len(playing.api.calls("answerCallbackQuery")) == 1

"""The list of rules, editing, deleting, pausing and resuming, and that nobody touches another chat's rules."""

from __future__ import annotations

import pytest

from bot.conversation import Speaker
from storage.watches import FileRule
from tests.bot.commands.parlour import Parlour, vast

OTHER = Speaker(chat="222", user="222", language="en")


async def test_the_list_shows_each_rule_with_its_matches_and_its_buttons(room: Parlour) -> None:
    await room.answered(vast(1, 0.35), vast(2, 0.55))
    await room.asks("/watch 4090 <=0.40 name:lora")
    await room.asks("/watch 4090 <=0.60")
    text = await room.asks("/watches")
    assert "🟢 1 lora · RTX 4090 <=0.40 name:lora · 1 offer matches now" in text
    assert "🟢 2 · RTX 4090 <=0.60 · 2 offers match now" in text
    assert room.labels() == ["⏸ 1", "✏️ 1", "🗑 1", "❓ 1", "⏸ 2", "✏️ 2", "🗑 2", "❓ 2"]


async def test_a_chat_without_rules_is_told_how_to_begin(room: Parlour) -> None:
    for command in ("/watches", "/pause", "/resume", "/delete", "/edit", "/why"):
        assert "Nothing is watched here yet" in await room.asks(command), command


async def test_many_rules_are_turned_over_page_by_page(room: Parlour) -> None:
    for price in range(10, 30):
        await room.asks(f"/watch 4090 <=0.{price}")
    seen = [await room.asks("/watches")]
    for label in ("2/3", "3/3"):
        text, _ = await room.presses(label)
        assert room.said[-1].edits
        seen.append(text)
    shown = [line.split(" ")[1] for text in seen for line in text.split("\n") if line.startswith("🟢")]
    assert shown == [str(number) for number in range(1, 21)]
    text, _ = await room.presses("◀️ 2/3")
    assert "🟢 9 " in text


async def test_rules_of_names_and_texts_that_mean_harm_are_listed_as_typed(room: Parlour) -> None:
    await room.asks('/watch 4090 <=0.40 name:"<b>&_*[`"')
    assert "1 <b>&_*[`" in await room.asks("/watches")


async def test_the_longest_rules_still_fit_one_message(room: Parlour) -> None:
    cards = ", ".join(list(room.product.rules.catalogue().cards)[:40])
    for price in range(1, 9):
        await room.asks(f"/watch {cards} <=0.{price}")
    text = await room.asks("/watches")
    assert all(f"{number} · " in text for number in range(1, 9))


async def test_a_button_pauses_and_resumes_in_the_list_itself(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    await room.asks("/watches")
    text, notice = await room.presses("⏸ 1")
    assert notice == "Rule 1 is paused."
    assert "⏸ 1 · RTX 4090 <=0.40 · paused" in text
    assert room.said[-1].edits
    text, notice = await room.presses("▶️ 1")
    assert notice == "Rule 1 is watched again."
    assert "🟢 1 · " in text


async def test_the_delete_button_asks_first_and_can_be_taken_back(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    await room.asks("/watches")
    text, _ = await room.presses("🗑 1")
    assert text == "Delete rule 1?\nRTX 4090 <=0.40"
    text, _ = await room.presses("Keep it")
    assert "🟢 1 · " in text
    await room.presses("🗑 1")
    text, _ = await room.presses("Delete")
    assert "Rule 1 is deleted." in text
    assert room.product.watches.list() == ()


async def test_typed_with_its_number_a_rule_is_deleted_at_once_and_the_answer_would_bring_it_back(
    room: Parlour,
) -> None:
    await room.asks("/watch 4090 <=0.40 name:lora")
    text = await room.asks("/delete #1")
    assert room.product.watches.list() == ()
    again = text.split("\n")[-1]
    assert "RTX 4090 <=0.40 name:lora" in await room.asks(again)


async def test_a_rule_answers_to_its_name_too(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40 name:Lora")
    assert "Rule 1 is paused." in await room.asks("/pause lora")


async def test_an_edited_rule_is_repeated_and_tells_what_matches_now(room: Parlour) -> None:
    await room.answered(vast(1, 0.35))
    await room.asks("/watch 4090 <=0.30 name:lora")
    text = await room.asks("/edit 1 4090 <=0.40 vast")
    assert "Rule 1 is now:" in text
    assert "1 offer matches now:" in text
    (watch,) = room.product.watches.list("111")
    assert (watch.text, watch.name, watch.passed) == ("RTX 4090 <=0.40 vast", None, frozenset({"vast"}))


async def test_an_edit_that_cannot_be_read_leaves_the_rule_and_a_choice_mends_it(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.30")
    await room.asks("/edit 1 6000 <=0.40")
    assert [watch.text for watch in room.product.watches.list()] == ["RTX 4090 <=0.30"]
    await room.presses("RTX A6000")
    assert [watch.text for watch in room.product.watches.list()] == ["RTX A6000 <=0.40"]


async def test_edit_without_a_rule_gives_the_old_one_to_be_changed(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.30")
    assert "/edit 1 RTX 4090 <=0.30" in await room.asks("/edit 1")
    await room.asks("/watches")
    text, _ = await room.presses("✏️ 1")
    assert "/edit 1 RTX 4090 <=0.30" in text


async def test_pause_without_a_number_pauses_the_only_rule_and_asks_among_several(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    assert "Rule 1 is paused." in await room.asks("/pause")
    await room.asks("/resume")
    await room.asks("/watch 3090 <=0.20")
    await room.asks("/pause")
    text, _ = await room.presses("All 2")
    assert text == "2 rules are paused."
    assert {watch.state for watch in room.product.watches.list()} == {"paused"}
    assert await room.asks("/resume all") == "2 rules are watched again."
    assert await room.asks("/resume") == "No rule is paused here."


async def test_a_rule_whose_last_day_is_over_is_not_resumed_but_edited(room: Parlour) -> None:
    await room.asks("/watch 4090 until:2026-12-02")
    room.clock.pass_time(3 * 86_400)
    room.product.watches.end(1)
    assert "/edit 1 gives it another" in await room.asks("/resume 1")
    assert room.product.watches.list()[0].state == "ended"


@pytest.mark.parametrize(
    "command", ["/edit 1 3090 <=0.10", "/edit 1", "/delete 1", "/pause 1", "/resume 1", "/why 1", "/now #1"]
)
async def test_another_chat_s_rule_is_as_good_as_none(room: Parlour, command: str) -> None:
    await room.asks("/watch 4090 <=0.40")
    before = room.product.watches.list()
    text = await room.asks(command, speaker=OTHER)
    assert "There is no rule" in text
    assert "4090" not in text
    assert room.product.watches.list() == before


@pytest.mark.parametrize("action", ["pause", "resume", "delete", "confirm", "edit", "why"])
@pytest.mark.parametrize("argument", ["", ":list0"])
async def test_another_chat_s_rule_cannot_be_touched_by_a_button(room: Parlour, action: str, argument: str) -> None:
    await room.asks("/watch 4090 <=0.40")
    before = room.product.watches.list()
    text, notice = await room.presses_data(f"v1:{action}:1{argument}", speaker=OTHER)
    assert notice == "This rule is gone already."
    assert "4090 <=0.40" not in text.replace("Begin with /watch RTX 4090 <=0.40", "")
    assert room.product.watches.list() == before


@pytest.mark.parametrize("word", ["0", "-1", "999999999999999999999999", "٣", "x", "1 or 1=1", "<b>"])
async def test_a_number_that_no_rule_has_is_answered_kindly(room: Parlour, word: str) -> None:
    await room.asks("/watch 4090 <=0.40")
    assert "There is no rule" in await room.asks(f"/delete {word}")
    assert len(room.product.watches.list()) == 1


async def test_rules_of_the_file_are_changed_in_the_file(room: Parlour) -> None:
    rule = FileRule(name="from the file", chat="111", text="RTX 4090 <=0.40")
    room.product.watches.sync_file([rule], room.clock.now())
    text = await room.asks("/watches")
    assert "kept in the configuration file" in text
    assert room.labels() == ["⏸ 1", "❓ 1"]
    for command in ("/edit 1 3090 <=0.20", "/edit 1", "/delete 1"):
        assert "Change or remove it there." in await room.asks(command), command
    for data in ("v1:edit:1", "v1:delete:1:list0", "v1:confirm:1:list0"):
        text, _ = await room.presses_data(data)
        assert "Change or remove it there." in text, data
    assert [watch.text for watch in room.product.watches.list()] == ["RTX 4090 <=0.40"]
    assert "Rule 1 is paused." in await room.asks("/pause 1")


async def test_a_rule_that_this_version_cannot_read_is_shown_and_can_be_deleted(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    with room.product.store.write() as connection:
        connection.exec_driver_sql("UPDATE watch SET rule = 'RTX 4090 words<of>tomorrow'")
    text = await room.asks("/watches")
    assert "1 cannot be read by this version and is not watched: RTX 4090 words<of>tomorrow" in text
    assert "Rule 1 is deleted." in await room.asks("/delete 1")
    assert "Nothing is watched here yet" in await room.asks("/watches")

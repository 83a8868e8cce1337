"""Buttons change what they stand under: pressed again and again they add nothing, and they outlive a restart."""

from __future__ import annotations

from datetime import timedelta

from bot.commands import Commands
from bot.conversation import Key, Outcome, Press
from bot.pace import note_pace
from scanners.poller import Pace
from tests.bot.commands.parlour import Parlour, vast

OPEN = Key(label="Open", url="https://example.org/")


async def pressed(room: Parlour, keys: tuple[tuple[Key, ...], ...], data: str) -> Outcome:
    return await room.desk.press(Press(speaker=room.speaker, data=data, message_id="5", at=room.clock.now(), keys=keys))


async def test_pause_under_an_alert_turns_into_resume_and_back_and_adds_no_message(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    keys = ((OPEN, Key(label="Pause", data="v1:pause:1")),)
    for _ in range(3):
        outcome = await pressed(room, keys, "v1:pause:1")
        (reply,) = outcome.replies
        assert reply.keys_only
        assert reply.keys == ((OPEN, Key(label="Resume", data="v1:resume:1")),)
    assert outcome.notice == "Nothing changes: rule 1 was like that already."
    back = await pressed(room, reply.keys, "v1:resume:1")
    assert back.replies[0].keys == keys
    assert back.notice == "Rule 1 is watched again."


async def test_with_several_rules_the_buttons_keep_their_names(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40 name:lora")
    keys = ((OPEN,), (Key(label="Pause lora", data="v1:pause:1"),), (Key(label="Pause other", data="v1:pause:2"),))
    outcome = await pressed(room, keys, "v1:pause:1")
    assert [row[0].label for row in outcome.replies[0].keys] == ["Open", "Resume lora", "Pause other"]


async def test_what_was_said_of_a_pause_is_changed_in_place(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    text = await room.asks("/pause 1")
    assert text.startswith("Rule 1 is paused.")
    text, _ = await room.presses("Resume")
    assert text.startswith("Rule 1 is watched again.")
    assert room.said[-1].edits
    await room.presses("Pause")
    assert room.said[-1].edits


async def test_the_question_which_rule_becomes_the_answer(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    await room.asks("/watch 4090 <=0.30")
    await room.asks("/pause")
    text, _ = await room.presses("2 ")
    assert text.startswith("Rule 2 is paused.")
    assert room.said[-1].edits


async def test_a_question_is_answered_after_a_restart(room: Parlour) -> None:
    await room.asks("4090 <=0.40")
    room.desk = Commands(room.product)
    text, _ = await room.presses("Yes, watch")
    assert "Watching, rule 1" in text
    assert room.said[-1].edits


async def test_a_choice_and_a_page_are_good_after_a_restart_too(room: Parlour) -> None:
    await room.answered(*(vast(number, 0.30 + number / 1000) for number in range(30)))
    await room.asks("/now 4090")
    room.desk = Commands(room.product)
    text, _ = await room.presses("21 / 30")
    assert "US$ 0.329" in text
    await room.asks("/watch 6000 <=0.80")
    room.desk = Commands(room.product)
    text, _ = await room.presses("RTX A6000")
    assert "RTX A6000 <=0.80" in text


async def test_all_that_an_alert_only_counts_can_be_turned_over_rule_by_rule_after_a_restart(room: Parlour) -> None:
    await room.answered()
    await room.asks("/watch 4090 <=0.40 vast name:cheap")
    await room.asks("/watch 4090 <=0.90 vast name:dear")
    await room.answered(*(vast(number, 0.30 + number / 1000) for number in range(45)))
    (number,) = {number for _, _, number in room.alerts()}
    room.desk = Commands(room.product)
    text, _ = await room.presses_data(f"v1:more:{number}")
    assert not room.said[-1].edits, "the alert itself stays"
    assert text.startswith("cheap · rule 1 of 2\nRTX 4090 <=0.40 vast name:cheap\n45 offers match")
    assert room.labels() == ["21 / 45 ▶️", "dear ➡️", "Pause cheap"]
    text, _ = await room.presses("21 / 45")
    assert room.said[-1].edits
    assert "US$ 0.320" in text
    text, _ = await room.presses("41 / 45")
    assert "US$ 0.344" in text
    assert room.labels() == ["◀️ 21", "dear ➡️", "Pause cheap"]
    text, _ = await room.presses("dear ➡️")
    assert text.startswith("dear · rule 2 of 2")
    seen = set()
    while True:
        seen |= {line for line in text.split("\n") if "4090" in line and "US$" in line}
        if not any("▶️" in label for label in room.labels()):
            break
        text, _ = await room.presses(next(label for label in room.labels() if "▶️" in label))
    assert len(seen) == 45
    await room.presses("⬅️ cheap")
    assert room.seen().text.startswith("cheap · rule 1 of 2")


async def test_an_alert_whose_rules_are_gone_says_how_to_go_on(room: Parlour) -> None:
    await room.answered()
    await room.asks("/watch 4090 <=0.40 vast")
    await room.answered(vast(1, 0.35))
    ((_, _, number),) = room.alerts()
    await room.asks("/delete 1")
    text, notice = await room.presses_data(f"v1:more:{number}:0.20")
    assert (text, notice) == ("", "This alert is too old; ask with /now.")
    _, notice = await room.presses_data(f"v1:more:{number + 1}")
    assert notice


async def test_status_right_after_a_rule_says_that_it_is_asked_for(room: Parlour) -> None:

    idle = Pace(wait_s=240.0, reason="nothing is watched here; only checking that the market answers")
    note_pace(room.product.chats, "vast", idle, room.clock.now())
    assert "nothing is watched here" in await room.asks("/status")
    room.clock.pass_time(5)
    await room.asks("/watch 4090 <=0.40 vast")
    text = await room.asks("/status")
    assert "nothing is watched here" not in text
    assert "next question in 0 s: a new rule is being asked for" in text
    room.clock.pass_time(timedelta(minutes=10).total_seconds())
    assert "nobody is scanning" in await room.asks("/status"), "a rule that nobody takes up is not called asked for"

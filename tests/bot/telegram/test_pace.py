"""The pace: Telegram's limits are kept, and nobody uses up what somebody more important needs."""

from __future__ import annotations

import pytest

from bot.telegram.pace import ALERTS, ANSWERS, REFUSALS, Pace, Share
from tests.bot.telegram.cast import LeapingClock


def test_a_group_gets_no_more_than_telegram_allows_in_a_minute() -> None:
    clock = LeapingClock()
    pace, sent = Pace(clock.monotonic), []
    while clock.elapsed < 180:
        wait = pace.take("-500")
        if wait:
            clock.advance(wait)
        else:
            sent.append(clock.elapsed)
    assert len(sent) > 50
    assert all(sum(start <= at < start + 60 for at in sent) <= 20 for start in sent)


def test_all_chats_together_get_no_more_than_twenty_a_second() -> None:
    clock = LeapingClock()
    pace, sent = Pace(clock.monotonic), []
    for chat in map(str, range(100)):
        while (wait := pace.take(chat)) > 0:
            clock.advance(wait)
        sent.append(clock.elapsed)
    assert all(sum(start <= at < start + 1 for at in sent) <= 20 for start in sent)
    assert clock.elapsed == pytest.approx(4)


def test_a_chat_that_waits_does_not_make_another_wait() -> None:
    clock = LeapingClock()
    pace = Pace(clock.monotonic)
    pace.hold("1", 1128)
    assert pace.take("1") == 1128
    assert pace.take("2") == 0
    clock.advance(1128)
    assert pace.take("1") == 0


def test_the_pace_forgets_chats_that_are_quiet() -> None:
    clock = LeapingClock()
    pace = Pace(clock.monotonic)
    for number in range(10_000):
        pace.take(f"-{number}")
        pace.hold(f"{number}", 1)
        clock.advance(1)
    assert len(pace._spent) + len(pace._groups) + len(pace._held) < 2100


@pytest.mark.parametrize("chat", ["1", "-500"])
@pytest.mark.parametrize(("greedy", "first"), [(ANSWERS, ALERTS), (REFUSALS, ANSWERS), (REFUSALS, ALERTS)])
def test_who_takes_all_it_may_always_leaves_one_at_once_for_who_comes_first(
    chat: str, greedy: Share, first: Share
) -> None:
    clock = LeapingClock()
    pace = Pace(clock.monotonic)
    for step in range(1200):
        clock.elapsed = step / 10
        while pace.take(chat, greedy) == 0:
            pass
        if step % 290 == 0:
            assert pace.take(chat, first) == 0


def test_one_person_leaves_room_for_the_others_in_a_group() -> None:
    clock = LeapingClock()
    pace, sent = Pace(clock.monotonic), {"7": 0, "8": 0}
    for step in range(600):
        clock.elapsed = step / 10
        if pace.take_person("-500", "7") == 0 and pace.take("-500", ANSWERS) == 0:
            sent["7"] += 1
    assert pace.take_person("-500", "8") == 0
    assert pace.take("-500", ANSWERS) == 0
    assert sent["7"] < ANSWERS.group_minute


def test_a_person_alone_with_the_bot_has_the_chat_alone() -> None:
    pace = Pace(LeapingClock().monotonic)
    assert [pace.take_person("7", "7") for _ in range(100)] == [0.0] * 100

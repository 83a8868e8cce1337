"""Flood limits say no at the documented figures, and how long to wait."""

from __future__ import annotations

import pytest
from telegram import Bot
from telegram.error import RetryAfter

from tests.fakes.botapi import BotApi, ManualClock
from tests.fakes.botapi.limits import FloodLimits


@pytest.fixture
def limits(clock: ManualClock) -> FloodLimits:
    return FloodLimits(clock, enabled=True)


def test_thirty_messages_a_second_are_the_most_overall(limits: FloodLimits, clock: ManualClock) -> None:
    assert [limits.admit(chat, group=False) for chat in range(31)] == [None] * 30 + [1]
    clock.advance(1)
    assert limits.admit(99, group=False) is None


def test_a_chat_takes_a_short_burst_and_then_one_message_a_second(limits: FloodLimits, clock: ManualClock) -> None:
    assert [limits.admit(111, group=False) for _ in range(7)] == [None] * 5 + [1, 1]
    clock.advance(1)
    assert [limits.admit(111, group=False) for _ in range(2)] == [None, 1]
    assert limits.admit(222, group=False) is None


def test_a_group_takes_twenty_messages_a_minute(limits: FloodLimits, clock: ManualClock) -> None:
    for _ in range(20):
        assert limits.admit(-500, group=True) is None
        clock.advance(2)
    assert limits.admit(-500, group=True) == 20
    clock.advance(20)
    assert limits.admit(-500, group=True) is None


def test_nothing_is_limited_until_it_is_switched_on(clock: ManualClock) -> None:
    limits = FloodLimits(clock)
    assert {limits.admit(111, group=True) for _ in range(100)} == {None}


@pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")
async def test_a_client_that_floods_is_told_to_wait_and_its_message_does_not_arrive(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    api.limits.enabled = True
    for number in range(5):
        await bot.send_message(111, f"message {number}")
    with pytest.raises(RetryAfter):
        await bot.send_message(111, "too much")
    assert len(ana.chat.from_bot) == 5

"""The worker that delivers: chats beside each other, a bounded stop, and faults of the store."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.clock import FastClock
from bot.delivery import AT_ONCE
from storage.errors import StoreUnwritable
from tests.bot.telegram.cast import OWNER, START, LeapingClock
from tests.bot.telegram.post import PatientClock, Post
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Gate, Person


@pytest.fixture
def ana(stage: Stage) -> Person:
    return stage.api.person(OWNER, "Ana")


async def test_a_slow_chat_holds_up_no_other(stage: Stage) -> None:
    post = Post(stage, PatientClock())
    gate = Gate()
    people = [stage.api.person(100 + number) for number in range(12)]
    stage.api.inject("sendMessage", gate, chat_id=100)
    for person in people:
        post.shelf.put(person.number)
    wake, stop = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(post.deliverer.run(wake, stop))
    for person in people[1:]:
        await person.chat.next_message()
    post.shelf.put(101)
    wake.set()
    await people[1].chat.next_message()
    assert people[0].chat.from_bot == []
    stop.set()
    wake.set()
    gate.open()
    await asyncio.wait_for(running, 2)
    assert post.states == ["sent"] * 13, "what was on its way has arrived"


async def test_no_more_than_a_few_requests_are_open_at_once(stage: Stage) -> None:
    post = Post(stage, PatientClock())
    gate = Gate()
    stage.api.inject("sendMessage", gate, times=None)
    for number in range(20):
        stage.api.person(100 + number)
        post.shelf.put(100 + number)
    wake, stop = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(post.deliverer.run(wake, stop))
    await stage.api.next_calls("sendMessage", AT_ONCE)
    wake.set()
    await stage.line.bot.get_me()
    assert len(stage.api.calls("sendMessage")) == AT_ONCE
    stage.api.heal()
    gate.open()
    await stage.api.next_calls("sendMessage", 20)
    stop.set()
    wake.set()
    await asyncio.wait_for(running, 2)


async def test_stopping_waits_only_so_long_for_what_is_on_its_way(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.STOP_S", 0.05)
    post = Post(stage, PatientClock())
    gate = Gate()
    stage.api.person(OWNER)
    stage.api.inject("sendMessage", gate)
    post.shelf.put(OWNER)
    wake, stop = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(post.deliverer.run(wake, stop))
    await asyncio.wait_for(gate.reached.wait(), 2)
    stop.set()
    wake.set()
    await asyncio.wait_for(running, 2)
    assert post.states == ["queued"]
    gate.open()


async def test_a_lease_lasts_in_real_time_on_a_fast_clock_too(stage: Stage) -> None:
    post = Post(stage, FastClock(START, 60.0))
    await post.deliverer.round()
    assert post.shelf.leases == [pytest.approx(3600.0)]


async def test_a_fault_of_our_own_ends_delivery_loudly(stage: Stage, ana: Person) -> None:
    post = Post(stage, PatientClock())

    def breaks(*_args: object, **_kwargs: object) -> None:
        raise OSError("nobody foresaw this")

    post.shelf.sent = breaks  # type: ignore[method-assign] # a store that breaks in an unforeseen way
    post.shelf.put(OWNER)
    with pytest.raises(OSError, match="nobody foresaw this"):
        await asyncio.wait_for(post.deliverer.run(asyncio.Event(), asyncio.Event()), 2)


async def test_a_store_that_refuses_makes_alerts_wait_and_is_told_once(
    stage: Stage, ana: Person, caplog: pytest.LogCaptureFixture
) -> None:
    post, stop = Post(stage, LeapingClock()), asyncio.Event()
    tries = 0
    claim = post.shelf.claim

    def full(*args: Any, **kwargs: Any) -> Any:
        nonlocal tries
        tries += 1
        if tries < 4:
            raise StoreUnwritable("atalaia.db", "the disk is full", "free some space")
        return claim(*args, **kwargs)

    post.shelf.claim = full  # type: ignore[method-assign] # a disk that is full for a while
    post.shelf.put(OWNER)
    delivering = asyncio.create_task(post.deliverer.run(asyncio.Event(), stop))
    await ana.chat.next_message()
    stop.set()
    await delivering
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "alerts wait: atalaia.db: the disk is full; free some space"
    ]

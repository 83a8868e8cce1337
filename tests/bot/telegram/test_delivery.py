"""Delivery over the real line: once, in order, beside each other, and never as news what is none any more."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Any

import pytest

from bot.clock import Clock, FastClock
from bot.delivery import AT_ONCE, DOUBTED, Deliverer
from market.alerting import Policy
from storage.errors import StoreUnwritable
from tests.bot.telegram.cast import LISTED, OWNER, START, LeapingClock
from tests.bot.telegram.shelf import Shelf, StillThere
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Drop, Gate, Page, Person, refusals


class PatientClock(LeapingClock):
    """It stands still: who waits is woken by an event, or never."""

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        await event.wait()
        return True


class Post:
    """An outbox, what is known, and the worker between them and Telegram."""

    def __init__(self, stage: Stage, clock: Clock | None = None) -> None:
        stage.build()
        self.stage = stage
        self.shelf = Shelf()
        self.known = StillThere()
        self.deliverer = Deliverer(
            outbox=self.shelf,
            known=self.known,
            channel_of=lambda chat: stage.channel,
            clock=clock or stage.clock,
            policy=Policy(),
        )

    async def rounds(self, until_s: float) -> None:
        """Send whenever something is due, up to that time."""
        clock = self.stage.clock
        while clock.elapsed <= until_s:
            if await self.deliverer.round():
                continue
            due = self.shelf.next_due()
            if due is None or (due - START).total_seconds() > until_s:
                clock.elapsed = max(clock.elapsed, until_s)
                return
            clock.elapsed = max(clock.elapsed, (due - START).total_seconds())

    @property
    def states(self) -> list[str]:
        return [row.state for row in self.shelf.rows]


@pytest.fixture
def post(stage: Stage) -> Post:
    return Post(stage)


@pytest.fixture
def ana(stage: Stage) -> Person:
    return stage.api.person(OWNER, "Ana")


async def test_a_chat_that_blocks_the_bot_keeps_no_other_from_its_alert(stage: Stage, post: Post) -> None:
    people = [stage.api.person(number) for number in (111, 222, 333)]
    people[1].blocks_bot()
    for _ in range(2):
        for person in people:
            post.shelf.put(person.number)
    await post.rounds(60)
    assert [len(person.chat.from_bot) for person in people] == [2, 0, 2]
    assert post.states == ["sent", "failed", "sent"] * 2
    assert len([call for call in stage.api.calls("sendMessage") if call.chat_id == 222]) == 1


async def test_a_flood_limit_delays_one_chat_by_what_telegram_said(stage: Stage, post: Post, ana: Person) -> None:
    eva = stage.api.person(LISTED, "Eva")
    stage.api.inject("sendMessage", refusals.too_many_requests(34), chat_id=OWNER)
    post.shelf.put(OWNER)
    post.shelf.put(LISTED)
    await post.rounds(33)
    assert (len(ana.chat.from_bot), len(eva.chat.from_bot)) == (0, 1)
    await post.rounds(40)
    assert len(ana.chat.from_bot) == 1
    assert post.states == ["sent", "sent"]


@pytest.mark.parametrize("still_there", [True, False])
async def test_an_alert_that_had_to_wait_long_goes_with_fresh_figures_or_not_at_all(
    stage: Stage, post: Post, ana: Person, still_there: bool
) -> None:
    stage.api.inject("sendMessage", refusals.too_many_requests(1128))
    post.shelf.put(OWNER)
    await post.rounds(1000)
    post.known.seen_at, post.known.price = START + timedelta(seconds=1120), 300_000
    post.known.offered = still_there
    await post.rounds(1200)
    assert post.states == ["sent" if still_there else "expired"]
    assert [("0.3000" in message.text) for message in ana.chat.from_bot] == [True] * still_there


@pytest.mark.parametrize("still_there", [True, False])
async def test_after_an_outage_an_alert_comes_exactly_once_if_it_is_still_true(
    stage: Stage, post: Post, ana: Person, still_there: bool
) -> None:
    await stage.api.stop()
    post.shelf.put(OWNER)
    await post.rounds(90)
    assert post.states == ["queued"]
    post.known.offered = still_there
    await stage.api.start()
    await post.rounds(130)
    assert post.states == ["sent" if still_there else "expired"]
    assert len(ana.chat.from_bot) == still_there


@pytest.mark.parametrize("fault", [Drop(), Page(), refusals.server_error()])
async def test_an_outage_in_which_telegram_can_be_connected_to_loses_nothing(
    stage: Stage, post: Post, ana: Person, fault: Drop | Page | refusals.Refusal
) -> None:
    stage.api.inject("*", fault, times=None)
    post.shelf.put(OWNER)
    await post.rounds(90)
    stage.api.heal()
    await post.rounds(130)
    assert post.states == ["sent"]
    assert len(ana.chat.from_bot) == 1


async def test_an_alert_whose_answer_was_lost_comes_at_most_twice(stage: Stage, post: Post, ana: Person) -> None:
    stage.api.inject("sendMessage", Drop(), times=None, when="after")
    post.shelf.put(OWNER)
    await post.rounds(600)
    assert len(ana.chat.from_bot) == 2
    assert post.states == ["failed"]
    assert post.shelf.rows[0].reason == DOUBTED


async def test_one_lost_answer_costs_one_duplicate_and_the_alert_counts_as_sent(
    stage: Stage, post: Post, ana: Person
) -> None:
    stage.api.inject("sendMessage", Drop(), when="after")
    post.shelf.put(OWNER)
    post.shelf.put(OWNER)
    await post.rounds(60)
    assert len(ana.chat.from_bot) == 3
    assert post.states == ["sent", "sent"]


async def test_a_permanent_refusal_is_one_attempt_one_line_and_the_next_alert_goes(
    stage: Stage, post: Post, ana: Person, caplog: pytest.LogCaptureFixture
) -> None:
    stage.api.inject("sendMessage", refusals.bad_request("message is too long"))
    post.shelf.put(OWNER)
    post.shelf.put(OWNER)
    await post.rounds(60)
    assert post.states == ["failed", "sent"]
    assert len(stage.api.calls("sendMessage")) == 2
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


async def test_alerts_of_one_chat_stay_in_order_through_failures(stage: Stage, post: Post, ana: Person) -> None:
    stage.api.inject("sendMessage", Page(), times=2)
    stage.api.inject("sendMessage", refusals.too_many_requests(5), times=1)
    for _ in range(12):
        post.shelf.put(OWNER)
    await post.rounds(300)
    numbers = [message.text.partition("#")[2].partition("\n")[0] for message in ana.chat.from_bot]
    assert numbers == [str(number) for number in range(1, 13)]


async def test_a_burst_keeps_telegrams_limits_and_is_no_failure(
    stage: Stage, post: Post, ana: Person, caplog: pytest.LogCaptureFixture
) -> None:
    stage.api.limits.enabled = True
    for _ in range(10):
        post.shelf.put(OWNER)
    for number in range(40):
        stage.api.person(5000 + number)
        post.shelf.put(5000 + number)
    await post.rounds(60)
    assert post.states == ["sent"] * 50
    assert len(stage.api.calls("sendMessage")) == 50, "no request that the limits refuse"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_revoked_token_keeps_alerts_and_asks_nothing_more(stage: Stage, post: Post, ana: Person) -> None:
    stage.api.revoke_token()
    post.shelf.put(OWNER)
    post.shelf.put(LISTED)
    await post.rounds(600)
    assert set(post.states) == {"queued"}
    assert len(stage.api.calls()) <= 2


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

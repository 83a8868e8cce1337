"""Delivery over the real line: once, in order, and never as news what is none any more."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Literal

import pytest

from bot.delivery import DOUBT_WAITS_S, DOUBTED
from tests.bot.telegram.cast import LISTED, OWNER, START
from tests.bot.telegram.post import Post
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Drop, Page, Person, refusals


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


async def test_an_alert_whose_answer_is_always_lost_is_not_repeated_for_ever(
    stage: Stage, post: Post, ana: Person
) -> None:
    stage.api.inject("sendMessage", Drop(), times=None, when="after")
    post.shelf.put(OWNER)
    await post.rounds(60)
    assert len(ana.chat.from_bot) <= 4
    await post.rounds(6000)
    assert len(ana.chat.from_bot) == len(DOUBT_WAITS_S) + 1
    assert post.states == ["failed"]
    assert post.shelf.rows[0].reason == DOUBTED


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("cuts", [1, 2, 3, 5])
async def test_an_alert_that_is_cut_again_and_again_arrives_with_one_copy_for_each_cut_at_most(
    stage: Stage, post: Post, ana: Person, when: Literal["before", "after"], cuts: int
) -> None:
    stage.api.inject("sendMessage", Drop(), times=cuts, when=when)
    post.shelf.put(OWNER)
    await post.rounds(800)
    assert post.states == ["sent"]
    assert len(ana.chat.from_bot) == 1 + (cuts if when == "after" else 0)


async def test_doubt_does_not_make_an_alert_true_that_is_not(stage: Stage, post: Post, ana: Person) -> None:
    stage.api.inject("sendMessage", Drop(), times=2)
    post.shelf.put(OWNER)
    await post.rounds(3)
    post.known.offered = False
    await post.rounds(600)
    assert post.states == ["expired"]
    assert ana.chat.from_bot == []


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
    numbers = [message.text.partition(" · alert ")[2].partition("\n")[0] for message in ana.chat.from_bot]
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

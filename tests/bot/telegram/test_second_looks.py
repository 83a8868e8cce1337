"""An alert that could not go at once is looked at once more before it goes, for as long as that is worth it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from market.offer import Offer
from tests.bot.samples import VAST
from tests.bot.telegram.cast import OWNER, START
from tests.bot.telegram.post import Post
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Person


@pytest.fixture
def post(stage: Stage) -> Post:
    return Post(stage)


@pytest.fixture
def ana(stage: Stage) -> Person:
    return stage.api.person(OWNER, "Ana")


class Eyes:
    """Looks when asked to, if it can."""

    def __init__(self, post: Post, *, can: bool = True) -> None:
        self.asked: list[list[str]] = []
        self.can = can
        self._post = post
        post.deliverer.look_again = self

    def __call__(self, offers: Sequence[Offer]) -> bool:
        self.asked.append([offer.key for offer in offers])
        return self.can

    def see(self, at_s: float) -> None:
        """An answer comes that shows what is there."""
        self._post.known.seen_at = START + timedelta(seconds=at_s)


async def waited(post: Post, ana: Person, seconds: float) -> None:
    """An alert was queued, and its chat could not be reached until now."""
    post.shelf.put(ana.number, attempts=1)
    post.stage.clock.elapsed = seconds


async def test_an_alert_of_long_ago_waits_for_a_look_and_goes_when_it_came(
    stage: Stage, post: Post, ana: Person
) -> None:
    eyes = Eyes(post)
    await waited(post, ana, 40)
    await post.deliverer.round()
    assert eyes.asked == [[VAST.key]]
    assert post.states == ["queued"]
    eyes.see(42)
    await post.rounds(until_s=60)
    assert post.states == ["sent"]
    assert stage.clock.elapsed <= 60
    assert len(eyes.asked) == 1


async def test_what_the_look_shows_to_be_gone_is_not_told(stage: Stage, post: Post, ana: Person) -> None:
    Eyes(post)
    await waited(post, ana, 40)
    await post.deliverer.round()
    post.known.offered = False
    await post.rounds(until_s=60)
    assert post.states == ["expired"]
    assert not ana.chat.from_bot


async def test_without_an_answer_it_goes_after_fifteen_seconds_with_its_age(
    stage: Stage, post: Post, ana: Person
) -> None:
    eyes = Eyes(post)
    await waited(post, ana, 40)
    await post.rounds(until_s=54)
    assert post.states == ["queued"]
    await post.rounds(until_s=62)
    assert post.states == ["sent"]
    assert len(eyes.asked) == 1


async def test_where_nobody_can_look_nothing_waits(stage: Stage, post: Post, ana: Person) -> None:
    Eyes(post, can=False)
    await waited(post, ana, 40)
    await post.deliverer.round()
    assert post.states == ["sent"]


async def test_what_was_seen_a_moment_ago_is_not_looked_at_again(stage: Stage, post: Post, ana: Person) -> None:
    eyes = Eyes(post)
    await waited(post, ana, 40)
    eyes.see(35)
    await post.deliverer.round()
    assert post.states == ["sent"]
    assert eyes.asked == []

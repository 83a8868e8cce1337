"""Forums: a rule speaks in the topic in which it was made, and in the group itself when that topic is no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import SUPERGROUP, Home, HomeLife, alerts_in
from tests.fakes.botapi import Group, Message, Refusal, refusals

RENTALS, TRAINING = 5, 6
ANY = "/watch any <=1 vast"
LOST = "topic of this alert is closed or gone"


@pytest.fixture
async def home(build_home: BuildHome) -> Home:
    """A home whose bot may speak in one group."""
    return await build_home(chats=(SUPERGROUP,))


@pytest.fixture
def forum(home: Home) -> Group:
    """The group: a forum with two topics beside the general one."""
    return home.api.supergroup(SUPERGROUP, "Lab", topics=(RENTALS, TRAINING))


async def said(life: HomeLife, home: Home, forum: Group, text: str, topic: int | None) -> Message:
    """Write something in a topic, a second after the last; the answer."""
    home.clock.move(seconds=1)
    home.owner.says(forum, text, topic=topic)
    await life.heard()
    return forum.from_bot[-1]


def told(forum: Group) -> list[tuple[int | None, str]]:
    """The alerts of the group in order: the topic, and the kind with the best card."""
    return [(alert.topic, alert.text.splitlines()[0].split(" · ")[0]) for alert in alerts_in(forum)]


async def appears(life: HomeLife, home: Home, card: str) -> None:
    """A card appears, and there is time to tell of it."""
    home.market.vast.add_machine(card)
    await life.passes(minutes=2)


async def test_an_alert_comes_in_the_topic_in_which_its_rule_was_made(home: Home, forum: Group) -> None:
    async with home.running("vast") as life:
        assert (await said(life, home, forum, ANY, RENTALS)).topic == RENTALS
        await life.passes(minutes=1)
        await appears(life, home, "RTX 4090")
    assert told(forum) == [(RENTALS, "🟢 Available: 1× RTX 4090")]


async def test_a_rule_keeps_its_topic_when_it_is_edited_elsewhere_and_over_a_restart(home: Home, forum: Group) -> None:
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, RENTALS)
        await life.passes(minutes=1)
    async with home.running("vast") as life:
        assert "is now" in (await said(life, home, forum, "/edit 1 RTX 4090 <=1 vast", None)).text
        await said(life, home, forum, "/pause 1", TRAINING)
        await said(life, home, forum, "/resume 1", TRAINING)
        await life.passes(minutes=1)
    async with home.running("vast") as life:
        await appears(life, home, "RTX 4090")
    assert told(forum) == [(RENTALS, "🟢 Available: 1× RTX 4090")]


async def test_what_matches_already_is_told_in_the_topic_at_the_first_check(home: Home, forum: Group) -> None:
    home.market.vast.add_machine("RTX 4090")
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, TRAINING)
        await life.passes(minutes=1)
    assert [topic for topic, _ in told(forum)] == [TRAINING]


async def test_each_topic_of_a_group_has_one_message_about_an_event(home: Home, forum: Group) -> None:
    async with home.running("vast") as life:
        for topic in (RENTALS, TRAINING, None):
            assert "Watching" in (await said(life, home, forum, ANY, topic)).text
            assert "Watching" in (await said(life, home, forum, "/watch RTX 4090 <=1 vast", topic)).text
        assert "watched here already" in (await said(life, home, forum, ANY, TRAINING)).text
        await life.passes(minutes=1)
        await appears(life, home, "RTX 4090")
    topics = [topic for topic, _ in told(forum)]
    assert sorted(topics, key=str) == [RENTALS, TRAINING, None]
    assert [message.text.count("\nrule ") for message in alerts_in(forum)] == [2, 2, 2]


async def test_the_rules_of_all_topics_are_listed_and_changed_anywhere_in_the_group(home: Home, forum: Group) -> None:
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, RENTALS)
        await said(life, home, forum, "/watch RTX 3090 <=1 vast", TRAINING)
        listed = await said(life, home, forum, "/watches", None)
        assert listed.topic is None
        assert "any" in listed.text
        assert "RTX 3090" in listed.text
        assert "deleted" in (await said(life, home, forum, "/delete 1", TRAINING)).text
        await life.passes(minutes=1)
        await appears(life, home, "RTX 4090")
    assert told(forum) == []


GONE: dict[str, Callable[[Group], None]] = {
    "deleted": lambda forum: forum.deletes_topic(RENTALS),
    "closed": lambda forum: forum.closes_topic(RENTALS),
}


@pytest.mark.parametrize("gone", GONE)
async def test_alerts_of_a_topic_that_is_gone_come_in_the_group_which_is_told_so_once(
    home: Home, forum: Group, gone: str
) -> None:
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, RENTALS)
        await said(life, home, forum, "/watch RTX 3060 <=1 vast", RENTALS)
        await said(life, home, forum, ANY, TRAINING)
        await life.passes(minutes=1)
        GONE[gone](forum)
        await appears(life, home, "RTX 4090")
        await appears(life, home, "RTX 3090")
    async with home.running("vast") as life:
        await appears(life, home, "RTX 3060")
    first, second, third = (message for message in alerts_in(forum) if message.topic is None)
    assert [LOST in message.text for message in (first, second, third)] == [True, False, False]
    assert "rule 2: RTX 3060" in third.text
    assert [topic for topic, _ in told(forum)].count(TRAINING) == 3
    tried = [call for call in home.api.calls("sendMessage") if call.params.get("message_thread_id") == RENTALS]
    answered_in_it = 2
    assert len(tried) == answered_in_it + 1
    assert [alert["state"] for alert in await home.log()] == ["sent"] * 6


async def test_a_group_that_has_not_got_the_message_is_told_again_that_its_topic_is_gone(
    home: Home, forum: Group
) -> None:
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, RENTALS)
        await life.passes(minutes=1)
        gone: list[Refusal] = [refusals.thread_not_found(), refusals.too_many_requests(20)]
        for refusal in gone:
            home.api.inject("sendMessage", refusal, chat_id=SUPERGROUP)
        forum.deletes_topic(RENTALS)
        await appears(life, home, "RTX 4090")
    (message,) = alerts_in(forum)
    assert (message.topic, LOST in message.text) == (None, True)


async def test_a_closed_general_topic_stops_no_alert_of_another_topic(home: Home, forum: Group) -> None:
    await home.watch("any <=1 vast", str(SUPERGROUP))
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, RENTALS)
        await life.passes(minutes=1)
        forum.closes_topic(1)
        await appears(life, home, "RTX 4090")
    assert told(forum) == [(RENTALS, "🟢 Available: 1× RTX 4090")]
    assert sorted(alert["state"] for alert in await home.log()) == ["failed", "sent"]


async def test_rules_of_the_command_line_and_the_file_speak_in_the_group_itself(build_home: BuildHome) -> None:
    rule = f'[[watches]]\nname = "lab"\nrule = "RTX 3090 <=1 vast"\nchat = {SUPERGROUP}\n'
    home = await build_home(chats=(SUPERGROUP,), extra=rule)
    forum = home.api.supergroup(SUPERGROUP, "Lab", topics=(RENTALS,))
    await home.watch("RTX 4090 <=1 vast", str(SUPERGROUP))
    async with home.running("vast") as life:
        await life.passes(minutes=1)
        await appears(life, home, "RTX 4090")
        await appears(life, home, "RTX 3090")
    assert told(forum) == [(None, "🟢 Available: 1× RTX 4090"), (None, "🟢 Available: 1× RTX 3090")]


async def test_a_message_in_a_topic_is_edited_there_when_its_offer_has_gone(home: Home, forum: Group) -> None:
    async with home.running("vast") as life:
        await said(life, home, forum, ANY, RENTALS)
        await life.passes(minutes=1)
        machine = home.market.vast.add_machine("RTX 4090")
        await life.passes(minutes=1)
        home.market.vast.remove_machine(machine)
        await life.passes(minutes=10)
    (message,) = alerts_in(forum)
    assert (message.topic, message.edits) == (RENTALS, 1)


async def test_the_sample_comes_in_the_topic_in_which_it_was_asked_for(home: Home, forum: Group) -> None:
    async with home.running("vast") as life:
        assert (await said(life, home, forum, "/test", RENTALS)).topic == RENTALS
        assert (await said(life, home, forum, "/test", None)).topic is None

"""Alerts and replies for a topic: what is said when it is closed or gone, and what is not asked twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.channels import DeliveryError, Outgoing
from bot.conversation import Key, Outcome, Reply
from storage.chats import Chat
from tests.bot.samples import NOW, VAST, alert, part
from tests.bot.telegram.cast import GROUP, OWNER
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Group, refusals

TOPIC = 5


@pytest.fixture
def forum(stage: Stage) -> Group:
    """A forum with one topic beside the general one."""
    stage.build()
    return stage.api.supergroup(GROUP, topics=(TOPIC,))


def outgoing(topic: int | None = TOPIC) -> Outgoing:
    told = replace(alert(part(VAST)), chat=str(GROUP), topic=None if topic is None else str(topic))
    return Outgoing(id=41, alert=told, now=NOW)


def tried(stage: Stage) -> list[int | None]:
    """The topics that messages were sent to."""
    return [call.params.get("message_thread_id") for call in stage.api.calls("sendMessage")]


GONE: dict[str, Callable[[Stage, Group], None]] = {
    "deleted": lambda stage, forum: forum.deletes_topic(TOPIC),
    "closed": lambda stage, forum: forum.closes_topic(TOPIC),
    "in other words": lambda stage, forum: stage.api.inject("sendMessage", refusals.bad_request("TOPIC_DELETED")),
}


async def test_an_alert_goes_to_its_topic(stage: Stage, forum: Group) -> None:
    await stage.channel.send(outgoing())
    await stage.channel.send(outgoing(None))
    assert [message.topic for message in forum.from_bot] == [TOPIC, None]
    assert stage.chats.lost_topics == []


@pytest.mark.parametrize("gone", GONE)
async def test_an_alert_whose_topic_is_gone_comes_in_the_chat_and_says_so(
    stage: Stage, forum: Group, gone: str
) -> None:
    GONE[gone](stage, forum)
    message_id = await stage.channel.send(outgoing())
    (message,) = forum.from_bot
    assert (str(message.number), message.topic) == (message_id, None)
    assert "topic of this alert is closed or gone" in message.text
    assert "RTX 4090" in message.text
    assert tried(stage) == [TOPIC, None]
    assert stage.chats.lost_topics == [(str(GROUP), str(TOPIC))]


async def test_it_says_so_in_the_chats_language(stage: Stage, forum: Group) -> None:
    stage.chats.chats[str(GROUP)] = Chat(chat=str(GROUP), language="pt_BR")
    forum.deletes_topic(TOPIC)
    await stage.channel.send(outgoing())
    assert "O tópico deste alerta foi fechado ou já não existe." in forum.from_bot[0].text


async def test_a_topic_is_forgotten_only_when_the_chat_has_been_told(stage: Stage, forum: Group) -> None:
    forum.deletes_topic(TOPIC)
    forum.closes_topic(1)
    with pytest.raises(DeliveryError) as caught:
        await stage.channel.send(outgoing())
    assert caught.value.permanent
    assert (tried(stage), stage.chats.lost_topics) == ([TOPIC, None], [])
    forum.opens_topic(1)
    assert await stage.channel.send(outgoing())
    assert stage.chats.lost_topics == [(str(GROUP), str(TOPIC))]


async def test_markup_that_is_not_taken_and_a_topic_that_is_gone_cost_no_alert(stage: Stage, forum: Group) -> None:
    stage.api.inject("sendMessage", refusals.unparsable("Unclosed start tag at byte offset 2"))
    forum.deletes_topic(TOPIC)
    assert await stage.channel.send(outgoing())
    assert tried(stage) == [TOPIC, TOPIC, None]


async def test_an_alert_for_a_topic_follows_a_group_that_moved(stage: Stage, forum: Group) -> None:
    new = forum.migrates(-1005)
    await stage.channel.send(outgoing())
    assert [message.topic for message in new.from_bot] == [TOPIC]


async def test_the_answer_to_a_press_in_a_closed_topic_comes_in_the_chat(playing: Stage) -> None:
    forum, ana = playing.api.supergroup(GROUP, topics=(TOPIC,)), playing.api.person(OWNER, "Ana")
    playing.desk.replies["now"] = (Reply(html="page 1", keys=((Key(label="More", data="v1:page:1"),),)),)
    ana.says(forum, "/now", topic=TOPIC)
    message = await forum.next_message()
    playing.desk.outcome = Outcome(replies=(Reply(html="page 2", edits=True),))
    playing.api.inject("editMessageText", refusals.topic_closed())
    forum.closes_topic(TOPIC)
    ana.taps(message, "More")
    answer = await forum.next_message()
    assert (answer.topic, answer.text) == (None, "page 2")


async def test_a_reply_that_nothing_can_be_written_to_is_given_up(playing: Stage) -> None:
    forum, ana = playing.api.supergroup(GROUP, topics=(TOPIC,)), playing.api.person(OWNER, "Ana")
    playing.api.inject("sendMessage", refusals.topic_closed(), times=None)
    ana.says(forum, "/now", topic=TOPIC)
    await playing.api.next_calls("sendMessage", 2)
    await playing.settled()
    assert tried(playing) == [TOPIC, None]

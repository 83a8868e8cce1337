"""What the bot makes of each kind of update: commands in every spelling, and everything that is not for it."""

from __future__ import annotations

import pytest

from storage.chats import Chat
from tests.bot.telegram.cast import GROUP, LISTED, OWNER, START
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Group

PHOTO = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x84\x00\x00\x01\xf4" + b"\x00" * 20


async def heard(stage: Stage) -> list[tuple[str, str]]:
    """(command, argument) of everything that got to the desk."""
    await stage.api.all_read()
    await stage.settled()
    return [(request.command, request.argument) for request in stage.desk.requests]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/watch RTX 4090 <=0.40", ("watch", "RTX 4090 <=0.40")),
        ("/watch", ("watch", "")),
        ("/WATCH 4090", ("watch", "4090")),
        ("/Vigiar 4090", ("watch", "4090")),
        ("/watch@fake_watch_bot 4090", ("watch", "4090")),
        ("/watch@FAKE_Watch_Bot", ("watch", "")),
        ("/watch\n4090\n<=0.4", ("watch", "4090\n<=0.4")),
        ("  /watch   4090  ", ("watch", "4090")),
        ("/histórico", ("histórico", "")),
        ("/NoSuchThing now", ("nosuchthing", "now")),
        ("4090 please", ("", "4090 please")),
        ("/", ("", "/")),
        ("/ watch", ("", "/ watch")),
        ("<b>&_*[", ("", "<b>&_*[")),
    ],
)
async def test_a_private_message_is_a_command_or_free_text(
    playing: Stage, text: str, expected: tuple[str, str]
) -> None:
    playing.api.person(OWNER, "Ana").tells(text)
    assert await heard(playing) == [expected]


async def test_who_speaks_and_where_is_told_to_the_desk(playing: Stage) -> None:
    forum = playing.api.supergroup(GROUP, topics=(5,))
    eva = playing.api.person(LISTED, "Eva <b>", language="pt-br")
    eva.says(forum, "/now 4090", topic=5)
    await heard(playing)
    request = playing.desk.requests[0]
    assert request.at == START
    speaker = request.speaker
    assert (speaker.chat, speaker.user, speaker.name) == (str(GROUP), str(LISTED), "Eva <b>")
    assert (speaker.language, speaker.topic) == ("pt-br", "5")
    assert (speaker.is_owner, speaker.is_group) == (False, True)
    answer = await forum.next_message()
    assert (answer.topic, answer.text) == (5, "now: 4090")


async def test_a_command_to_another_bot_is_not_for_this_one(playing: Stage) -> None:
    ana, group = playing.api.person(OWNER, "Ana"), playing.api.supergroup(GROUP)
    ana.tells("/watch@OtherBot 4090")
    ana.says(group, "/watch@OtherBot 4090")
    ana.says(group, "/roll 6")
    assert await heard(playing) == []


async def test_an_unknown_command_in_a_group_is_heard_when_it_names_this_bot(playing: Stage) -> None:
    playing.api.person(OWNER, "Ana").says(playing.api.supergroup(GROUP), "/roll@fake_watch_bot 6")
    assert await heard(playing) == [("roll", "6")]


async def test_in_a_group_free_text_is_heard_only_as_a_reply_to_the_bot(playing: Stage) -> None:
    ana, group = playing.api.person(OWNER, "Ana"), playing.api.supergroup(GROUP)
    ana.says(group, "/watch")
    question = await group.next_message()
    other = ana.says(group, "what do you think?")
    ana.says(group, "an H100", reply_to=other)
    ana.says(group, "4090", reply_to=question)
    assert await heard(playing) == [("watch", ""), ("", "4090")]


async def test_an_edited_command_is_not_a_second_command(playing: Stage) -> None:
    ana = playing.api.person(OWNER, "Ana")
    said = ana.tells("/watch 4090 0.4")
    await heard(playing)
    ana.edits(said, "/watch 4090 0.5")
    assert await heard(playing) == [("watch", "4090 0.4")]


async def test_a_photo_with_a_command_below_it_is_a_command_and_one_without_is_nothing(playing: Stage) -> None:
    ana = playing.api.person(OWNER, "Ana")
    ana.shows(ana.chat, PHOTO)
    ana.shows(ana.chat, PHOTO, caption="/watch 4090")
    assert await heard(playing) == [("watch", "4090")]


async def test_channel_posts_are_not_even_asked_for(playing: Stage) -> None:
    channel = playing.api.channel(-900)
    channel.edits_post(channel.posts("/watch 4090"), "/now")
    assert await heard(playing) == []
    assert channel.from_bot == []


async def test_posts_that_come_all_the_same_are_not_for_the_bot(playing: Stage) -> None:
    post = {"message_id": 1, "date": 1, "chat": {"id": -900, "type": "channel", "title": "x"}, "text": "/now"}
    for kind in ("channel_post", "edited_channel_post", "message", "edited_message"):
        playing.api.push_update({kind: post})
    assert await heard(playing) == []


def anonymous(group: Group, text: str) -> dict[str, object]:
    """As Telegram really sends it: with a bot of its own in `from`."""
    ghost = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    return {"message": {**group.anonymous_says(text).as_json(), "from": ghost}}


async def test_an_anonymous_administrator_can_read_in_a_listed_group_and_change_nothing(playing: Stage) -> None:
    group = playing.api.supergroup(GROUP)
    group.anonymous_says("/now")
    group.anonymous_says("/watch 4090")
    update = anonymous(group, "/watch 4090")
    playing.api.push_update(update)
    assert await heard(playing) == [("now", "")]
    assert playing.desk.requests[0].speaker.user == ""


async def test_somebody_who_speaks_as_a_channel_is_nobody(playing: Stage) -> None:
    group = playing.api.supergroup(GROUP)
    said = playing.api.person(OWNER, "Ana").says(group, "hello").as_json()
    channel = {"id": -901, "type": "channel", "title": "x"}
    playing.api.push_update({"message": {**said, "text": "/watch 4090", "sender_chat": channel}})
    assert await heard(playing) == []


async def test_a_group_that_becomes_a_supergroup_takes_everything_along(playing: Stage) -> None:
    playing.chats.chats[str(GROUP)] = Chat(chat=str(GROUP), language="pt_BR")
    group = playing.api.group(GROUP)
    new = group.migrates(-1005)
    await playing.api.all_read()
    await playing.settled()
    assert set(playing.chats.chats) == {"-1005"}
    assert playing.chats.chats["-1005"].language == "pt_BR"
    playing.api.person(LISTED, "Eva").says(new, "/watch 4090")
    assert (await new.next_message()).text == "watch: 4090"
    assert group.from_bot == []


async def test_who_unblocks_the_bot_is_reached_again_and_who_blocks_it_is_left_alone(playing: Stage) -> None:
    playing.chats.chats[str(LISTED)] = Chat(chat=str(LISTED))
    eva = playing.api.person(LISTED, "Eva")
    eva.blocks_bot()
    await playing.api.all_read()
    await playing.settled()
    assert playing.chats.chats[str(LISTED)].state == "blocked"
    eva.unblocks_bot()
    eva.tells("/start")
    await eva.chat.next_message()
    assert playing.chats.chats[str(LISTED)].state == "active"


async def test_strangers_who_add_or_block_the_bot_leave_no_row(playing: Stage) -> None:
    eve = playing.api.person(7777, "Eve")
    eve.blocks_bot()
    eve.unblocks_bot()
    playing.api.person(7778, "Bob").adds_bot(playing.api.supergroup(-700))
    await playing.api.all_read()
    await playing.settled()
    assert playing.chats.chats == {}
    assert playing.told == []

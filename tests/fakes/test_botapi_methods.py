"""Methods keep what they are given, refuse what Telegram refuses, and the chat shows what a person would see."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from telegram import Bot, BotCommand, BotCommandScopeChat, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, Forbidden, TelegramError

from tests.fakes.botapi import BotApi, ManualClock, NoSuchButton, NothingCame, Standing

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x84\x00\x00\x01\xf4" + b"\x00" * 20
BUTTONS = InlineKeyboardMarkup(
    [[InlineKeyboardButton("Got it", callback_data="v1:ok:7"), InlineKeyboardButton("Open", url="https://example.org")]]
)


async def test_photos_and_documents_arrive_with_captions_and_can_be_downloaded(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    sent = await bot.send_photo(111, PNG, caption="<i>price</i>", parse_mode="HTML", disable_notification=True)
    photo = await ana.chat.next_message()
    assert (photo.photo and photo.photo.content, photo.text, photo.sounded) == (PNG, "price", False)
    assert bytes(await (await sent.photo[-1].get_file()).download_as_bytearray()) == PNG

    await bot.send_document(111, b"a;b\n1;2\n", filename="history.csv")
    document = await ana.chat.next_message()
    assert document.document is not None
    assert (document.document.name, document.document.content) == ("history.csv", b"a;b\n1;2\n")
    assert ana.chat.sounds == 1


async def test_commands_are_kept_by_scope_and_language(api: BotApi, bot: Bot) -> None:
    api.person(111)
    scope = BotCommandScopeChat(111)
    await bot.set_my_commands([BotCommand("watch", "Watch a card")])
    await bot.set_my_commands([BotCommand("vigiar", "Vigiar uma placa")], scope=scope, language_code="pt")
    assert [one.command for one in await bot.get_my_commands()] == ["watch"]
    assert [one.command for one in await bot.get_my_commands(scope, "pt")] == ["vigiar"]
    await bot.delete_my_commands(scope, "pt")
    assert await bot.get_my_commands(scope, "pt") == ()
    with pytest.raises(BadRequest):
        await bot.set_my_commands([BotCommand("watch", "Watch")], language_code="pt_BR")
    with pytest.raises(BadRequest, match="Bot_command_invalid"):
        await bot.set_my_commands([BotCommand("Watch", "Watch")])


async def test_chats_and_members_can_be_looked_up(api: BotApi, bot: Bot) -> None:
    group = api.supergroup(-1001, "Lab", topics=(5,))
    api.person(111, "Ana").joins(group, "administrator")
    assert (await bot.get_chat(-1001)).title == "Lab"
    assert (await bot.get_chat_member(-1001, 111)).status == "administrator"
    await bot.send_chat_action(-1001, "typing")
    assert group.actions == ["typing"]


@pytest.mark.parametrize("encoding", ["query", "form", "json", "multipart"])
async def test_parameters_are_understood_however_they_are_sent(api: BotApi, encoding: str) -> None:
    ana = api.person(111)
    markup = {"inline_keyboard": [[{"text": "Pause", "callback_data": "v1:pause:1"}]]}
    flat = {"chat_id": "111", "text": "hello", "reply_markup": json.dumps(markup), "disable_notification": "true"}
    native = {"chat_id": 111, "text": "hello", "reply_markup": markup, "disable_notification": True}
    forms: dict[str, Any] = {
        "query": {"params": flat},
        "form": {"data": flat},
        "json": {"json": native},
        "multipart": {"files": {name: (None, value) for name, value in flat.items()}},
    }
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{api.url}/bot{api.token}/sendMessage", **forms[encoding])
    assert answer.json()["ok"] is True
    message = await ana.chat.next_message()
    assert (message.rows, message.silent) == ([["Pause"]], True)
    (call,) = api.calls("sendMessage")
    assert call.params == native
    assert api.token not in repr(call)
    assert call.path == "/bot***/sendMessage"


async def test_waiting_for_what_does_not_come_tells_what_there_is(api: BotApi) -> None:
    ana = api.person(111, "Ana")
    ana.tells("anybody here?")
    with pytest.raises(NothingCame, match=r"(?s)no message in Ana.*anybody here\?"):
        await ana.chat.next_message(seconds=0.01)


async def test_a_person_cannot_press_what_is_not_there(api: BotApi, bot: Bot) -> None:
    ana = api.person(111, "Ana")
    sent = await bot.send_message(111, "hello", reply_markup=BUTTONS)
    message = await ana.chat.next_message()
    for absent in ("v1:ok:8", "Delete", "Open"):
        with pytest.raises(NoSuchButton):
            ana.taps(message, absent)
    await sent.edit_reply_markup(None)
    with pytest.raises(NoSuchButton):
        ana.taps(message, "Got it")


def _button(data: str) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([[InlineKeyboardButton("Go", callback_data=data)]])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Message text is empty"),
        (" \n ", "Text must be non-empty"),
        ("<b></b>", "Text must be non-empty"),
        ("x" * 4097, "Message is too long"),
        ("🖥" * 2049, "Message is too long"),
        ("1 < 2", 'Can\'t parse entities: unsupported start tag "" at byte offset 2'),
    ],
)
async def test_unsendable_text_is_refused(api: BotApi, bot: Bot, text: str, problem: str) -> None:
    ana = api.person(111)
    with pytest.raises(BadRequest) as caught:
        await bot.send_message(111, text, parse_mode="HTML")
    assert caught.value.message == problem
    assert not ana.chat.messages


async def test_length_counts_after_the_markup_is_taken_away(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    await bot.send_message(111, f"<b>{'x' * 4096}</b>", parse_mode="HTML")
    await bot.send_message(111, "🖥" * 2048)
    assert [len(message.content) for message in ana.chat.from_bot] == [4096, 4096]
    with pytest.raises(BadRequest, match="Message_too_long"):
        await bot.edit_message_text("x" * 4097, 111, 1)
    await bot.send_photo(111, PNG, caption="é" * 1024)
    with pytest.raises(BadRequest, match="caption is too long"):
        await bot.send_photo(111, PNG, caption="é" * 1025)


async def test_button_data_is_measured_in_bytes(api: BotApi, bot: Bot) -> None:
    api.person(111)
    await bot.send_message(111, "fits", reply_markup=_button("é" * 32))
    for data in ("é" * 33, "x" * 65):
        with pytest.raises(BadRequest, match="Button_data_invalid"):
            await bot.send_message(111, "does not", reply_markup=_button(data))


async def test_an_edit_must_change_something_that_is_there(api: BotApi, bot: Bot, clock: ManualClock) -> None:
    ana = api.person(111, "Ana")
    sent = await bot.send_message(111, "<b>3 s ago</b>", parse_mode="HTML", reply_markup=BUTTONS)
    with pytest.raises(BadRequest, match="Message is not modified"):
        await sent.edit_text("<b>3 s ago</b>", parse_mode="HTML", reply_markup=BUTTONS)
    clock.advance(60)
    await sent.edit_text("3 s ago", reply_markup=BUTTONS)
    message = ana.chat.from_bot[0]
    assert (message.edits, message.entities, message.earlier[0].content.styled("bold")) == (1, (), ["3 s ago"])
    assert message.edited_at == message.at + 60
    assert ana.chat.sounds == 1
    hers = ana.tells("mine")
    with pytest.raises(BadRequest, match="Message can't be edited"):
        await bot.edit_message_text("yours", 111, hers.number)
    await sent.delete()
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await sent.edit_text("gone")
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await sent.delete()


async def test_a_tap_can_be_answered_only_while_it_is_young(api: BotApi, bot: Bot, clock: ManualClock) -> None:
    ana = api.person(111)
    await bot.send_message(111, "hello", reply_markup=BUTTONS)
    tap = ana.taps(ana.chat.from_bot[0], "v1:ok:7")
    clock.advance(16)
    for query in (tap.number, "12345"):
        with pytest.raises(BadRequest, match="Query is too old"):
            await bot.answer_callback_query(query)
    assert tap.toast is None


async def test_messages_go_only_to_topics_that_exist(api: BotApi, bot: Bot) -> None:
    forum = api.supergroup(-1001, topics=(5,))
    await bot.send_message(-1001, "here", message_thread_id=5)
    assert [message.topic for message in forum.from_bot] == [5]
    api.supergroup(-1002)
    api.person(111)
    for chat, topic in ((-1001, 6), (-1001, 1), (-1002, 5), (111, 5)):
        with pytest.raises(BadRequest, match="Message thread not found"):
            await bot.send_message(chat, "there", message_thread_id=topic)
        with pytest.raises(BadRequest, match="Message thread not found"):
            await bot.send_chat_action(chat, "typing", message_thread_id=topic)


async def test_a_deleted_topic_takes_its_messages_along_and_never_was(api: BotApi, bot: Bot) -> None:
    ana, forum = api.person(111), api.supergroup(-1001, topics=(5, 6))
    inside = await bot.send_message(-1001, "inside", message_thread_id=5)
    await bot.send_message(-1001, "beside", message_thread_id=6)
    forum.deletes_topic(5)
    assert [message.text for message in forum.from_bot] == ["beside"]
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(-1001, "again", message_thread_id=5)
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await inside.edit_text("changed")
    with pytest.raises(ValueError, match="thread not found"):
        ana.says(forum, "hello", topic=5)
    await bot.send_message(-1001, "in the general topic")
    forum.deletes_topic(6)
    assert (await bot.get_chat(-1001)).is_forum


@pytest.mark.parametrize("topic", [5, None])
async def test_a_closed_topic_takes_no_messages_until_it_is_opened_again(
    api: BotApi, bot: Bot, topic: int | None
) -> None:
    forum = api.supergroup(-1001, topics=(5, 6))
    forum.closes_topic(topic or 1)
    with pytest.raises(BadRequest, match="Topic_closed"):
        await bot.send_message(-1001, "hello", message_thread_id=topic)
    await bot.send_message(-1001, "beside", message_thread_id=6)
    forum.opens_topic(topic or 1)
    await bot.send_message(-1001, "hello again", message_thread_id=topic)
    closed, reopened = [each.message for each in await bot.get_updates(timeout=0)]
    assert closed is not None
    assert reopened is not None
    assert closed.forum_topic_closed is not None
    assert reopened.forum_topic_reopened is not None
    assert closed.message_thread_id == reopened.message_thread_id == topic


async def test_a_group_becomes_a_forum_by_its_first_topic(api: BotApi, bot: Bot) -> None:
    group = api.supergroup(-1001)
    assert not (await bot.get_chat(-1001)).is_forum
    group.opens_topic(9)
    assert (await bot.get_chat(-1001)).is_forum
    await bot.send_message(-1001, "hello", message_thread_id=9)


@pytest.mark.parametrize("photo", [b"no picture", PNG[:16] + b"\x00\x00\x27\x10\x00\x00\x00\x64" + PNG[24:]])
async def test_a_photo_must_be_a_picture_that_clients_can_show(api: BotApi, bot: Bot, photo: bytes) -> None:
    api.person(111)
    with pytest.raises(BadRequest):
        await bot.send_photo(111, photo)


async def test_a_person_who_blocked_the_bot_can_be_looked_up_but_not_written_to(api: BotApi, bot: Bot) -> None:
    ana = api.person(111, "Ana")
    ana.blocks_bot()
    assert (await bot.get_chat(111)).first_name == "Ana"
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(111, "hello")
    with pytest.raises(ValueError, match="blocked"):
        ana.tells("hello")
    ana.unblocks_bot()
    ana.tells("/start")
    await bot.send_message(111, "welcome back")


async def test_where_the_bot_stands_decides_what_it_is_told(api: BotApi, bot: Bot) -> None:
    group, quiet, left = api.group(-500), api.supergroup(-1001), api.supergroup(-1002)
    api.person(111).removes_bot(group)
    quiet.standing, left.standing = Standing.MUTED, Standing.LEFT
    api.person(333, started=False)
    for chat, problem in (
        (-500, "bot was kicked from the group chat"),
        (-1001, "ot enough rights to send text messages"),
        (-1002, "bot is not a member of the supergroup chat"),
        (333, "bot can't initiate conversation with a user"),
        (444, "Chat not found"),
        ("@nobody", "Chat not found"),
    ):
        with pytest.raises(TelegramError, match=problem):
            await bot.send_message(chat, "hello")


async def test_a_bot_with_privacy_hears_only_what_is_meant_for_it_in_groups() -> None:
    async with BotApi(privacy=True, username="tower_bot") as api:
        ana, group = api.person(111), api.group(-500)
        for text in ("hello", "/watch@other_bot 4090", "/watch 4090", "/status@tower_bot"):
            ana.says(group, text)
        async with Bot(api.token, base_url=f"{api.url}/bot") as bot:
            updates = await bot.get_updates(timeout=0)
    assert [update.message and update.message.text for update in updates] == ["/watch 4090", "/status@tower_bot"]

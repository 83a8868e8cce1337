"""The real client library takes the fake for Telegram: polling, answering, sending, and every error it can raise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Update,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.ext import (
    Application,
    ApplicationBuilder,
    CallbackQueryHandler,
    CommandHandler,
    ContextTypes,
    TypeHandler,
    filters,
)

from tests.fakes.botapi import BotApi, Drop, Gate, Page, Refusal, refusals

pytestmark = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")

App = Application[Any, Any, Any, Any, Any, Any]
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x84\x00\x00\x01\xf4" + b"\x00" * 20
BUTTONS = InlineKeyboardMarkup(
    [[InlineKeyboardButton("Got it", callback_data="v1:ok:7"), InlineKeyboardButton("Open", url="https://example.org")]]
)


async def _start(update: Update, _context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.message is not None
    await update.message.reply_html("Welcome, <b>Ana</b>", reply_markup=BUTTONS)


async def _pressed(update: Update, _context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.callback_query is not None
    await update.callback_query.answer("Noted")
    await update.callback_query.edit_message_text("Done")


async def _other(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.effective_chat is not None
    kinds = [kind for kind in Update.ALL_TYPES if getattr(update, kind, None) is not None]
    await context.bot.send_message(update.effective_chat.id, " ".join(kinds))


def _failed(_error: TelegramError) -> None:
    """Polling errors are the subject of the tests, not of the log."""


@pytest.fixture
async def app(api: BotApi) -> AsyncIterator[App]:
    builder = ApplicationBuilder().token(api.token).job_queue(None)
    running = builder.base_url(f"{api.url}/bot").base_file_url(f"{api.url}/file/bot").build()
    running.add_handler(CommandHandler("start", _start, filters.UpdateType.MESSAGE))
    running.add_handler(CallbackQueryHandler(_pressed))
    running.add_handler(TypeHandler(Update, _other))
    await running.initialize()
    await running.start()
    assert running.updater is not None
    await running.updater.start_polling(error_callback=_failed, allowed_updates=Update.ALL_TYPES)
    yield running
    await running.updater.stop()
    await running.stop()
    await running.shutdown()


async def test_a_polling_bot_answers_start_and_edits_when_its_button_is_tapped(api: BotApi, app: App) -> None:
    ana = api.person(111, "Ana")
    ana.tells("/start")
    welcome = await ana.chat.next_message()
    assert welcome.text == "Welcome, Ana"
    assert welcome.content.styled("bold") == ["Ana"]
    assert welcome.rows == [["Got it", "Open"]]

    tap = ana.taps(welcome, "Got it")
    assert (await tap.answered()).text == "Noted"
    edited = await ana.chat.next_edit()
    assert (edited, edited.text, edited.rows, edited.edits) == (welcome, "Done", [], 1)
    assert ana.chat.transcript().splitlines() == ["Ana: /start", "bot (edited 1x): Done"]


async def test_updates_are_confirmed_by_the_next_poll(api: BotApi, app: App) -> None:
    ana = api.person(111, "Ana")
    for text in ("one", "two", "three"):
        ana.tells(text)
    await api.all_read()
    last = api.calls("getUpdates")[-1]
    assert last.number("offset") > 0
    assert last.number("timeout") == 10
    assert len(api.calls("getUpdates")) < 8, "a long poll waits instead of spinning"


async def test_every_unusual_kind_of_update_reaches_the_bot(api: BotApi, app: App) -> None:
    ana, group = api.person(111, "Ana"), api.supergroup(-1001, topics=(5,))
    channel = api.channel(-1002)

    original = ana.tells("first")
    assert (await ana.chat.next_message()).text == "message"
    ana.edits(original, "second")
    assert (await ana.chat.next_message()).text == "edited_message"
    ana.shows(ana.chat, PNG, caption="/watch 4090")
    assert (await ana.chat.next_message()).text == "message"
    ana.says(group, "hello", topic=5)
    assert (await group.next_message()).text == "message"
    group.anonymous_says("/start@other_watch_bot")
    assert (await group.next_message()).text == "message"
    ana.joins(group)
    assert [(await group.next_message()).text, (await group.next_message()).text] == ["message", "chat_member"]
    channel.posts("news")
    assert (await channel.next_message()).text == "channel_post"


async def test_blocking_and_adding_are_told_as_changes_of_membership(api: BotApi, app: App) -> None:
    ana, group = api.person(111, "Ana"), api.group(-500)
    ana.removes_bot(group)
    ana.adds_bot(group)
    ana.blocks_bot()
    ana.unblocks_bot()
    assert [(await ana.chat.next_message()).text for _ in range(2)] == ["my_chat_member"] * 2
    assert {(await group.next_message()).text for _ in range(3)} == {"my_chat_member", "message"}


async def test_a_migrated_group_sends_both_service_messages_and_refuses_its_old_id(api: BotApi, bot: Bot) -> None:
    group = api.group(-500)
    new = group.migrates(-1005000000001)
    updates = await bot.get_updates(timeout=0)
    messages = [update.message for update in updates]
    assert [message and (message.migrate_to_chat_id, message.migrate_from_chat_id) for message in messages] == [
        (-1005000000001, None),
        (None, -500),
    ]
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(-500, "hello")
    assert caught.value.new_chat_id == new.number


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (refusals.blocked(), Forbidden),
        (refusals.deactivated(), Forbidden),
        (refusals.kicked("group"), Forbidden),
        (refusals.cannot_initiate(), Forbidden),
        (refusals.too_many_requests(34), RetryAfter),
        (refusals.migrated(-1005000000001), ChatMigrated),
        (refusals.chat_not_found(), BadRequest),
        (refusals.no_rights(), BadRequest),
        (refusals.conflict(), Conflict),
        (refusals.webhook_conflict(), Conflict),
        (refusals.unauthorized(), InvalidToken),
        (refusals.invalid_token(), InvalidToken),
        (refusals.not_found(), InvalidToken),
        (refusals.server_error(500), NetworkError),
    ],
    ids=lambda value: value.description if isinstance(value, Refusal) else value.__name__,
)
async def test_the_client_raises_its_own_error_for_each_refusal(
    api: BotApi, bot: Bot, refusal: Refusal, error: type[TelegramError]
) -> None:
    ana = api.person(111)
    api.inject("sendMessage", refusal)
    with pytest.raises(TelegramError) as caught:
        await bot.send_message(111, "hello")
    assert type(caught.value) is error
    assert not ana.chat.from_bot, "nothing was sent"
    await bot.send_message(111, "again")
    assert [message.text for message in ana.chat.from_bot] == ["again"]


async def test_a_page_from_a_proxy_and_a_cut_connection_are_network_errors(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    api.inject("sendMessage", Page(502))
    api.inject("sendMessage", Drop(), when="instead")
    for _ in range(2):
        with pytest.raises(NetworkError) as caught:
            await bot.send_message(111, "hello")
        assert type(caught.value) is NetworkError
    assert not ana.chat.from_bot
    assert len(api.calls("sendMessage")) == 2


async def test_an_answer_can_be_lost_although_the_message_arrived(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    api.inject("sendMessage", Drop(), when="after")
    with pytest.raises(NetworkError):
        await bot.send_message(111, "hello")
    assert (await ana.chat.next_message()).text == "hello"


async def test_a_slow_answer_times_out_although_the_message_arrived(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    gate = Gate()
    api.inject("sendMessage", gate, when="after")
    with pytest.raises(TimedOut):
        await bot.send_message(111, "hello", read_timeout=0.05)
    assert gate.reached.is_set()
    assert [message.text for message in ana.chat.from_bot] == ["hello"]


async def test_a_client_that_hangs_up_does_not_take_back_what_it_asked_for(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    gate = Gate()
    api.inject("sendMessage", gate)
    with pytest.raises(TimedOut):
        await bot.send_message(111, "hello", read_timeout=0.05)
    await bot.get_me()  # by now the server has seen that the line is dead
    assert not ana.chat.from_bot
    gate.open()
    assert (await ana.chat.next_message()).text == "hello"


async def test_a_fault_for_one_chat_spares_the_others_and_lasts_until_healed(api: BotApi, bot: Bot) -> None:
    api.person(111)
    api.person(222)
    api.inject("sendMessage", refusals.too_many_requests(34), times=None, chat_id=111)
    for _ in range(2):
        with pytest.raises(RetryAfter):
            await bot.send_message(111, "hello")
    await bot.send_message(222, "hello")
    api.heal()
    await bot.send_message(111, "hello")


async def test_a_stopped_server_refuses_and_comes_back_with_all_it_knew(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    await bot.send_message(111, "before")
    await api.stop()
    with pytest.raises(NetworkError):
        await bot.send_message(111, "lost")
    await api.start()
    await bot.send_message(111, "after")
    assert [message.text for message in ana.chat.from_bot] == ["before", "after"]


async def test_the_older_of_two_polls_gets_the_conflict(api: BotApi, bot: Bot) -> None:
    older = asyncio.create_task(bot.get_updates(timeout=20))
    await api.all_read()
    async with Bot(api.token, base_url=f"{api.url}/bot") as newer:
        assert await newer.get_updates(timeout=0) == ()
    with pytest.raises(Conflict, match="terminated by other getUpdates request"):
        await older


async def test_polling_beside_a_webhook_is_a_conflict_until_the_webhook_is_deleted(api: BotApi, bot: Bot) -> None:
    await bot.set_webhook("https://example.org/hook")
    assert (await bot.get_webhook_info()).url == "https://example.org/hook"
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates()
    await bot.delete_webhook()
    assert await bot.get_updates(timeout=0) == ()


async def test_a_wrong_and_a_revoked_token_are_invalid(api: BotApi, bot: Bot) -> None:
    for token in ("1000000001:" + "B" * 35, "nonsense"):
        with pytest.raises(InvalidToken):
            async with Bot(token, base_url=f"{api.url}/bot"):
                pass
    api.revoke_token()
    with pytest.raises(InvalidToken):
        await bot.get_updates(timeout=0)


async def test_updates_come_at_most_a_hundred_at_a_time_and_only_of_allowed_kinds(api: BotApi, bot: Bot) -> None:
    ana = api.person(111)
    assert await bot.get_updates(timeout=0, allowed_updates=["message"]) == ()
    for number in range(101):
        ana.tells(f"message {number}")
    ana.blocks_bot()
    first = await bot.get_updates(timeout=0)
    assert len(first) == 100
    rest = await bot.get_updates(offset=first[-1].update_id + 1, timeout=0)
    assert [update.message and update.message.text for update in rest] == ["message 100"]


async def test_a_poisoned_update_is_delivered_as_it_is(api: BotApi, bot: Bot) -> None:
    api.push_update({"message": {"message_id": "none of your business"}})
    with pytest.raises(KeyError):
        await bot.get_updates(timeout=0)

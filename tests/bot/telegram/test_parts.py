"""The small parts: errors and what they mean, the pace, the lanes, trouble in the log, the life of chats."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import timedelta, tzinfo
from functools import partial

import httpx
import pytest
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.access import Access
from bot.language import Speech
from bot.notice import Notice
from bot.telegram.chats import ChatLife
from bot.telegram.faults import Kind, fault_of, seconds, told
from bot.telegram.lanes import Lanes
from bot.telegram.notices import KEPT, OwnerNotices
from bot.telegram.trouble import Trouble
from storage.chats import Chat
from tests.bot.telegram.cast import GROUP, OWNER, LeapingClock, MemoryChats

TOKEN = "123456789:" + "A" * 35


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    error.__cause__ = cause
    return error


def subclasses(kind: type[TelegramError]) -> Iterator[type[TelegramError]]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RetryAfter(34), Kind.WAIT),
        (ChatMigrated(-1005), Kind.MOVED),
        (Forbidden("Forbidden: bot was blocked by the user"), Kind.GONE),
        (Forbidden("Forbidden: bot was kicked from the supergroup chat"), Kind.GONE),
        (Forbidden("Forbidden: something new"), Kind.GONE),
        (Forbidden("Forbidden: not enough rights to send text messages to the chat"), Kind.RIGHTS),
        (BadRequest("Chat not found"), Kind.GONE),
        (BadRequest("Have no rights to send a message"), Kind.RIGHTS),
        (BadRequest("Can't parse entities: unclosed start tag at byte offset 2"), Kind.MARKUP),
        (BadRequest("Message is not modified: specified new message content"), Kind.SAME),
        (BadRequest("Message thread not found"), Kind.TOPIC),
        (BadRequest("Message to edit not found"), Kind.NO_MESSAGE),
        (BadRequest("Message is too long"), Kind.REFUSED),
        (InvalidToken("Unauthorized"), Kind.REVOKED),
        (InvalidToken("Not Found"), Kind.UNSENT),
        (NetworkError("Bad Gateway"), Kind.UNSENT),
        (NetworkError("Gateway Timeout (504). Parsing the server response b'' failed"), Kind.DOUBT),
        (NetworkError("Request Entity Too Large"), Kind.REFUSED),
        (caused(NetworkError("x"), httpx.ConnectError("x")), Kind.UNSENT),
        (caused(NetworkError("x"), httpx.ReadError("x")), Kind.DOUBT),
        (caused(NetworkError("x"), httpx.RemoteProtocolError("x")), Kind.DOUBT),
        (caused(TimedOut(), httpx.ReadTimeout("x")), Kind.DOUBT),
        (caused(TimedOut(), httpx.ConnectTimeout("x")), Kind.UNSENT),
        (caused(TimedOut(), httpx.PoolTimeout("x")), Kind.UNSENT),
        (TimedOut(), Kind.DOUBT),
        (TelegramError("Invalid server response"), Kind.DOUBT),
        (KeyError("result"), Kind.DOUBT),
    ],
)
def test_each_failure_means_one_thing(error: Exception, kind: Kind) -> None:
    assert fault_of(error).kind is kind


def test_every_error_of_the_library_has_a_meaning_of_its_own_or_leaves_doubt() -> None:
    kinds = set(subclasses(TelegramError))
    assert kinds >= {BadRequest, TimedOut, RetryAfter}
    for each in kinds - {RetryAfter, ChatMigrated}:
        error = each.__new__(each)
        TelegramError.__init__(error, "made")
        assert fault_of(error).kind in Kind


def test_flood_waits_are_read_in_both_forms_of_the_library() -> None:
    assert seconds(34) == seconds(timedelta(seconds=34)) == 34.0
    assert fault_of(RetryAfter(34)).wait_s == 34.0


@pytest.mark.parametrize(
    "error",
    [
        InvalidToken(f"The token `{TOKEN}` was rejected by the server."),
        NetworkError(f"Unknown error in HTTP implementation: ValueError('http://x/bot{TOKEN}/getMe')"),
        BadRequest(f"line one\nline two {TOKEN}\x1b[2J" + "x" * 5000),
        ValueError(TOKEN),
    ],
)
def test_what_is_told_of_an_error_is_one_short_line_without_the_token(error: Exception) -> None:
    text = told(error)
    assert TOKEN not in text
    assert "A" * 20 not in text
    assert text.isprintable()
    assert len(text) < 200


def test_a_page_from_anywhere_is_not_quoted() -> None:
    error = NetworkError("Bad Gateway (502). Parsing the server response b'<html>private</html>' failed")
    assert told(error) == "NetworkError: Bad Gateway (502)"


async def test_a_lane_is_in_order_and_lanes_run_beside_each_other() -> None:
    lanes, done = Lanes(), list[str]()
    gate = asyncio.Event()

    async def work(name: str) -> None:
        if name == "a1":
            await gate.wait()
        done.append(name)
        if name == "b2":
            gate.set()

    for name in ("a1", "a2", "b1", "b2"):
        lanes.add(name[0], lambda name=name: work(name))  # type: ignore[misc] # mypy cannot infer the default
    await lanes.settled()
    assert done == ["b1", "b2", "a1", "a2"]


async def test_a_lane_that_is_full_takes_no_more_and_takes_again_when_it_is_empty() -> None:
    lanes, gate = Lanes(depth=3), asyncio.Event()

    async def work() -> None:
        await gate.wait()

    assert [lanes.add("a", work) for _ in range(5)] == [True, True, True, False, False]
    assert not lanes.has_room("a")
    assert lanes.add("b", work)
    gate.set()
    await lanes.settled()
    assert lanes.has_room("a")
    assert lanes.add("a", work), "an empty lane takes again"
    await lanes.drain(1)


async def test_draining_cuts_off_what_takes_too_long() -> None:
    lanes = Lanes()
    lanes.add("a", asyncio.Event().wait)  # type: ignore[arg-type] # what it returns does not matter
    await lanes.drain(0.01)
    await lanes.settled()


def test_trouble_is_one_line_at_the_break_and_one_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    clock = LeapingClock()
    trouble = Trouble(logging.getLogger("telegram-trouble"), clock.monotonic)
    for _ in range(300):
        trouble.broke("no answer")
        clock.advance(2)
    assert trouble.text == "no answer"
    trouble.mended()
    trouble.mended()
    assert trouble.text is None
    assert [record.getMessage() for record in caplog.records] == [
        "Telegram: no answer. It is tried again",
        "Telegram answers again",
    ]


def test_trouble_that_flickers_is_at_most_two_lines_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    clock = LeapingClock()
    trouble = Trouble(logging.getLogger("telegram-trouble"), clock.monotonic)
    for number in range(300):
        trouble.broke(f"failure {number}")
        trouble.mended()
        clock.advance(1)
    assert len(caplog.records) <= 2 * 5


async def test_notices_are_bounded_and_the_newest_are_kept() -> None:
    notices = OwnerNotices()
    words = [partial(_numbered, number) for number in range(KEPT + 5)]
    for word in words:
        notices.tell(word)
    assert [await notices.next() for _ in range(KEPT)] == words[5:]


def _numbered(number: int, speech: Speech, zone: tzinfo) -> str:
    return str(number)


def life(chats: MemoryChats) -> tuple[ChatLife, list[Notice]]:
    told_owner: list[Notice] = []
    access = Access(chats, owners=[OWNER], chats=[GROUP])
    return ChatLife(chats, access, now=LeapingClock().now, notice=told_owner.append), told_owner


async def test_a_chat_without_choices_has_the_products_manner() -> None:
    chats = MemoryChats(Chat(chat="5", language="pt_BR"))
    known, _ = life(chats)
    assert (await known.of("5")).language == "pt_BR"
    assert (await known.of("6")).language == "en"
    assert chats.writes == 0


async def test_an_owner_who_blocks_the_bot_is_not_written_to_about_it() -> None:
    chats = MemoryChats()
    known, told_owner = life(chats)
    await known.gone(str(OWNER), "blocked")
    assert told_owner == []
    assert not (await known.of(str(OWNER))).reachable


async def test_moving_twice_is_as_good_as_once_and_a_circle_ends() -> None:
    chats = MemoryChats(Chat(chat=str(GROUP)))
    known, _ = life(chats)
    for _ in range(2):
        await known.moved(str(GROUP), "-1005")
    writes = chats.writes
    await known.moved(str(GROUP), "-1005")
    assert chats.writes == writes
    await known.moved("-1005", str(GROUP))
    assert known.current(str(GROUP)) in (str(GROUP), "-1005")

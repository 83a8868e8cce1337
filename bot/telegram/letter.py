"""One message on its way: put into the library's words, sent or edited once, with every failure as a `Faulted`.

One mend is made here because it makes another request of it: text whose entities Telegram cannot parse goes once as
plain text. What becomes of a message for a topic that is gone is for who sends it to say.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions
from telegram.constants import ParseMode

from bot.conversation import Key
from bot.render.html import visible
from bot.telegram.faults import FOREIGN, Fault, Kind, fault_of

T = TypeVar("T")

NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)


class Faulted(Exception):
    """It failed; `fault` says what that means."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """What is to be read in a chat. `plain` sends the visible text without markup."""

    html: str
    keys: tuple[tuple[Key, ...], ...] = ()
    silent: bool = False
    topic: str | None = None
    plain: bool = False

    @property
    def text(self) -> str:
        """What is put into the message."""
        return visible(self.html) if self.plain else self.html

    @property
    def mode(self) -> ParseMode | None:
        """How Telegram is to read it."""
        return None if self.plain else ParseMode.HTML


async def send(bot: Bot, chat: str, letter: Letter) -> str:
    """Send it; the message's id. Raises Faulted."""

    async def once(letter: Letter) -> str:
        message = await bot.send_message(
            chat_number(chat),
            letter.text,
            parse_mode=letter.mode,
            link_preview_options=NO_PREVIEW,
            disable_notification=letter.silent,
            message_thread_id=None if letter.topic is None else int(letter.topic),
            reply_markup=markup(letter.keys),
        )
        return str(message.message_id)

    return await _mended(once, letter)


async def edit(bot: Bot, chat: str, message_id: str, letter: Letter) -> None:
    """Put it in place of a sent message, without a sound; the same again is no failure. Raises Faulted."""

    async def once(letter: Letter) -> None:
        await bot.edit_message_text(
            letter.text,
            chat_number(chat),
            int(message_id),
            parse_mode=letter.mode,
            link_preview_options=NO_PREVIEW,
            reply_markup=markup(letter.keys),
        )

    try:
        await _mended(once, letter)
    except Faulted as error:
        if error.fault.kind is not Kind.SAME:
            raise


def chat_number(chat: str) -> int:
    """The id as the library takes it. Raises Faulted for what is no chat of Telegram, such as `terminal`."""
    if not chat.isascii() or not chat.removeprefix("-").isdecimal():
        raise Faulted(Fault(kind=Kind.REFUSED, text=f"{chat!r} is not the id of a Telegram chat"))
    return int(chat)


def markup(keys: tuple[tuple[Key, ...], ...]) -> InlineKeyboardMarkup | None:
    """Buttons; None for none."""
    rows = [
        [InlineKeyboardButton(key.label, url=key.url, callback_data=None if key.url else key.data) for key in row]
        for row in keys
        if row
    ]
    return InlineKeyboardMarkup(rows) if rows else None


async def _mended(once: Callable[[Letter], Awaitable[T]], letter: Letter) -> T:
    try:
        return await _mapped(once(letter))
    except Faulted as error:
        if error.fault.kind is not Kind.MARKUP or letter.plain:
            raise
    return await _mapped(once(replace(letter, plain=True)))


async def _mapped(call: Awaitable[T]) -> T:
    try:
        return await call
    except FOREIGN as error:
        raise Faulted(fault_of(error)) from error

"""What an update says, in the product's own words; everything that is not for the bot is nothing.

A pure reading: who may do it is asked elsewhere, before anything is done. Edited messages, channel posts, commands to
other bots and talk among people in a group are not for the bot.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from telegram import CallbackQuery, Chat, ChatMemberUpdated, Message, Update, User

from bot.conversation import Key, Speaker

ANSWERED_CHATS: Final = ("private", "group", "supergroup")
_COMMAND: Final = re.compile(r"/(\w{1,32})(?:@(\w{1,64}))?(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A command with its argument, or free text (the command is then empty)."""

    speaker: Speaker
    command: str
    argument: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pressed:
    """A button. Without a message of ours that can still be seen there is nothing to do but to answer it."""

    query_id: str
    speaker: Speaker | None
    data: str
    message_id: int | None
    keys: tuple[tuple[Key, ...], ...] = ()
    """The buttons of the message, as they were when it was pressed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """A group became a supergroup."""

    old: int
    new: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The bot can write in a chat again, or not any more."""

    chat: str
    reachable: bool


Heard = Said | Pressed | Moved | Standing


def heard(update: Update, *, username: str | None, known: Callable[[str], str | None]) -> Heard | None:
    """What an update says; None for what is not for the bot. `known` gives the command that a word names.

    `username` is the bot's own; None for an update of which it is known that it is for the bot.
    """
    if update.callback_query is not None:
        return _pressed(update.callback_query)
    if update.my_chat_member is not None:
        return _standing(update.my_chat_member)
    if update.message is not None:
        return _moved(update.message) or _said(update.message, username, known)
    return None


def _said(message: Message, username: str | None, known: Callable[[str], str | None]) -> Said | None:
    text = (message.text or message.caption or "").strip()
    if not text or message.chat.type not in ANSWERED_CHATS:
        return None
    author = message.from_user if message.sender_chat is None else None
    speaker = _speaker(message.chat, author, _topic(message))
    found = _COMMAND.fullmatch(text)
    if found is None:
        to_us = not speaker.is_group or username is None or _replies_to_us(message, username)
        return Said(speaker=speaker, command="", argument=text) if to_us else None
    word, addressee, argument = found[1], found[2], (found[3] or "").strip()
    if addressee is not None and username is not None and addressee.casefold() != username.casefold():
        return None
    command = known(word)
    if command is None and speaker.is_group and addressee is None and username is not None:
        return None  # another bot's, most likely
    return Said(speaker=speaker, command=command or word.casefold(), argument=argument)


def _pressed(query: CallbackQuery) -> Pressed:
    message = query.message
    if message is None or message.chat.type not in ANSWERED_CHATS:
        return Pressed(query_id=query.id, speaker=None, data="", message_id=None)
    whole = message if isinstance(message, Message) else None
    topic = _topic(whole) if whole is not None else None
    return Pressed(
        query_id=query.id,
        speaker=_speaker(message.chat, query.from_user, topic),
        data=query.data or "",
        message_id=message.message_id,
        keys=_keys(whole),
    )


def _moved(message: Message) -> Moved | None:
    if message.migrate_to_chat_id is not None:
        return Moved(old=message.chat.id, new=message.migrate_to_chat_id)
    if message.migrate_from_chat_id is not None:
        return Moved(old=message.migrate_from_chat_id, new=message.chat.id)
    return None


def _standing(change: ChatMemberUpdated) -> Standing | None:
    if change.chat.type not in ANSWERED_CHATS:
        return None
    return Standing(chat=str(change.chat.id), reachable=change.new_chat_member.status not in ("left", "kicked"))


def _speaker(chat: Chat, user: User | None, topic: str | None) -> Speaker:
    known = user if user is not None and not user.is_bot else None
    return Speaker(
        chat=str(chat.id),
        user=str(known.id) if known is not None else "",
        name=known.full_name if known is not None else "",
        language=known.language_code if known is not None else None,
        is_group=chat.type != "private",
        topic=topic,
    )


def _keys(message: Message | None) -> tuple[tuple[Key, ...], ...]:
    markup = message.reply_markup if message is not None else None
    rows = markup.inline_keyboard if markup is not None else ()
    return tuple(
        tuple(
            Key(label=key.text, data=key.callback_data if isinstance(key.callback_data, str) else None, url=key.url)
            for key in row
        )
        for row in rows
    )


def _topic(message: Message) -> str | None:
    thread = message.message_thread_id if message.is_topic_message else None
    return None if thread is None else str(thread)


def _replies_to_us(message: Message, username: str) -> bool:
    original = message.reply_to_message
    author = original.from_user if original is not None else None
    return author is not None and (author.username or "").casefold() == username.casefold()

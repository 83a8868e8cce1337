"""The methods that change what is there: edits, deletions, answers to taps."""

from __future__ import annotations

from typing import Any

from tests.fakes.botapi import refusals
from tests.fakes.botapi.formatted import FormattedText
from tests.fakes.botapi.keyboards import Keyboard, read_keyboard
from tests.fakes.botapi.messages import Message
from tests.fakes.botapi.params import Call
from tests.fakes.botapi.refusals import bad_request
from tests.fakes.botapi.sending import caption_text, message_text
from tests.fakes.botapi.world import Toast, World

TOAST_CHARACTERS = 200


def edit_message_text(world: World, call: Call) -> Any:
    """The edited Message. A keyboard that is not sent again is gone, as on the real server."""
    content = message_text(call, too_long="MESSAGE_TOO_LONG")
    message = _own(world, call)
    if message.has_file:
        raise bad_request("there is no text in the message to edit")
    return _changed(world, message, content, read_keyboard(call.params.get("reply_markup")))


def edit_message_caption(world: World, call: Call) -> Any:
    """The edited Message."""
    content = caption_text(call)
    message = _own(world, call)
    if not message.has_file:
        raise bad_request("there is no caption in the message to edit")
    return _changed(world, message, content, read_keyboard(call.params.get("reply_markup")))


def edit_message_reply_markup(world: World, call: Call) -> Any:
    """The edited Message."""
    keyboard = read_keyboard(call.params.get("reply_markup"))
    message = _own(world, call)
    return _changed(world, message, message.content, keyboard)


def delete_message(world: World, call: Call) -> Any:
    """True. The bot deletes its own messages; of others' only those in groups where it has rights, which it has not."""
    message = world.writable(call.chat_id).find(call.number("message_id"))
    if message is None:
        raise bad_request("message to delete not found")
    if not message.by_bot:
        raise bad_request("message can't be deleted")
    message.deleted = True
    world.bell.ring()
    return True


def answer_callback_query(world: World, call: Call) -> Any:
    """True; the person sees the notice."""
    tap = world.taps.get(call.text("callback_query_id"))
    if tap is None or world.clock() - tap.at > world.query_seconds:
        raise refusals.query_too_old()
    text = call.text("text")
    if len(text) > TOAST_CHARACTERS:
        raise bad_request("MESSAGE_TOO_LONG")
    tap.toast = tap.toast or Toast(text, call.flag("show_alert"))
    world.bell.ring()
    return True


def _own(world: World, call: Call) -> Message:
    message = world.writable(call.chat_id).find(call.number("message_id"))
    if message is None:
        raise refusals.nothing_to_edit()
    if not message.by_bot:
        raise bad_request("message can't be edited")
    return message


def _changed(world: World, message: Message, content: FormattedText, keyboard: Keyboard) -> dict[str, Any]:
    if content == message.content and keyboard.rows == message.keyboard.rows:
        raise refusals.not_modified()
    message.change(content, keyboard, world.clock())
    message.chat.edited.append(message)
    world.bell.ring()
    return message.as_json()

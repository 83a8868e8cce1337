"""The methods that put something into a chat: messages, photos, documents, "typing"."""

from __future__ import annotations

import struct
from typing import Any

from tests.fakes.botapi import refusals
from tests.fakes.botapi.chats import Chat
from tests.fakes.botapi.formatted import FormattedText, from_entities
from tests.fakes.botapi.html_mode import parse_html
from tests.fakes.botapi.keyboards import read_keyboard
from tests.fakes.botapi.messages import Message
from tests.fakes.botapi.params import Call, Upload
from tests.fakes.botapi.refusals import bad_request
from tests.fakes.botapi.world import World

TEXT_UNITS = 4096
CAPTION_UNITS = 1024
PHOTO_BYTES = 10 * 1024 * 1024
DOCUMENT_BYTES = 50 * 1024 * 1024
ACTIONS = frozenset({"typing", "upload_photo", "upload_document", "find_location", "choose_sticker"})


def send_message(world: World, call: Call) -> Any:
    """The sent Message."""
    content = message_text(call, too_long="message is too long")
    message = _new(world, call, world.writable(call.chat_id), content)
    return _sent(message)


def send_photo(world: World, call: Call) -> Any:
    """The sent Message. The picture must be a PNG or JPEG of a size that clients show."""
    return _send_file(world, call, "photo")


def send_document(world: World, call: Call) -> Any:
    """The sent Message."""
    return _send_file(world, call, "document")


def send_chat_action(world: World, call: Call) -> Any:
    """True; the action is noted in the chat."""
    chat = world.writable(call.chat_id)
    action = call.text("action")
    if action not in ACTIONS:
        raise bad_request("wrong parameter action in request")
    _topic(call, chat)
    chat.actions.append(action)
    return True


def message_text(call: Call, *, too_long: str) -> FormattedText:
    """The `text` of a call, parsed and measured. Raises Refusal."""
    if not call.text("text"):
        raise bad_request("message text is empty")
    content = formatted(call, "text", "entities")
    if not content.text:
        raise bad_request("text must be non-empty")
    if len(content) > TEXT_UNITS:
        raise bad_request(too_long)
    return content


def caption_text(call: Call) -> FormattedText:
    """The `caption` of a call, which may be empty. Raises Refusal."""
    content = formatted(call, "caption", "caption_entities")
    if len(content) > CAPTION_UNITS:
        raise bad_request("message caption is too long")
    return content


def formatted(call: Call, text: str, entities: str) -> FormattedText:
    """Text under its parse mode or with its entities. Raises Refusal; of the parse modes it knows HTML only."""
    source = call.text(text)
    mode = call.text("parse_mode").lower()
    if mode == "html":
        return parse_html(source).trimmed()
    if mode:
        raise bad_request("unsupported parse_mode")
    return from_entities(source, call.params.get(entities) or []).trimmed()


def _send_file(world: World, call: Call, kind: str) -> Any:
    content = caption_text(call)
    upload = _upload(world, call, kind)
    chat = world.writable(call.chat_id)
    if kind == "photo":
        _check_picture(upload.content)
    elif len(upload.content) > DOCUMENT_BYTES:
        raise refusals.too_large()
    message = _new(world, call, chat, content)
    message.file_id = world.keep(upload)
    if kind == "photo":
        message.photo = upload
    else:
        message.document = upload
    return _sent(message)


def _upload(world: World, call: Call, kind: str) -> Upload:
    """The file of a call: in its own field, attached under a name, or known from before by its id."""
    named = call.text(kind)
    field = named.removeprefix("attach://") if named.startswith("attach://") else kind
    upload = call.files.get(field) or world.files.get(named)
    if upload is None:
        raise bad_request(f"there is no {kind} in the request")
    if not upload.content:
        raise bad_request("file must be non-empty")
    return upload


def _check_picture(content: bytes) -> None:
    if len(content) > PHOTO_BYTES:
        raise bad_request("too big for a photo")
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        if not width or not height or width + height > 10_000 or max(width, height) > 20 * min(width, height):
            raise bad_request("PHOTO_INVALID_DIMENSIONS")
    elif not content.startswith(b"\xff\xd8\xff"):
        raise bad_request("IMAGE_PROCESS_FAILED")


def _new(world: World, call: Call, chat: Chat, content: FormattedText) -> Message:
    """The message, checked but not yet in the chat."""
    topic = _topic(call, chat)
    return Message(
        chat=chat,
        number=chat.next_number(),
        at=world.clock(),
        sender=world.bot(),
        by_bot=True,
        content=content,
        keyboard=read_keyboard(call.params.get("reply_markup")),
        silent=call.flag("disable_notification"),
        topic=topic,
        reply_to=_replied(chat, call.params.get("reply_parameters")),
    )


def _topic(call: Call, chat: Chat) -> int | None:
    """The topic of a call, None for the chat itself. Raises Refusal when nothing can be written there."""
    topic = call.number("message_thread_id") or None
    if (refusal := chat.topics.refusal(topic)) is not None:
        raise refusal
    return topic


def _replied(chat: Chat, reply: dict[str, Any] | None) -> Message | None:
    if reply is None:
        return None
    found = chat.find(int(reply.get("message_id", 0)))
    if found is None and not reply.get("allow_sending_without_reply"):
        raise bad_request("message to be replied not found")
    return found


def _sent(message: Message) -> dict[str, Any]:
    message.chat.add(message)
    return message.as_json()

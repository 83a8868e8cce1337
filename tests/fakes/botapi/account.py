"""The methods about the bot itself, its commands and webhook, and about who is where."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.fakes.botapi import refusals
from tests.fakes.botapi.params import Call
from tests.fakes.botapi.people import member_json
from tests.fakes.botapi.refusals import bad_request
from tests.fakes.botapi.world import BOT_ID, World

COMMANDS = 100
DESCRIPTION_CHARACTERS = 256
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")


def get_me(world: World, _call: Call) -> Any:
    """The bot's User, with what only getMe tells."""
    return world.bot() | {
        "can_join_groups": True,
        "can_read_all_group_messages": not world.privacy,
        "supports_inline_queries": False,
    }


async def get_updates(world: World, call: Call) -> Any:
    """Updates, by long poll. The list of allowed kinds holds until another is sent."""
    if world.webhook:
        raise refusals.webhook_conflict()
    if isinstance(allowed := call.params.get("allowed_updates"), list):
        world.updates.allowed = frozenset(allowed)
    return await world.updates.poll(call.number("offset"), call.number("limit", 100), call.number("timeout"))


def set_webhook(world: World, call: Call) -> Any:
    world.webhook = call.text("url")
    if call.flag("drop_pending_updates"):
        world.updates.drop()
    return True


def delete_webhook(world: World, call: Call) -> Any:
    world.webhook = ""
    if call.flag("drop_pending_updates"):
        world.updates.drop()
    return True


def get_webhook_info(world: World, _call: Call) -> Any:
    return {"url": world.webhook, "has_custom_certificate": False, "pending_update_count": len(world.updates)}


def set_my_commands(world: World, call: Call) -> Any:
    """True; kept by scope and language. Languages have two letters."""
    commands = call.params.get("commands")
    if not isinstance(commands, list):
        raise bad_request("can't parse commands: Array expected")
    if len(commands) > COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for one in commands:
        if not _COMMAND.fullmatch(str(one.get("command", ""))):
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= len(str(one.get("description", "")).strip()) <= DESCRIPTION_CHARACTERS:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    world.commands[_audience(world, call)] = commands
    return True


def get_my_commands(world: World, call: Call) -> Any:
    return world.commands.get(_audience(world, call), [])


def delete_my_commands(world: World, call: Call) -> Any:
    world.commands.pop(_audience(world, call), None)
    return True


def get_chat(world: World, call: Call) -> Any:
    """ChatFullInfo, with only what it must have."""
    chat = world.readable(call.chat_id)
    kinds = "unlimited_gifts limited_gifts unique_gifts premium_subscription gifts_from_channels"
    return chat.as_json() | {
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(kinds.split(), False),
    }


def get_chat_member(world: World, call: Call) -> Any:
    """ChatMember of the bot or of a person who was seen in that chat."""
    chat = world.readable(call.chat_id)
    number = call.number("user_id")
    if number == BOT_ID:
        return member_json(world.bot(), "member")
    if number not in chat.members and number != chat.number:
        raise bad_request("member not found")
    user = {"id": number, "is_bot": False, "first_name": world.chat(number).title}
    return member_json(user, chat.members.get(number, "member"))


def get_file(world: World, call: Call) -> Any:
    """Where to download a file from."""
    upload = world.files.get(file_id := call.text("file_id"))
    if upload is None:
        raise bad_request("invalid file_id")
    return {
        "file_id": file_id,
        "file_unique_id": f"u{file_id}",
        "file_size": len(upload.content),
        "file_path": f"files/{file_id}",
    }


def _audience(world: World, call: Call) -> tuple[str, str]:
    scope = call.params.get("scope") or {"type": "default"}
    if "chat_id" in scope:
        world.writable(scope["chat_id"])
    language = call.text("language_code")
    if language and not re.fullmatch(r"[a-z]{2}", language):
        raise bad_request("invalid language code specified")
    return json.dumps(scope, sort_keys=True), language

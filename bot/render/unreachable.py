"""Why nothing reaches a chat, in words of ours; what Telegram says else is quoted as its own."""

from __future__ import annotations

from bot.language import Speech
from bot.render.clean import clean

QUOTED_UNITS = 80


def gone_text(chat: str, reason: str, speech: Speech) -> str:
    """The word to the owner that a chat is gone."""
    return speech.text(
        "Nothing reaches the chat {chat} any more ({reason}). Its rules rest until /start comes there.",
        chat=chat,
        reason=reason_text(reason, speech),
    )


def reason_text(reason: str, speech: Speech) -> str:
    """Telegram's reason as one of the known ones, or quoted."""
    said = reason.lower()
    known = {
        "blocked by the user": speech.text("the person has blocked the bot"),
        "blocked or removed": speech.text("the bot was blocked or removed"),
        "deactivated": speech.text("the account or group was deleted"),
        "kicked": speech.text("the bot was removed from the group"),
        "not a member": speech.text("the bot is not in the group any more"),
        "initiate conversation": speech.text("the person has not started the bot"),
        "not found": speech.text("there is no such chat"),
        "peer_id_invalid": speech.text("there is no such chat"),
    }
    found = next((text for words, text in known.items() if words in said), None)
    return found or speech.text("Telegram says: “{words}”", words=clean(reason, QUOTED_UNITS))

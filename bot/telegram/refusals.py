"""What is said to who may not do something, and to who met a fault of ours: in the person's own language."""

from __future__ import annotations

from bot.access import Right
from bot.conversation import Speaker
from bot.language import speech_for


def not_listed(speaker: Speaker) -> str:
    """To somebody who pressed a button."""
    return speech_for(speaker.language).text("Only the owner and people on the bot's list can do this.")


def refusal(speaker: Speaker, right: Right, *, once_listed: bool = False) -> str:
    """To somebody who sent a command or wrote to the bot."""
    speech = speech_for(speaker.language)
    if right is not Right.NONE:
        return not_listed(speaker)
    if once_listed:
        return speech.text(
            "You are not on this bot's list any more. /watches shows your rules; you can still /pause and /delete "
            "them. The owner can let you in again: your number is {id}",
            id=speaker.user,
        )
    if speaker.is_group:
        return speech.text("This bot does not work in this group. Its owner can allow it: number {id}", id=speaker.chat)
    return speech.text("This bot is private. Its owner can let you in: your number is {id}", id=speaker.user)


def too_much(speaker: Speaker) -> str:
    """To a press that came while too much was waiting."""
    return speech_for(speaker.language).text("Too much is waiting here. Please press again in a moment.")


def apology(speaker: Speaker) -> str:
    """When it is our fault."""
    return speech_for(speaker.language).text("Something went wrong here, and it was noted. Please try again.")

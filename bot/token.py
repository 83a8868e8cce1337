"""That Telegram has rejected the token meanwhile: left in the store, so that `health` can tell it from elsewhere."""

from __future__ import annotations

from storage.chats import Chats

REJECTED = "telegram:rejected"


def note_rejected(chats: Chats, *, rejected: bool) -> None:
    """Leave the note, or take it away."""
    chats.put_fact(REJECTED, "yes" if rejected else None)


def is_rejected(chats: Chats) -> bool:
    """Whether the last run ended, or goes on, with a token that Telegram does not take."""
    return chats.fact(REJECTED) is not None

"""What a button stands for when it cannot be said in 64 bytes: a rule being written, a list being read.

Kept in the store for some days, so that a question asked before a restart can be answered after it. A button that is
pressed twice does the same twice: what it does must bear that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, cast, get_args

from storage.drafts import KEPT, DraftBook

LASTS: Final = KEPT

Purpose = Literal["watch", "edit", "now", "history"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A text for one of the commands, and what `word` in it may be replaced with."""

    purpose: Purpose
    text: str
    word: str = ""
    choices: tuple[str, ...] = ()
    watch_id: int = 0
    """The rule that is being edited."""


class Drafts:
    """The drafts of all chats. Calls block and raise StoreError."""

    def __init__(self, book: DraftBook) -> None:
        self._book = book

    def keep(self, chat: str, draft: Draft, now: datetime) -> int:
        """Keep a draft; its id. The oldest one of the chat makes room."""
        record = {
            "purpose": draft.purpose,
            "text": draft.text,
            "word": draft.word,
            "choices": draft.choices,
            "watch_id": draft.watch_id,
        }
        return self._book.keep(chat, json.dumps(record, ensure_ascii=False), now)

    def look(self, draft_id: int, chat: str, now: datetime) -> Draft | None:
        """A draft of this chat; None if it is too old or was never there."""
        kept = self._book.find(chat, draft_id)
        if kept is None or now - kept.made_at > LASTS:
            return None
        record = json.loads(kept.body)
        if record["purpose"] not in get_args(Purpose):
            return None  # of a later version
        return Draft(
            purpose=cast("Purpose", record["purpose"]),
            text=record["text"],
            word=record["word"],
            choices=tuple(record["choices"]),
            watch_id=record["watch_id"],
        )

"""What a button stands for when it cannot be said in 64 bytes: a rule being written, a list being read.

Kept in memory, for a while and up to a number, because nothing is lost with one: its text is in the chat and can be
sent again. An id is a moment, so that a button of an earlier run never meets somebody else's draft.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

MOST: Final = 500
LASTS: Final = timedelta(hours=1)

Purpose = Literal["watch", "edit", "now", "history"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A text for one of the commands, and what `word` in it may be replaced with."""

    chat: str
    purpose: Purpose
    text: str
    at: datetime
    word: str = ""
    choices: tuple[str, ...] = ()
    watch_id: int = 0
    """The rule that is being edited."""


class Drafts:
    """The drafts of all chats. May be used from any thread."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._drafts: OrderedDict[int, Draft] = OrderedDict()
        self._last = 0
        self._lock = threading.Lock()

    def keep(self, draft: Draft) -> int:
        """Remember a draft; its id. The oldest one makes room."""
        with self._lock:
            self._last = max(self._last + 1, int(draft.at.timestamp() * 1000))
            self._drafts[self._last] = draft
            while len(self._drafts) > self._most:
                self._drafts.popitem(last=False)
            return self._last

    def look(self, draft_id: int, chat: str, now: datetime) -> Draft | None:
        """A draft of this chat, which stays; None if it is too old or was never there."""
        with self._lock:
            draft = self._drafts.get(draft_id)
            return draft if draft is not None and draft.chat == chat and now - draft.at <= LASTS else None

    def take(self, draft_id: int, chat: str, now: datetime) -> Draft | None:
        """The same, and it is there no more: a button pressed twice does its work once."""
        found = self.look(draft_id, chat, now)
        with self._lock:
            return self._drafts.pop(draft_id, None) if found is not None else None

"""Who is told: the word `terminal`, or the number of a Telegram chat."""

from __future__ import annotations

import re
from typing import Final

TERMINAL: Final = "terminal"
LARGEST: Final = 2**52
"""Telegram promises that its ids have at most 52 significant bits."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")


def recipient(text: str) -> str:
    """The chat that a text names, in its one spelling. Raises ValueError for what can be no chat."""
    word = text.strip()
    if word == TERMINAL:
        return word
    number = int(word) if _NUMBER.fullmatch(word) else 0
    if not 0 < abs(number) <= LARGEST:
        raise ValueError(f"{text!r} is neither a chat id (a number) nor `terminal`")
    return str(number)

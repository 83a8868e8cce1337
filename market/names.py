"""Names that people give to rules, as they are seen: what cannot be seen is no part of a name.

Characters without width or ink, and those that turn the direction of writing, would make names that look the same and
are not, or a name that nobody sees.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_UNSEEN: Final = frozenset({"Cf"})
"""Format characters: zero widths, directions, byte order marks, soft hyphens, tags."""
_UNSEEN_TOO: Final = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian selectors
    (0x2065, 0x2065),
    (0x2800, 0x2800),  # Braille without a dot
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFFA0, 0xFFA0),  # Hangul filler, half width
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),  # tags and further selectors
)
"""What Unicode lets a font leave out, besides the format characters."""


def seen_name(text: str) -> str:
    """A name without what cannot be seen, every space a plain one, none at its ends; empty where nothing is seen."""
    composed = unicodedata.normalize("NFC", "".join(char for char in text if not _is_unseen(char)))
    return "".join(" " if unicodedata.category(char) == "Zs" else char for char in composed).strip(" ")


def look(name: str | None) -> str:
    """What two names that look the same have in common, whatever their case and the width of their spaces."""
    return " ".join(seen_name(name or "").casefold().split())


def _is_unseen(char: str) -> bool:
    if char.isascii():
        return False
    return unicodedata.category(char) in _UNSEEN or any(low <= ord(char) <= high for low, high in _UNSEEN_TOO)

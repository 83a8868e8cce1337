"""Text from outside made harmless: no character that moves the cursor, hides text or turns it round, and no excess.

It knows no markup: `bot.render.html` escapes, this module cleans and cuts.
"""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"
INVISIBLE = frozenset({"Cf", "Cs"})
"""Format characters (direction overrides, zero widths, byte order marks) and halves of surrogate pairs."""


def printable(text: str) -> str:
    """The text on one line: invisible characters are dropped, controls and odd spaces become plain spaces."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else " "
        for character in text
        if unicodedata.category(character) not in INVISIBLE
    )


def clean(text: str, limit: int) -> str:
    """One printable line of at most `limit` UTF-16 units, for names, places and labels."""
    return cut(printable(text).strip(), limit)


def cut(text: str, limit: int) -> str:
    """The text itself, or its beginning and an ellipsis: never more than `limit` UTF-16 units, no half characters."""
    if units(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - units(ELLIPSIS)
    for character in text:
        room -= units(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + ELLIPSIS if limit > 0 else ""


def units(text: str) -> int:
    """Length in UTF-16 units, the measure of Telegram: characters beyond the basic plane count twice."""
    return len(text) + sum(character > "\uffff" for character in text)

"""Buttons made in one line."""

from __future__ import annotations

from collections.abc import Iterable

from bot.buttons import Action, Button, encode
from bot.conversation import Key
from bot.render.clean import clean

LABEL_UNITS = 40


def key(label: str, action: Action, id_: int, argument: str = "") -> Key:
    """A button that sends its data back; the label may be anybody's text."""
    return Key(label=clean(label, LABEL_UNITS) or "…", data=encode(Button(action=action, id=id_, argument=argument)))


def rows(keys: Iterable[Key], width: int) -> tuple[tuple[Key, ...], ...]:
    """Buttons in rows of so many."""
    every = tuple(keys)
    return tuple(every[start : start + width] for start in range(0, len(every), width))

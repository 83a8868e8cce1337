"""What the commands are called: each in English, most in Portuguese as well. A name here is a command that exists."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Mapping
from typing import Final

from bot.language import Speech

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "start": (),
    "help": ("ajuda",),
    "watch": ("vigiar",),
    "watches": ("vigias",),
    "edit": ("editar",),
    "delete": ("apagar",),
    "pause": ("pausar",),
    "resume": ("retomar",),
    "now": ("agora", "precos"),
    "history": ("historico",),
    "why": ("porque",),
    "status": (),
    "test": ("teste",),
}
"""English name to Portuguese names, in the order of the menu."""

_WORDS: Final[Mapping[str, str]] = {word: name for name, aliases in NAMES.items() for word in (name, *aliases)}


def known(word: str) -> str | None:
    """The command that a word names, in any case, with or without its slash and its accents; None if there is none."""
    return _WORDS.get(_plain(word))


def nearest(word: str) -> str | None:
    """The command whose name is most like a word that names none."""
    near = difflib.get_close_matches(_plain(word)[:32], _WORDS, n=1, cutoff=0.7)
    return _WORDS[near[0]] if near else None


def spoken(name: str, speech: Speech) -> str:
    """The name of a command in a language."""
    aliases = NAMES[name]
    return aliases[0] if aliases and speech.language == "pt_BR" else name


def slash(name: str, speech: Speech) -> str:
    """A command as it is sent: `/watch`, `/vigiar`."""
    return f"/{spoken(name, speech)}"


def _plain(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.strip().removeprefix("/").casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))

"""What a command is: the words that describe it and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.commands.visit import Visit
from bot.conversation import Outcome
from bot.language import Speech


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """A command described in one language."""

    usage: str
    """What follows the name, as in a manual: `[ID]`."""
    summary: str
    """One line for the menu, at most 100 characters."""
    details: str
    """What else one should know, in a few sentences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One command by its English name."""

    name: str
    words: Callable[[Speech], Words]
    example: str
    """An argument that works as it stands; empty: the command alone."""
    answer: Callable[[Visit, str], Outcome]
    """Blocks. Raises StoreError only: what a person wrote wrong is an answer."""

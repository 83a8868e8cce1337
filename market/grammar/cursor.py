"""A place in a text that is being read, and the marks that writers use for one and the same thing."""

from __future__ import annotations

import re
from typing import Final

from market.grammar import problems
from market.rule import RuleError

_SAME: Final = str.maketrans(
    {"⩽": "≤", "‹": "<", "⩾": "≥", "›": ">", "✕": "×", "✖": "×", "≤": "≤", "＜": "<", "＞": ">"}
    | dict.fromkeys("‐‑‒–—−", "-")
)
BOUNDARY: Final = r"(?=[\s,<≤×]|$)"
"""Ends a word: a space, a comma, a sign that can only begin the next part, or the end of the text."""
_WORD: Final = re.compile(r"(?:[^\s,]|,(?=[0-9]))+")
_VALUE: Final = re.compile(r"(?:[^\s,<≤>≥×]|,(?=[0-9]))+")
_OPERATOR: Final = re.compile(r"\s*(<=|=<|>=|=>|<|>|≤|≥|:|=)\s*")
_OPERATORS: Final = {"=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "=": ":"}

WORD_SHOWN: Final = 40
"""Characters of an offending word that are repeated to its writer."""


class Cursor:
    """Reads a text from left to right.

    `text` has one sign for each meaning and plain spaces, character by character in the same places as `raw`, from
    which names are taken as they were written.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.text = "".join(" " if char.isspace() else char for char in raw).translate(_SAME)
        self.at = 0

    def done(self) -> bool:
        """Whether nothing but spaces is left."""
        self.skip_spaces()
        return self.at >= len(self.text)

    def skip_spaces(self) -> None:
        """Go to the next character that is no space."""
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1

    def peek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern finds right here."""
        return pattern.match(self.text, self.at)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern finds right here, and go behind it."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def take_operator(self) -> str | None:
        """A comparison in one of the forms `<` `<=` `>` `>=` `:`, with the spaces around it."""
        found = self.take(_OPERATOR)
        return _OPERATORS.get(found.group(1), found.group(1)) if found else None

    def word(self) -> str:
        """The word that begins here, up to a space or a comma that is not inside a number."""
        found = _WORD.match(self.text, self.at)
        return found.group() if found else self.text[self.at : self.at + 1]

    def take_value(self, example: str) -> str:
        """The value that stands here, and go behind it. Raises RuleError when there is none."""
        found = self.take(_VALUE)
        if not found:
            raise refusal(self.text[: self.at].split(" ")[-1] or self.word(), problems.MISSING_VALUE, example)
        return found.group()


def refusal(word: str, problem: str, example: str = "RTX 4090 <=0.40", choices: tuple[str, ...] = ()) -> RuleError:
    """A `RuleError` whose word can be repeated anywhere: short, on one line, nothing invisible in it."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in word[:WORD_SHOWN])
    if len(word) > WORD_SHOWN:
        shown += "…"
    return RuleError(shown, problem, example, choices)

"""Card names inside a rule: taken first, longest first, ending where a word ends."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from market.card import NAME_LIMIT, key_of
from market.gpu import Catalogue
from market.grammar import problems
from market.grammar.cursor import Cursor, refusal
from market.rule import CardChoice

_END: Final = re.compile(r"[\s,<>≤≥=×:\"$]|$|[ _-]*[0-9]{1,4} ?(?:GB|GiB|G)(?![A-Za-z0-9])", re.IGNORECASE)
_SIZE: Final = re.compile(r"[ _-]*([0-9]{1,4}) ?(?:GB|GiB|G)(?![A-Za-z0-9])", re.IGNORECASE)
_DIGITS: Final = re.compile(r" +[0-9]+")
_BRAND: Final = re.compile(
    r"(?:nvidia|amd|geforce|rtx|gtx|rx|quadro|tesla|instinct|radeon|titan|pro)(?![a-z])", re.IGNORECASE
)
_MODEL: Final = re.compile(
    r" +(?!x[0-9]|[0-9]+x)(?:(?:geforce|rtx|gtx|rx|pro|[a-z_-]*[0-9][a-z0-9_-]*)(?=[\s,<≤]|$))", re.IGNORECASE
)
_REACH: Final = 2 * NAME_LIMIT
"""Characters looked at for one name, doubled spaces included."""


class Found(NamedTuple):
    """A name at the cursor: where it ends, and what it means; `choice` is None when several cards fit."""

    end: int
    choice: CardChoice | None
    several: tuple[str, ...]


def find_name(cursor: Cursor, catalogue: Catalogue) -> Found | None:
    """The longest name that begins at the cursor.

    A name that only adds a number to a shorter name gives way to it: "L4 0.40" and "A10 0,40" hold a price.
    """
    raw, text, start = cursor.raw, cursor.text, cursor.at
    found: list[Found] = []
    for end in range(start + 1, min(len(text), start + _REACH) + 1):
        if text[end - 1] in " _-" or not _END.match(text, end):
            continue
        key = key_of(raw[start:end])
        choice = catalogue.typed.get(key)
        if choice is not None:
            found.append(Found(end, choice, ()))
        elif key in catalogue.ambiguous:
            found.append(Found(end, None, catalogue.ambiguous[key]))
    for long in reversed(found):
        if not any(_DIGITS.fullmatch(text, short.end, long.end) for short in found):
            return long
    return None


def take_choice(cursor: Cursor, found: Found, catalogue: Catalogue) -> CardChoice:
    """The name and the memory size that may stand right after it. Raises RuleError."""
    written = cursor.text[cursor.at : found.end]
    if found.choice is None:
        raise refusal(written, problems.AMBIGUOUS, f"{found.several[0]} <=0.40", found.several)
    cursor.at = found.end
    size = cursor.take(_SIZE)
    if size is None:
        return found.choice
    return _sized(found.choice, int(size.group(1)), f"{written}{size.group()}", catalogue)


def _sized(choice: CardChoice, gb: int, written: str, catalogue: Catalogue) -> CardChoice:
    if choice.vram_gb is not None and choice.vram_gb != gb:
        raise refusal(written, problems.SIZE_TWICE, f"{choice.name} {choice.vram_gb}GB")
    sizes = catalogue.sizes(choice.cards)
    if gb < 1 or (sizes and gb not in sizes):
        choices = tuple(f"{choice.name} {size}GB" for size in sizes)
        raise refusal(written, problems.UNKNOWN_SIZE, choices[0] if choices else choice.name, choices)
    cards = frozenset(
        name for name in choice.cards if not catalogue.cards[name].memory_gb or gb in catalogue.cards[name].memory_gb
    )
    return CardChoice(name=choice.name, cards=cards, vram_gb=gb)


def unknown_phrase(cursor: Cursor) -> str:
    """The offending words at the cursor: one, or a brand and the model that follows it."""
    phrase = cursor.word()
    rest = Cursor(cursor.raw[cursor.at + len(phrase) :])
    while _BRAND.fullmatch(phrase.split(" ")[-1]) and (more := rest.take(_MODEL)):
        phrase += more.group()
    return phrase

"""Reading a rule: card names first, then options, then a price; whatever is left is refused by name."""

from __future__ import annotations

import difflib
import re
from datetime import date
from typing import Any, Final

from market.gpu import Catalogue
from market.grammar import problems
from market.grammar.cursor import BOUNDARY, Cursor, refusal
from market.grammar.names import Found, find_name, take_choice, unknown_phrase
from market.grammar.numbers import foreign, price_problem, take_price
from market.grammar.options import COUNT, FLAGS, OPTIONS, Option, counts_of
from market.grammar.places import ANY_TIER, TIERS
from market.grammar.sense import finished
from market.grammar.writer import write_rule
from market.rule import CardChoice, Rule

LONGEST_RULE: Final = 1000
"""Characters; a rule whose canonical text is longer is refused as well, so that every text can be sent back."""

_ANY: Final = re.compile(r"any" + BOUNDARY, re.IGNORECASE)
_MAX: Final = re.compile(r"max(?: *[:=] *| +|(?=[$0-9.]))(?! *[<≤])", re.IGNORECASE)
_TOTAL: Final = re.compile(r" *total" + BOUNDARY, re.IGNORECASE)
_CEILING: Final = re.compile(r"(?:<=|=<|<|≤)\s*")
_FLOOR: Final = re.compile(r"(?:>=|=>|>|≥)")
_PLACES: Final = TIERS | {"vast", "runpod", ANY_TIER}


def read_rule(text: str, *, catalogue: Catalogue, today: date) -> Rule:
    """The rule that `text` says. `today` is the day in the chat's own zone. Raises RuleError."""
    if len(text) > LONGEST_RULE:
        raise refusal(text, problems.TOO_LONG)
    rule = _Reading(text, catalogue, today).rule()
    if len(write_rule(rule, catalogue=catalogue)) > LONGEST_RULE:
        raise refusal(text, problems.TOO_LONG)
    return rule


def read_card(text: str, *, catalogue: Catalogue) -> CardChoice:
    """The one card or family that `text` names, with a memory size or not. Raises RuleError."""
    if len(text) > LONGEST_RULE:
        raise refusal(text, problems.TOO_LONG, "RTX 4090")
    cursor = Cursor(text)
    if cursor.done():
        raise refusal("", problems.NO_CARD, "RTX 4090")
    found = find_name(cursor, catalogue)
    if found is None:
        phrase = unknown_phrase(cursor)
        raise refusal(phrase, problems.UNKNOWN_CARD, "RTX 4090", catalogue.nearest(phrase))
    choice = take_choice(cursor, found, catalogue)
    if not cursor.done():
        phrase = unknown_phrase(cursor)
        raise refusal(phrase, problems.ONE_CARD, choice.name, catalogue.nearest(cursor.text.strip()))
    return choice


class _Reading:
    """One pass over one text."""

    def __init__(self, text: str, catalogue: Catalogue, today: date) -> None:
        self.cursor = Cursor(text)
        self.catalogue = catalogue
        self.today = today
        self.choices: list[CardChoice] = []
        self.any = False
        self.cards_over = False
        self.after_comma = False
        self.given: set[str] = set()
        self.fields: dict[str, Any] = {}

    def rule(self) -> Rule:
        """Read everything. Raises RuleError."""
        cursor = self.cursor
        if cursor.done():
            raise refusal("", problems.EMPTY)
        started = False
        while not cursor.done():
            if cursor.text[cursor.at] == ",":
                if not started or self.after_comma:
                    raise refusal(",", problems.DANGLING_COMMA)
                self.after_comma = True
                cursor.at += 1
                continue
            self._part()
            started, self.after_comma = True, False
        if self.after_comma:
            raise refusal(",", problems.DANGLING_COMMA)
        if not self.choices and not self.any and "min_vram_gb" not in self.fields:
            raise refusal(cursor.text.strip(), problems.NO_CARD)
        return finished(tuple(dict.fromkeys(self.choices)), self.fields, frozenset(self.given & _PLACES))

    def _part(self) -> None:
        found = find_name(self.cursor, self.catalogue)
        if found is not None and not self._is_price(found):
            self._card(found)
            return
        had_cards = bool(self.choices) or self.any
        if not (self._flag() or self._option() or self._count() or self._any() or self._ceiling() or self._bare()):
            self._refuse()
        if had_cards:
            self.cards_over = True

    def _is_price(self, found: Found) -> bool:
        """Whether a bare model number is marked as a price: "100 total", "100/h"."""
        if found.choice is not None:
            return False
        ahead = Cursor(self.cursor.raw)
        ahead.at = self.cursor.at
        price = take_price(ahead)
        return price is not None and (price[1] or ahead.peek(_TOTAL) is not None)

    def _card(self, found: Found) -> None:
        start = self.cursor.at
        choice = take_choice(self.cursor, found, self.catalogue)
        word = self.cursor.text[start : self.cursor.at]
        if self.any:
            raise refusal(word, problems.ANY_AND_CARDS, "any vram>=48")
        if self.cards_over:
            raise refusal(word, problems.CARDS_APART, f"{self.choices[0].name}, {choice.name} <=0.40")
        self.choices.append(choice)

    def _any(self) -> bool:
        if not self.cursor.peek(_ANY):
            return False
        if self.choices:
            raise refusal("any", problems.ANY_AND_CARDS, "any vram>=48")
        self._once("any", "any", "any vram>=48")
        self.cursor.take(_ANY)
        self.any = True
        return True

    def _flag(self) -> bool:
        for name, pattern, fields in FLAGS:
            found = self.cursor.take(pattern)
            if found:
                self._once(name, found.group(), found.group())
                self.fields.update(fields)
                return True
        return False

    def _option(self) -> bool:
        for option in OPTIONS:
            found = self.cursor.peek(option.word)
            if found:
                self._once(option.name, found.group(), option.example)
                self._value(option)
                return True
        return False

    def _value(self, option: Option) -> None:
        written = self.cursor.word()
        self.cursor.take(option.word)
        comparison = self.cursor.take_operator()
        if comparison not in option.comparisons:
            raise refusal(written, problems.WRONG_COMPARISON, option.example)
        if self.cursor.at >= len(self.cursor.text):
            raise refusal(written, problems.MISSING_VALUE, option.example)
        self.fields.update(option.read(self.cursor, comparison, self.today))

    def _count(self) -> bool:
        found = self.cursor.take(COUNT)
        if not found:
            return False
        self._once("count", found.group(), "x4")
        self.fields["counts"] = counts_of(found)
        return True

    def _ceiling(self) -> bool:
        start = self.cursor.at
        if not (self.cursor.take(_CEILING) or self.cursor.take(_MAX)):
            return False
        price = take_price(self.cursor)
        if price is None:
            word = self.cursor.word()
            raise refusal(word or self.cursor.text[start:].strip(), price_problem(word), "<=0.40")
        self._price(price[0], self.cursor.text[start : self.cursor.at])
        return True

    def _bare(self) -> bool:
        start = self.cursor.at
        price = take_price(self.cursor)
        if price is None:
            return False
        word = self.cursor.text[start : self.cursor.at]
        marked = price[1] or self.cursor.peek(_TOTAL) is not None
        like_a_card = word.isdigit() and (self.after_comma or len(word) >= 3)
        if not marked and (like_a_card or not self._has_subject()):
            raise refusal(word, problems.BARE_NUMBER, f"<={word}", self.catalogue.nearest(word))
        self._price(price[0], word)
        return True

    def _has_subject(self) -> bool:
        return bool(self.choices) or self.any or "min_vram_gb" in self.fields

    def _price(self, amount: int, word: str) -> None:
        self._once("ceiling", word, "<=0.40")
        self.fields["ceiling"] = amount
        if self.cursor.take(_TOTAL):
            self.fields["ceiling_is_total"] = True

    def _once(self, name: str, word: str, example: str) -> None:
        if name in self.given:
            raise refusal(word, problems.TWICE, example)
        self.given.add(name)

    def _refuse(self) -> None:
        word = self.cursor.word()
        if foreign(word):
            raise refusal(word, problems.OTHER_CURRENCY, "<=0.40")
        if self.cursor.peek(_FLOOR):
            raise refusal(word, problems.FLOOR_PRICE, "<=0.40")
        if re.fullmatch(r"[0-9]+(?:GB|GiB|G)", word, re.IGNORECASE):
            raise refusal(word, problems.SIZE_WITHOUT_CARD, "vram>=24")
        if re.match(r"[+-]?[0-9]*[.,]?[0-9]|nan$|-?inf", word, re.IGNORECASE) and self._has_subject():
            raise refusal(word, price_problem(word), "<=0.40")
        example = {"max": "max 0.40"} | {option.name: option.example for option in OPTIONS}
        if word.casefold() in example:
            raise refusal(word, problems.MISSING_VALUE, example[word.casefold()])
        phrase = unknown_phrase(self.cursor)
        raise refusal(phrase, problems.UNKNOWN_WORD, _like(word), self.catalogue.nearest(phrase))


def _like(word: str) -> str:
    """The example of the option that a word resembles, else that of a whole rule."""
    names = {option.name: option.example for option in OPTIONS} | {
        name: name for name in ("vast", "runpod", "secure", "community", "datacenter", "spot", "unverified", "once")
    }
    near = difflib.get_close_matches(re.split(r"[<>=≤≥:]", word)[0][:20].casefold(), names, n=1, cutoff=0.7)
    return names[near[0]] if near else "RTX 4090 <=0.40"

"""Numbers with their units, exactly as written: decimals, prices, per cents, durations, versions.

ASCII digits only; a dot or a comma is the decimal separator, two of them are refused. Floats never appear.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from market.grammar import problems
from market.grammar.cursor import BOUNDARY, Cursor, refusal
from market.money import MICRO

HIGHEST_PRICE: Final = 1_000_000
"""US dollars an hour."""
LARGEST: Final = 10_000_000
"""The largest whole number that an option takes."""

_NUMBER: Final = re.compile(r"([+-]?[0-9]*(?:[.,][0-9]+)*)(.*)", re.DOTALL)
_PRICE: Final = re.compile(
    r"(?P<before>(?:US ?\$|USD|\$) ?)?"
    r"(?P<number>[0-9]*(?:[.,][0-9]+)*)(?<=[0-9])"
    r"(?P<after> ?(?:US ?\$|USD|\$))?"
    r"(?P<hour> ?(?:/|per) ?(?:gpu[ -]?)?(?:hour|hr|h))?"
    rf"(?:{BOUNDARY}|(?=total{BOUNDARY}))",
    re.IGNORECASE,
)
_FOREIGN: Final = re.compile(
    r".*[€£¥₹₽¢]|-?[a-z]{1,2}\$|\$[a-z]|[0-9.,]*(?:EUR|euros?|BRL|reais|real|GBP|pounds?|JPY|yen|CNY|RMB|CHF|CAD|AUD|INR"
    r"|ARS|MXN|CLP|COP|PEN|RUB|KRW|BTC|ETH|sats|cents?|centavos?)(?![a-z])",
    re.IGNORECASE,
)


def foreign(word: str) -> bool:
    """Whether a word names another currency than the US dollar."""
    return _FOREIGN.match(word) is not None and not re.match(r"us ?\$", word, re.IGNORECASE)


def decimal_of(text: str, example: str) -> Decimal:
    """The number that `text` is. Raises RuleError for anything else, two separators and monstrous lengths."""
    if not re.fullmatch(r"[+-]?(?:[0-9]+(?:[.,][0-9]+)*|(?:[.,][0-9]+)+)", text) or len(text) > 30:
        raise refusal(text, problems.NOT_A_NUMBER, example)
    if len(re.findall(r"[.,]", text)) > 1:
        raise refusal(text, problems.TWO_SEPARATORS, example)
    return Decimal(text.replace(",", "."))


def take_price(cursor: Cursor) -> tuple[int, bool] | None:
    """Micro-dollars, and whether a currency or an hour marks it as a price; None where no price stands.

    Raises RuleError for what is a price but not an acceptable one.
    """
    found = cursor.peek(_PRICE)
    if not found:
        return None
    number = found["number"]
    usd = decimal_of(number, "<=0.40")
    rest = Cursor(cursor.raw[found.end() :])
    rest.skip_spaces()
    if foreign(rest.word()):
        raise refusal(f"{found.group()} {rest.word()}", problems.OTHER_CURRENCY, "<=0.40")
    if usd <= 0:
        raise refusal(found.group(), problems.PRICE_ZERO, "<=0.40")
    if usd > HIGHEST_PRICE:
        raise refusal(found.group(), problems.PRICE_TOO_HIGH, "<=0.40")
    if len(re.sub(r"[0-9]*[.,]?", "", number, count=1)) > 6:
        raise refusal(found.group(), problems.PRICE_TOO_FINE, "<=0.40")
    cursor.at = found.end()
    return int(usd * MICRO), any(found[part] for part in ("before", "after", "hour"))


def price_problem(word: str) -> str:
    """Why a word that stands where a price should is none."""
    if foreign(word):
        return problems.OTHER_CURRENCY
    if re.match(r"(?:US ?\$|USD|\$)?-[0-9.,]", word, re.IGNORECASE):
        return problems.PRICE_ZERO
    return problems.NOT_A_PRICE


def take_number(cursor: Cursor, unit: str, example: str) -> tuple[Decimal, str]:
    """A number and the unit that may follow it (a pattern; a space may stand between), as it was written.

    Raises RuleError, also when something else than the unit is glued to the number.
    """
    value = cursor.take_value(example)
    found = _NUMBER.fullmatch(value)
    number, suffix = found.groups() if found else (value, "")
    if not number:
        raise refusal(value, problems.NOT_A_NUMBER, example)
    amount = decimal_of(number, example)
    if not suffix:
        spaced = cursor.take(re.compile(rf" *({unit}){BOUNDARY}", re.IGNORECASE)) if unit else None
        return amount, spaced.group(1) if spaced else ""
    if not unit or not re.fullmatch(unit, suffix, re.IGNORECASE):
        raise refusal(value, problems.UNKNOWN_UNIT, example)
    return amount, suffix


def whole(amount: Decimal, word: str, example: str, low: int = 1, high: int = LARGEST) -> int:
    """A whole number within bounds, both included. Raises RuleError."""
    if amount != amount.to_integral_value():
        raise refusal(word, problems.NOT_WHOLE, example)
    if not low <= amount <= high:
        raise refusal(word, problems.OUT_OF_RANGE, example)
    return int(amount)

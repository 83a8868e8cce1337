"""Amounts, shares and spans as people read them, in the language of the reader.

Never an `e`, never the noise of binary fractions, never a bare number where a unit belongs.
"""

from __future__ import annotations

from decimal import Decimal, localcontext

from babel.numbers import format_decimal

from market.money import MICRO

DIGITS = 400
"""Enough to write any finite float in full; the default of 28 would fail on what a broken market may send."""
CENT = Decimal("0.01")
"""From here on four decimals tell prices apart; below, all six are needed."""


def amount(micro_dollars: int | Decimal, language: str = "en") -> str:
    """Micro-dollars as dollars without a sign: `0.3500`, `1.40`, `1,234.50`; small amounts keep what matters."""
    with localcontext(prec=DIGITS):
        value = Decimal(micro_dollars) / MICRO
        if abs(value) >= 10:
            pattern = "#,##0.00"
        elif abs(value) >= 1:
            pattern = "#,##0.00##"
        elif abs(value) >= CENT:
            pattern = "#,##0.0000"
        else:
            pattern = "#,##0.0000##"
        return format_decimal(value, format=pattern, locale=language)


def usd(micro_dollars: int | Decimal, language: str = "en") -> str:
    """Micro-dollars with their currency: `US$ 0.3500`."""
    return f"US$ {amount(micro_dollars, language)}"


def plain(micro_dollars: int) -> str:
    """Micro-dollars as an exact number for a command line, whatever the reader's language: `0.4`, `11.25`."""
    with localcontext(prec=DIGITS):
        return f"{(Decimal(micro_dollars) / MICRO).normalize():f}"


def percent(ppm: int, language: str = "en") -> str:
    """Parts per million as per cent with one decimal, as the language writes it: `97.0 %`."""
    return f"{format_decimal(Decimal(ppm) / 10_000, format='#,##0.0', locale=language)} %"


def count(number: int, language: str = "en") -> str:
    """A number of things: `1,234`."""
    with localcontext(prec=DIGITS):
        return format_decimal(number, format="#,##0", locale=language)


def span(seconds: float) -> str:
    """A length of time in at most two units: `3 s`, `12 min`, `1 h 35 min`, `2 d 4 h`. Never negative.

    The abbreviations are the same in every language of the product.
    """
    whole = max(int(seconds), 0)
    if whole < 120:
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"

"""Amounts, shares and spans as people read them, in the language of the reader.

Never an `e`, never the noise of binary fractions, never a bare number where a unit belongs.
"""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_decimal

from market.money import MICRO


def amount(micro_dollars: int | Decimal, language: str = "en") -> str:
    """Micro-dollars as dollars without a sign: `0.3500`, `1.40`, `1,234.50`; small amounts keep what matters."""
    value = Decimal(micro_dollars) / MICRO
    if abs(value) >= 10:
        pattern = "#,##0.00"
    elif abs(value) >= 1:
        pattern = "#,##0.00##"
    else:
        pattern = "#,##0.0000##"
    return format_decimal(value, format=pattern, locale=language)


def usd(micro_dollars: int, language: str = "en") -> str:
    """Micro-dollars with their currency: `US$ 0.3500`."""
    return f"US$ {amount(micro_dollars, language)}"


def percent(ppm: int, language: str = "en") -> str:
    """Parts per million as per cent with one decimal, as the language writes it: `97.0 %`."""
    return f"{format_decimal(Decimal(ppm) / 10_000, format='#,##0.0', locale=language)} %"


def span(seconds: float) -> str:
    """A length of time in at most two units: `3 s`, `12 min`, `1 h 35 min`, `2 d 4 h`. Never negative."""
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

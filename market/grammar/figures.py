"""Figures of a rule as its text writes them, the same in every language."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from market.coverage import CountRange
from market.money import MICRO

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_ONE_PERCENT: Final = 10_000


def price_text(amount: int) -> str:
    """Micro-dollars as dollars with two to six decimals."""
    text = f"{Decimal(amount) / MICRO:.6f}"
    return text[:-4] + text[-4:].rstrip("0")


def duration_text(seconds: int) -> str:
    """Seconds in the largest unit that says them in a whole number."""
    return next(f"{seconds // size}{unit}" for unit, size in _UNITS if seconds % size == 0)


def counts_text(counts: CountRange) -> str:
    """A range of GPU counts: x4, x2-4, x4+."""
    low, high = counts
    if high is None:
        return f"x{low}+"
    return f"x{low}" if low == high else f"x{low}-{high}"


def percent_text(ppm: int) -> str:
    """Parts per million as per cent without needless zeros."""
    text = f"{Decimal(ppm) / _ONE_PERCENT:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def reliability_text(above_ppm: int) -> str:
    """A floor of reliability with its comparison, the shorter of two ways to say it: >95, >=98."""
    above, least = f">{percent_text(above_ppm)}", f">={percent_text(above_ppm + 1)}"
    return least if above_ppm < _ONE_PERCENT or len(least) < len(above) else above


def version_text(cuda: int) -> str:
    """A CUDA version, major * 1000 + minor, with its dot."""
    return f"{cuda // 1000}.{cuda % 1000}"

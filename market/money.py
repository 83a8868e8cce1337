"""Money as integer micro-dollars (1 US$ = 1,000,000), so that comparisons are exact and sums do not drift.

It refuses to be a general currency library: there is one currency, the US dollar, because both marketplaces quote it.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

MICRO = 1_000_000
"""Micro-dollars in one US dollar."""

HOURS_PER_MONTH = 720
"""Vast.ai quotes storage for a month of 720 hours; multiplying by it keeps prices with a disk exact."""


def micro(usd: float | int | str | Decimal) -> int:
    """US dollars as micro-dollars, rounded half to even.

    Raises ValueError when the amount is not a finite number: nan and inf defeat every comparison.
    """
    if isinstance(usd, float):
        if not math.isfinite(usd):
            raise ValueError(f"{usd} is not an amount of money")
        return round(usd * MICRO)
    try:
        amount = Decimal(usd)
        if not amount.is_finite():
            raise ValueError(f"{usd} is not an amount of money")
        return int((amount * MICRO).to_integral_value(rounding=ROUND_HALF_EVEN))
    except InvalidOperation as error:
        raise ValueError(f"{usd!r} is not an amount of money") from error


def dollars(amount: int) -> float:
    """Micro-dollars as US dollars, for JSON and display only; decisions stay with integers."""
    return amount / MICRO


def per_gpu(amount: int, gpu_count: int) -> float:
    """US dollars for one GPU of an offer whose whole price is `amount` micro-dollars, to the micro-dollar."""
    share = Decimal(amount) / gpu_count
    return float(share.to_integral_value(rounding=ROUND_HALF_EVEN) / MICRO)

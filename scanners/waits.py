"""How long a market is left alone after a failure: each kind has its own pace, and waits grow with chance in them."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Final

from scanners.errors import KeyRejected, QuotaExhausted, RateLimited, Retired, ScanError

LONGEST_S: Final = 600.0
KEY_S: Final = 600.0
RETIRED_S: Final = 3600.0
FIRST_GAPS: Final = 3.0
"""The first wait after a failure, in ordinary gaps; every further one is about twice as long."""


def wait_after(
    error: ScanError, *, failures: int, gap_s: float, slowest_s: float, now: datetime, chance: Random
) -> tuple[float, str]:
    """Seconds to wait after so many failures in a row, and why. `gap_s` is the ordinary gap between two queries."""
    match error:
        case QuotaExhausted():
            resets_at = error.resets_at or next_midnight(now)
            return max((resets_at - now).total_seconds(), gap_s), "the quota is used up; waiting for its reset"
        case KeyRejected():
            return KEY_S * chance.uniform(1.0, 1.1), "the key was rejected"
        case Retired():
            return RETIRED_S, "the endpoint was retired"
    growing = gap_s * FIRST_GAPS * 2.0 ** min(failures - 1, 30) * chance.uniform(1.0, 1.2)
    reason = f"waiting longer after {failures} failures in a row"
    if isinstance(error, RateLimited):
        return max(min(growing, LONGEST_S), error.retry_after or 0.0), reason
    # a market that is away for another reason is looked at as often as a healthy one would be at least
    return min(growing, LONGEST_S, slowest_s), reason


def next_midnight(at: datetime) -> datetime:
    """The next UTC midnight: when a day's quota starts afresh."""
    return (at + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)

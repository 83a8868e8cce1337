"""How long a market is left alone after a failure: each kind has its own pace, and waits grow with chance in them."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Final

from scanners.errors import KeyRejected, QuotaExhausted, RateLimited, Retired, ScanError

LONGEST_S: Final = 600.0
KEY_S: Final = 600.0
RETIRED_S: Final = 3600.0
DAY_S: Final = 86_400.0
"""No wait is longer, whatever a server says: each quota starts afresh within a day."""
FIRST_GAPS: Final = 3.0
"""The first wait after a failure, in ordinary gaps; every further one is about twice as long."""


def wait_after(
    error: ScanError, *, failures: int, gap_s: float, slowest_s: float, now: datetime, chance: Random
) -> tuple[float, str]:
    """Seconds to wait after so many failures in a row, and why. `gap_s` is the ordinary gap between two queries, and
    nothing is waited for shorter than that."""
    growing = max(min(gap_s * FIRST_GAPS * 2.0 ** min(failures - 1, 30) * chance.uniform(1.0, 1.2), LONGEST_S), gap_s)
    match error:
        case QuotaExhausted():
            left = ((error.resets_at or next_midnight(now)) - now).total_seconds()
            # a reset that is past by our clock was not one: the clocks differ, and asking on is no help
            return min(max(left, growing), max(DAY_S, gap_s)), "the quota is used up; waiting for its reset"
        case KeyRejected():
            return max(KEY_S, gap_s) * chance.uniform(1.0, 1.1), "the key was rejected"
        case Retired():
            return max(RETIRED_S, gap_s) * chance.uniform(1.0, 1.1), "the endpoint was retired"
        case RateLimited(retry_after=asked_s):
            return max(growing, min(asked_s or 0.0, DAY_S)), _growing(failures)
    # a market that is away for another reason is looked at as often as a healthy one would be at least
    return max(min(growing, slowest_s), gap_s), _growing(failures)


def _growing(failures: int) -> str:
    return f"waiting longer after {failures} failures in a row"


def next_midnight(at: datetime) -> datetime:
    """The next UTC midnight: when a day's quota starts afresh."""
    return (at + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)

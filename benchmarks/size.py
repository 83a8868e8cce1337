"""How much is measured: the sizes that the claims speak of, or a small look that only shows that all of it works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """Sizes of one run."""

    offers: int = 5_000
    rules: int = 10_000
    parses: int = 21
    scans: int = 150
    warm_up: int = 10
    """Scans before the first that counts."""
    passes: int = 51
    """Passes of the matching alone."""
    idle_s: float = 20.0
    kills: int = 50
    watched_s: float = 3 * 86_400.0
    """Virtual time in which scarce offers come and go."""


FULL = Size()
QUICK = Size(offers=400, rules=400, parses=3, scans=4, warm_up=2, passes=3, idle_s=1.0, kills=5, watched_s=4_500.0)

"""What either RunPod API says about one GPU type in one cloud at one pod size, and whether that is an offer.

The catalogue fills gaps with prices (0, or exactly 0.50), lists clouds that hold no machine, and spells its levels in
several ways; the rules for telling an offer from a filler stand here, apart from how the answer is spelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from market.offer import Stock

Level = Literal["none", "low", "medium", "high", "unknown"]

FILLER_USD: Final = 0.5
_NOTHING: Final = frozenset({"none", "out", "unavailable", "out_of_stock", "null", ""})
_STOCK: Final[dict[str, Stock]] = {"low": "low", "medium": "medium", "high": "high"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """One type in one cloud. Prices are US$ an hour: `price` and `other_price` for one GPU, `pod_price` for all."""

    type_id: str
    name: str
    memory_gb: float | None
    offered: bool
    """The flag of this cloud. It is no sign of stock."""
    price: float | None
    other_price: float | None
    """The price in the other cloud, which helps to see fillers."""
    most: int | None
    """The biggest pod, which is the biggest machine and no level of stock; None when not told."""
    level: Level
    word: str = ""
    """The level as it was written, for a level that is not understood."""
    pod_price: float | None = None
    needs_pod_price: bool = False
    """The answer tells a price only while there is something to rent (GraphQL)."""
    data_centers: tuple[str, ...] | None = ()
    """Those with stock; None where Secure Cloud does not say. Community Cloud has none."""
    cuda: int | None = None
    """Highest version of any host, major * 1000 + minor."""

    def sellable(self, gpu_count: int) -> bool:
        """Whether this cloud rents out such pods at all, whatever is left now."""
        return (
            self.offered
            and self.price is not None
            and math.isfinite(self.price)
            and self.price > 0
            and (self.most is None or self.most >= gpu_count)
            and not (self.price == FILLER_USD and self.other_price == FILLER_USD)
        )

    @property
    def stock(self) -> Stock | None:
        """The level if something can be rented now; None otherwise, and when nobody knows."""
        if self.needs_pod_price and self.pod_price is None:
            return None
        return _STOCK.get(self.level)


def level(word: Any) -> Level:
    """The level that `word` of an answer means; a word never heard of is no statement."""
    if word is None:
        return "none"
    folded = str(word).strip().lower().replace(" ", "_")
    if folded in _NOTHING:
        return "none"
    return _STOCK.get(folded, "unknown")


def cuda(version: str) -> int | None:
    """ "12.8" as 12,008; None for what is no version."""
    major, _, minor = version.partition(".")
    if not (major.isascii() and major.isdigit() and len(major) < 4):
        return None
    if minor and not (minor.isascii() and minor.isdigit() and len(minor) < 4):
        return None
    return int(major) * 1000 + int(minor or 0)

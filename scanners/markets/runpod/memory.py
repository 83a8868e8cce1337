"""What this process remembers of earlier answers, to see when a new one cannot be believed.

It refuses to guess after a restart: without memory an answer is taken as it is.
"""

from __future__ import annotations

from typing import Final

from market.offer import Tier
from scanners.markets.runpod.listing import FILLER_USD

SANE_RATIO: Final = 1.6
"""A price of exactly 0.50 is doubted where the last real one was more than this many times as high."""
POLLS_TO_BELIEVE: Final = 3
REAL_LIST: Final = 20
"""A catalogue of at least so many types is known to be a whole one (RunPod lists about 50)."""
SHORT_LISTS_TO_BELIEVE: Final = 10


class Memory:
    """Last real prices and the length of the last good list."""

    def __init__(self) -> None:
        self._prices: dict[tuple[str, Tier], float] = {}
        self._fillers: dict[tuple[str, Tier, int], int] = {}
        self._length = 0
        self._short = 0

    def believes_price(self, type_id: str, tier: Tier, gpu_count: int, price: float) -> bool:
        """Note the price of one GPU and say whether it can be true; a doubtful one is believed the third time."""
        place, poll = (type_id, tier), (type_id, tier, gpu_count)
        last = self._prices.get(place)
        if price == FILLER_USD and last is not None and last > SANE_RATIO * FILLER_USD:
            self._fillers[poll] = self._fillers.get(poll, 0) + 1
            if self._fillers[poll] < POLLS_TO_BELIEVE:
                return False
        self._fillers.pop(poll, None)
        self._prices[place] = price
        return True

    def believes_length(self, types: int) -> bool:
        """Whether a list of so many types can be whole: one that lost more than half is a fault, for a good while."""
        if self._length >= REAL_LIST and types * 2 < self._length:
            self._short += 1
            if self._short < SHORT_LISTS_TO_BELIEVE:
                return False
        self._short = 0
        self._length = types
        return True

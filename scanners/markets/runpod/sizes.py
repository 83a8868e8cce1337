"""Which pod sizes a rule needs asked for: each is a question of its own, and every GPU of a pod costs the same.

A pod that is on offer implies the smaller ones, so an open range is asked for at the sizes that machines have.
"""

from __future__ import annotations

from typing import Final

from market.coverage import CountRange

USUAL: Final = (1, 2, 4, 8)
MOST: Final = 10
"""The most GPUs of an ordinary pod: where a bounded range ends that goes beyond."""


def sizes(counts: CountRange) -> tuple[int, ...]:
    """The sizes to ask for, ascending: all of a bounded range, the lower end and the usual ones of an open range."""
    low, high = counts
    if high is None:
        return tuple(sorted({low, *(size for size in USUAL if size > low)}))
    return tuple(range(low, max(min(high, MOST), low) + 1))

"""Stretches of time, and the little algebra on them.

Sorted, disjoint, half-open pairs (start, end) of epoch milliseconds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Interval = tuple[int, int]
Intervals = list[Interval]


def merged(parts: Iterable[Interval]) -> Intervals:
    """All of these stretches as one; empty and reversed ones count for nothing."""
    result: Intervals = []
    for start, end in sorted(parts):
        if end <= start:
            continue
        if result and start <= result[-1][1]:
            if end > result[-1][1]:
                result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result


def common(one: Intervals, other: Intervals) -> Intervals:
    """What lies in both."""
    result: Intervals = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            result.append((start, end))
        if one[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return result


def without(one: Intervals, other: Intervals) -> Intervals:
    """What lies in `one` and not in `other`."""
    result: Intervals = []
    j = 0
    for start, end in one:
        while j < len(other) and other[j][1] <= start:
            j += 1
        k = j
        while k < len(other) and other[k][0] < end:
            if start < other[k][0]:
                result.append((start, other[k][0]))
            start = max(start, other[k][1])
            k += 1
        if start < end:
            result.append((start, end))
    return result


def length(parts: Intervals) -> int:
    """Milliseconds in all."""
    return sum(end - start for start, end in parts)


def latest_within(parts: Intervals, moment: int, back: int) -> int | None:
    """The latest moment of `parts` in (moment - back, moment]; None if there is none."""
    index = bisect_right(parts, (moment, 2**63)) - 1
    if index < 0:
        return None
    last = min(moment, parts[index][1] - 1)
    return last if last > moment - back else None


def clipped(parts: Iterable[Interval], start: int, end: int) -> Intervals:
    """What lies between two moments, merged."""
    return merged((max(one, start), min(other, end)) for one, other in parts)

"""Which questions all rules together need: many rules become few probes.

Where machines that are known already can be kept out of an answer, a looser question costs hardly a row more: then one
question for each number of GPUs serves every card, tier and ceiling, and a further rule on what is watched costs not
one request. Where they cannot, cards, tiers, verification and terms stay apart, so that a question asked for a cheap
card never shows every offer of a dear one. What a merged answer shows beyond a single rule is sorted out by the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from market.coverage import CountRange, Coverage

SIZES = (1, 2, 4, 8)
"""Numbers of GPUs that most offers have: each is asked for by itself."""
REST: CountRange = (3, None)
"""All other sizes of an open range."""

WIDEST = 8
"""A bounded range of so many sizes at most is asked for size by size."""

NEAR = 2
"""Ceilings up to so many times as high count as near."""

Group = tuple[object, ...]
"""What questions must have in common to become one."""


def merged(wanted: Iterable[Coverage], *, lean: bool, near: bool = False) -> Mapping[Coverage, tuple[Coverage, ...]]:
    """For each question that a rule needs, the questions that are asked instead.

    `lean`: machines that are known already are kept out of the answers. `near`: even so, only ceilings near one another
    share a question, because too many offers come that nobody wants.
    """
    pieces = {each: tuple(_pieces(each)) if lean else (each,) for each in dict.fromkeys(wanted)}
    every = dict.fromkeys(part for parts in pieces.values() for part in parts)
    group_of = _near_groups(every) if lean and near else {part: _group(part, lean=lean) for part in every}
    groups: dict[Group, Coverage] = {}
    for part, group in group_of.items():
        other = groups.get(group)
        groups[group] = part if other is None else loosest(other, part)
    return {each: tuple(dict.fromkeys(groups[group_of[part]] for part in parts)) for each, parts in pieces.items()}


def sizes(counts: CountRange) -> tuple[CountRange, ...]:
    """A range of numbers of GPUs as the ranges that are asked for one by one; the last may be open."""
    low, high = counts
    if high is not None and high - low < WIDEST:
        return tuple((count, count) for count in range(low, high + 1))
    singles = [(size, size) for size in SIZES if size >= low]
    rest = max(low, REST[0])
    return (*singles, (rest, high))


def loosest(one: Coverage, other: Coverage) -> Coverage:
    """A question that shows whatever one of the two shows. Both are about one market and the same sizes."""
    return replace(
        one,
        tiers=one.tiers | other.tiers,
        cards=None if one.cards is None or other.cards is None else one.cards | other.cards,
        ceiling=_looser_ceiling(one, other),
        disk_gb=min(one.disk_gb, other.disk_gb),
        reliability_above=_lower(one.reliability_above, other.reliability_above),
        verified_only=one.verified_only and other.verified_only,
        min_vram_gb=_lower(one.min_vram_gb, other.min_vram_gb),
        min_down_mbps=_lower(one.min_down_mbps, other.min_down_mbps),
        min_duration_s=_lower(one.min_duration_s, other.min_duration_s),
        countries=one.countries | other.countries if one.countries and other.countries else frozenset(),
        not_countries=one.not_countries & other.not_countries,
    )


def serves(wide: Coverage, narrow: Coverage) -> bool:
    """Whether a question shows every offer that the other one asks for, but for machines that are known already."""
    return (
        wide.market == narrow.market
        and wide.tiers >= narrow.tiers
        and (wide.cards is None or (narrow.cards is not None and wide.cards >= narrow.cards))
        and _reaches(wide, narrow)
        and wide.machines is None
        and wide.machine_range is None
        and (narrow.verified_only or not wide.verified_only)
        and wide.disk_gb <= narrow.disk_gb
        and _no_higher(wide.reliability_above, narrow.reliability_above)
        and _no_higher(wide.min_vram_gb, narrow.min_vram_gb)
        and _no_higher(wide.min_down_mbps, narrow.min_down_mbps)
        and _no_higher(wide.min_duration_s, narrow.min_duration_s)
        and (not wide.countries or (bool(narrow.countries) and wide.countries >= narrow.countries))
        and wide.not_countries <= narrow.not_countries
    )


def _pieces(wanted: Coverage) -> Iterable[Coverage]:
    """A range size by size: a machine that is known with one size must not hide its other sizes."""
    yield from (replace(wanted, counts=counts) for counts in sizes(wanted.counts))


def _group(part: Coverage, *, lean: bool) -> Group:
    if lean:
        return part.market, part.counts, part.cards is None
    terms = part.terms if part.ceiling is not None else None
    return part.market, part.counts, part.cards, part.tiers, part.verified_only, terms


def _near_groups(parts: Iterable[Coverage]) -> dict[Coverage, Group]:
    """Groups in which no ceiling is more than twice as high as another; terms and questions without one stay apart."""
    rows: dict[Group, list[Coverage]] = {}
    for part in parts:
        terms = part.terms if part.ceiling is not None else None
        rows.setdefault((*_group(part, lean=True), terms, part.ceiling is None), []).append(part)
    found: dict[Coverage, Group] = {}
    for group, row in rows.items():
        lowest = 0
        for part in sorted(row, key=lambda each: each.ceiling or 0):
            ceiling = part.ceiling or 0
            if ceiling > NEAR * lowest:
                lowest = ceiling
            found[part] = (*group, lowest)
    return found


def _looser_ceiling(one: Coverage, other: Coverage) -> int | None:
    """The higher one; none where the two speak of different prices."""
    if one.ceiling is None or other.ceiling is None or one.terms != other.terms:
        return None
    return max(one.ceiling, other.ceiling)


def _lower(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else min(one, other)


def _reaches(wide: Coverage, narrow: Coverage) -> bool:
    """Whether it asks for as many GPUs, and for prices as high."""
    (low, high), (least, most) = wide.counts, narrow.counts
    if low > least or (high is not None and (most is None or high < most)):
        return False
    if wide.ceiling is None:
        return True
    return narrow.ceiling is not None and wide.ceiling >= narrow.ceiling and wide.terms == narrow.terms


def _no_higher(wide: int | None, narrow: int | None) -> bool:
    return wide is None or (narrow is not None and wide <= narrow)

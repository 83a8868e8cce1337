"""Which queries Vast.ai is asked: probes for rules, the census of cards, the confirmation of single offers.

A ceiling for each GPU can be filtered by the server for one GPU count alone, because it compares the price of the
whole offer; such a rule is asked count by count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from market.coverage import CountRange, Coverage
from market.offer import Offer, Tier
from market.probing import sizes
from market.rule import Rule
from scanners.markets.vast.ask import NAME

BOTH_TIERS: Final[frozenset[Tier]] = frozenset({"datacenter", "community"})
WORTH_OPENING: Final = 3
"""From so many queries on, one broad one is quicker for a first look."""
MACHINES_AT_ONCE: Final = 50
NEXT_TO_NOTHING: Final = 1_000
"""Micro-dollars an hour: nothing is that cheap, so asking for it costs no rows."""


def probes(rule: Rule) -> tuple[Coverage, ...]:
    """The rule's own filters as queries; none when the rule keeps Vast.ai out."""
    tiers = rule.tiers(NAME)
    if not tiers or rule.data_centers:
        return ()
    return tuple(
        Coverage(
            market=NAME,
            tiers=tiers,
            cards=rule.card_names(),
            counts=counts,
            ceiling=ceiling,
            terms=rule.terms,
            disk_gb=rule.disk_gb,
            reliability_above=rule.reliability_above,
            verified_only=not rule.unverified,
            min_vram_gb=_least_vram(rule),
            min_down_mbps=rule.min_down_mbps,
            min_duration_s=rule.min_duration_s,
            countries=rule.countries,
            not_countries=rule.not_countries,
        )
        for counts, ceiling in _sizes(rule)
    )


def opening(rule: Rule) -> Coverage | None:
    """All sizes at any price in one query, for a rule that is asked size by size; None for any other."""
    asked = probes(rule)
    if len(asked) < WORTH_OPENING:
        return None
    return replace(asked[0], counts=rule.counts, ceiling=None)


def _sizes(rule: Rule) -> Iterator[tuple[CountRange, int | None]]:
    """GPU counts and the ceiling of the whole offer that can be asked for in one query."""
    if rule.ceiling is None or rule.ceiling_is_total:
        yield rule.counts, rule.ceiling
        return
    for low, high in sizes(rule.counts):
        yield (low, high), rule.offer_ceiling(low) if low == high else None


def _least_vram(rule: Rule) -> int | None:
    """The memory that every match has at least: a size beside one name of several binds that name alone."""
    floor = rule.min_vram_gb or 0
    sizes = [max(choice.vram_gb or 0, floor) for choice in rule.choices]
    return min(sizes, default=floor) or None


def census(cards: Sequence[str]) -> tuple[Coverage, ...]:
    """The full picture of each card, or of the whole verified book when none is named."""
    if not cards:
        return (Coverage(market=NAME, tiers=BOTH_TIERS),)
    return tuple(Coverage(market=NAME, tiers=BOTH_TIERS, cards=frozenset({card})) for card in dict.fromkeys(cards))


def confirm(offers: Sequence[Offer]) -> tuple[Coverage, ...]:
    """Whether these machines still offer that many GPUs, at any price and reliability."""
    machines: dict[int, set[str]] = {}
    for offer in offers:
        if offer.market == NAME:
            machines.setdefault(offer.gpu_count, set()).add(offer.machine)
    return tuple(
        Coverage(
            market=NAME,
            tiers=BOTH_TIERS,
            counts=(count, count),
            machines=frozenset(ordered[start : start + MACHINES_AT_ONCE]),
            verified_only=False,
        )
        for count in sorted(machines)
        if (ordered := sorted(machines[count]))
        for start in range(0, len(ordered), MACHINES_AT_ONCE)
    )


def heartbeat() -> Coverage:
    """A query that costs hardly a row; its ceiling keeps its silence from meaning anything."""
    return Coverage(market=NAME, tiers=BOTH_TIERS, counts=(1, 1), ceiling=NEXT_TO_NOTHING)

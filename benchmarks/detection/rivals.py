"""Fixed pollers, as public tools do it: a list of queries at a fixed pace, by the same adapters under the same quotas.

They are helped where it can be: they keep the smallest spacing, so that no request is refused for its pace, they tell
of an offer the moment an answer shows it, and they never wait for a second look. What they do not do is plan the day's
rows: when those are used up, every further request of the day is refused and lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from benchmarks.detection.account import Account, Quota, Spending, opened
from benchmarks.detection.course import pass_by
from benchmarks.detection.scene import SIZES, watches
from benchmarks.detection.windows import Sightings, Window
from benchmarks.detection.world import furnished
from market.coverage import Coverage
from market.matching import WatchIndex
from market.rule import Rule
from scanners.errors import ScanError
from scanners.registry import Marketplace

LEAST_S: Final = 30.0
"""A filtered poller asks no rule more often."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Habit:
    """How a fixed poller asks."""

    name: str
    each_s: float
    """Seconds from one round of its queries to the next, if the spacing allows."""
    filtered: bool
    """By one query a rule; else by every offer of the watched cards."""


FULL_5: Final = Habit(name="every offer each 5 min", each_s=300.0, filtered=False)
FULL_30: Final = Habit(name="every offer each 30 min", each_s=1_800.0, filtered=False)
FILTERED: Final = Habit(name="one query a rule", each_s=LEAST_S, filtered=True)
HABITS: Final = (FULL_5, FULL_30, FILTERED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """One query, and the rules that its answers are held against."""

    coverage: Coverage
    index: WatchIndex


async def polled(
    habit: Habit, rules: list[Rule], windows: Sequence[Window], seconds: float, *, quota: Quota, seed: int
) -> tuple[Sightings, Mapping[str, Spending]]:
    """The poller lives through these windows: what it told of, and what it spent."""
    sightings = Sightings(windows)
    async with opened(furnished(windows, seed), quota, pod_sizes=SIZES) as account:
        rounds = {
            name: _Round(account, market, _queries(habit, market, rules), habit.each_s, sightings)
            for name, market in account.markets.items()
        }
        await pass_by(account.clock, {name: each.turn for name, each in rounds.items()}, seconds)
    return sightings, dict(account.spent)


def _queries(habit: Habit, market: Marketplace, rules: list[Rule]) -> tuple[Query, ...]:
    """Every offer of the watched cards is held against all rules, the answer to a rule's own query against that one."""
    if habit.filtered:
        return tuple(
            Query(coverage=coverage, index=WatchIndex([watch]))
            for watch in watches(rules)
            for coverage in _of_rule(market, watch.rule)
        )
    index = WatchIndex(watches(rules))
    cards = frozenset[str]().union(*(rule.card_names() or () for rule in rules))
    return tuple(Query(coverage=coverage, index=index) for coverage in market.census(sorted(cards)))


def _of_rule(market: Marketplace, rule: Rule) -> Iterator[Coverage]:
    """One query a size: Vast.ai compares the price of a whole offer, and RunPod is asked for one cloud and size."""
    tiers, (low, high) = rule.tiers(market.name), rule.counts
    on_vast = market.name == "vast"
    if not tiers or (rule.terms == "interruptible" and not on_vast):
        return
    for size in SIZES:
        if low <= size and (high is None or size <= high):
            for group in (tiers,) if on_vast else tuple(frozenset({tier}) for tier in sorted(tiers)):
                plain = Coverage(market=market.name, tiers=group, counts=(size, size))
                yield (
                    plain
                    if not on_vast
                    else replace(
                        plain,
                        cards=rule.card_names(),
                        ceiling=rule.offer_ceiling(size),
                        terms=rule.terms,
                        disk_gb=rule.disk_gb,
                        reliability_above=rule.reliability_above,
                        verified_only=not rule.unverified,
                    )
                )


class _Round:
    """One market's queries, one after another, again and again."""

    def __init__(
        self,
        account: Account,
        market: Marketplace,
        queries: Sequence[Query],
        each_s: float,
        sightings: Sightings,
    ) -> None:
        self._clock = account.clock
        self._market = market
        self._queries = queries
        self._spacing = account.quota.spacing(market.name)
        self._each_s = max(each_s, self._spacing * len(queries))
        self._sightings = sightings
        self._next = 0
        self._began = 0.0

    async def turn(self) -> float:
        """Ask the next query; the seconds until the one after it."""
        if self._next == 0:
            self._began = self._clock.monotonic()
        await self._ask(self._queries[self._next])
        self._next = (self._next + 1) % len(self._queries)
        if self._next:
            return self._spacing
        return max(self._began + self._each_s - self._clock.monotonic(), self._spacing)

    async def _ask(self, query: Query) -> None:
        try:
            snapshot = await self._market.scan(query.coverage)
        except ScanError:
            return  # lost; the simulator has counted it
        now = snapshot.taken_at
        found = [offer.key for offer in snapshot.offers if any(query.index.hits(offer, now))]
        self._sightings.tell(found, self._clock.monotonic())

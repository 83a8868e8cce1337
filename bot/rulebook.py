"""The active watches and the questions that they need, worked out once until a watch changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from market.alerting import Pass
from market.coverage import Coverage
from market.matching import WatchIndex
from market.probing import merged
from market.watch import Watch
from scanners.registry import Marketplace


@dataclass(frozen=True, kw_only=True, slots=True)
class Rulebook:
    """Rules as an index, and the questions that all of them together need."""

    index: WatchIndex
    queries: Mapping[str, Mapping[int, tuple[Coverage, ...]]]
    """Market to watch id to the questions there that serve its rule."""
    passes: Mapping[str, Mapping[int, Pass]]
    """Market to watch id to what its first pass asks there."""
    openings: Mapping[str, Mapping[str, Coverage]]
    """Market to the openings of first passes, by their text."""
    probes: Mapping[str, tuple[Coverage, ...]]
    """Market to the different questions that all rules together need there."""
    cards: frozenset[str]
    """Every card that a rule names."""

    @classmethod
    def of(
        cls,
        watches: Iterable[Watch],
        markets: Iterable[Marketplace],
        *,
        lean: Collection[str] = frozenset(),
        near: Collection[str] = frozenset(),
    ) -> Rulebook:
        """Work out the questions of all active watches. `lean` markets keep machines that are known out of answers; in
        `near` ones only rules with like ceilings share a question."""
        active = [watch for watch in watches if watch.state == "active"]
        rules = dict.fromkeys(watch.rule for watch in active)
        queries: dict[str, dict[int, tuple[Coverage, ...]]] = {}
        passes: dict[str, dict[int, Pass]] = {}
        openings: dict[str, dict[str, Coverage]] = {}
        probes: dict[str, tuple[Coverage, ...]] = {}
        for market in markets:
            own = {rule: market.probes(rule) for rule in rules}
            every = (each for wanted in own.values() for each in wanted)
            instead = merged(every, lean=market.name in lean, near=market.name in near)
            served = {
                rule: tuple(dict.fromkeys(each for piece in wanted for each in instead[piece]))
                for rule, wanted in own.items()
            }
            narrow = {rule: opening for rule in rules if (opening := market.opening(rule)) is not None}
            broad = merged(narrow.values(), lean=False)
            first = {rule: broad[opening][0] for rule, opening in narrow.items()}
            pass_of = {
                rule: Pass(
                    queries=frozenset(each.to_text() for each in served[rule]),
                    opening=first[rule].to_text() if rule in first else None,
                )
                for rule in rules
            }
            probes[market.name] = tuple(dict.fromkeys(each for asked in instead.values() for each in asked))
            queries[market.name] = {watch.id: served[watch.rule] for watch in active}
            passes[market.name] = {watch.id: pass_of[watch.rule] for watch in active}
            openings[market.name] = {each.to_text(): each for each in first.values()}
        named = [names for rule in rules if (names := rule.card_names()) is not None]
        return cls(
            index=WatchIndex(active),
            queries=queries,
            passes=passes,
            openings=openings,
            probes=probes,
            cards=frozenset().union(*named),
        )

    def urgent(self, market: str, failing: AbstractSet[str]) -> tuple[Coverage, ...]:
        """The questions that new rules' first passes wait for: an opening where there is one, else the rule's own. One
        that has failed lately is left to its ordinary turn."""
        wanted: dict[str, Coverage] = {}
        for watch_id in self.index.waiting(market):
            answered, first = self.index.by_id[watch_id].answered, self.passes[market][watch_id]
            if first.opening is not None and first.opening not in answered | failing:
                wanted[first.opening] = self.openings[market][first.opening]
                continue
            for each in self.queries[market][watch_id]:
                if each.to_text() not in answered | failing:
                    wanted[each.to_text()] = each
        return tuple(wanted.values())

"""Between the store and the core: the active rules as an index, and what each market is to be asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from market.alerting import Decision, Event, Pass, Policy, decide
from market.coverage import Coverage
from market.matching import WatchIndex
from market.offer import Offer
from market.watch import Memory, Watch
from scanners.agenda import Agenda
from scanners.registry import Marketplace


@dataclass(frozen=True, kw_only=True, slots=True)
class Rulebook:
    """The active watches and the queries that each needs, worked out once until a watch changes."""

    index: WatchIndex
    queries: Mapping[str, Mapping[int, tuple[Coverage, ...]]]
    """Market to watch id to the rule's queries there."""
    passes: Mapping[str, Mapping[int, Pass]]
    """Market to watch id to what its first pass asks there."""
    openings: Mapping[str, Mapping[str, Coverage]]
    """Market to the openings of first passes, by their text."""

    @classmethod
    def of(cls, watches: Iterable[Watch], markets: Iterable[Marketplace]) -> Rulebook:
        """Work out the queries of all active watches."""
        active = [watch for watch in watches if watch.state == "active"]
        queries: dict[str, dict[int, tuple[Coverage, ...]]] = {}
        passes: dict[str, dict[int, Pass]] = {}
        openings: dict[str, dict[str, Coverage]] = {}
        for market in markets:
            # many people watch the same: equal rules share their queries
            by_rule = {watch.rule: market.probes(watch.rule) for watch in active}
            first = {rule: market.opening(rule) for rule in by_rule}
            pass_of = {
                rule: Pass(
                    queries=frozenset(each.to_text() for each in wanted),
                    opening=None if (opening := first[rule]) is None else opening.to_text(),
                )
                for rule, wanted in by_rule.items()
            }
            queries[market.name] = {watch.id: by_rule[watch.rule] for watch in active}
            passes[market.name] = {watch.id: pass_of[watch.rule] for watch in active}
            openings[market.name] = {each.to_text(): each for each in first.values() if each is not None}
        return cls(index=WatchIndex(active), queries=queries, passes=passes, openings=openings)

    def cards(self) -> frozenset[str]:
        """Every card that a rule names."""
        names = [watch.rule.card_names() for watch in self.index.by_id.values()]
        return frozenset().union(*(each for each in names if each is not None))

    def probes(self, market: str) -> tuple[Coverage, ...]:
        """The different queries that all rules together need of a market."""
        return tuple({each.to_text(): each for wanted in self.queries[market].values() for each in wanted}.values())

    def urgent(self, market: str, failing: AbstractSet[str]) -> tuple[Coverage, ...]:
        """The queries that new rules' first passes wait for: an opening where there is one, else the rule's own. One
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


@dataclass(slots=True)
class Judge:
    """Decides on each stored snapshot, and keeps what is in doubt until an answer settles it."""

    policy: Policy
    markets: Mapping[str, Marketplace]
    recorded: tuple[str, ...] = ()
    """Cards to record although nobody watches them."""
    plan: Rulebook = field(init=False)
    """What is asked: as of the last time the watches were looked up."""
    _judged: tuple[Watch, ...] = ()
    _book: Rulebook = field(init=False)
    """What is judged by: the watches that the store hands over inside the transaction, never older ones."""
    _doubtful: dict[str, Offer] = field(default_factory=dict)
    _ailing: dict[str, Offer] = field(default_factory=dict)
    _failing: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.plan = self._book = Rulebook.of((), self.markets.values())

    def take_up(self, watches: Iterable[Watch]) -> None:
        """Plan by the watches as they are now."""
        self.plan = Rulebook.of(watches, self.markets.values())

    def decide(self, event: Event, memory: Memory, watches: tuple[Watch, ...]) -> Decision:
        """The decision on an event. `watches` is the same object until one of them changes."""
        if watches is not self._judged:
            self._book, self._judged = Rulebook.of(watches, self.markets.values()), watches
            self.plan = self._book
        passes = self._passes(event.snapshot.market)
        decision = decide(event, index=self._book.index, memory=memory, policy=self.policy, passes=passes)
        if decision.watches:
            self.plan = replace(self._book, index=self._book.index.updated(decision.watches))
        return decision

    def _passes(self, market: str) -> Mapping[int, Pass]:
        """What first passes still wait for: a query that fails must not keep a rule silent about the others."""
        passes = self._book.passes.get(market, {})
        waiting = {watch_id: passes[watch_id] for watch_id in self._book.index.waiting(market)}
        if not self._failing:
            return waiting
        return {
            watch_id: replace(each, queries=left) if (left := each.queries - self._failing) else each
            for watch_id, each in waiting.items()
        }

    def failed(self, coverage: Coverage) -> None:
        """A query was not answered; until it is, no first pass waits for it."""
        self._failing = self._failing | {coverage.to_text()}

    def note(self, event: Event, memory: Memory, decision: Decision) -> None:
        """Remember what an answer left in doubt, and what episodes still have to see confirmed as gone."""
        changes = event.changes
        if self._failing:
            self._failing = self._failing - {event.snapshot.coverage.to_text()}
        answered = event.snapshot.keys() | {offer.key for offer in changes.gone} if self._doubtful else frozenset()
        doubtful = {key: offer for key, offer in self._doubtful.items() if key not in answered}
        doubtful.update({offer.key: offer for offer in changes.doubtful})
        decided = {(episode.watch_id, episode.card) for episode in decision.episodes} | set(decision.ended)
        before = [
            memory.episodes[place].missing.get(key)
            for key in memory.ailing
            for place in memory.by_key[key]
            if place not in decided
        ]
        after = [missing for episode in decision.episodes for missing in episode.missing.values()]
        lost = [missing.last for missing in (*before, *after) if missing is not None]
        self._doubtful, self._ailing = doubtful, {offer.key: offer for offer in lost}

    def cards(self) -> tuple[str, ...]:
        """The cards whose full picture is wanted: those of rules, and those that are recorded anyway."""
        return tuple(sorted(self.plan.cards() | set(self.recorded)))

    def agenda(self, market: str) -> Agenda:
        """What is wanted of one market now."""
        marketplace = self.markets[market]
        cards = self.cards()
        uncertain = {**self._doubtful, **self._ailing}
        return Agenda(
            probes=self.plan.probes(market),
            urgent=self.plan.urgent(market, self._failing),
            censuses=marketplace.census(cards) if cards else (),
            doubtful=tuple(offer for offer in uncertain.values() if offer.market == market),
        )

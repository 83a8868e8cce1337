"""Between the store and the core: the active rules as an index, and what each market is to be asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from market.alerting import Decision, Event, Policy, decide
from market.coverage import Coverage
from market.matching import WatchIndex
from market.offer import Offer
from market.watch import Memory, Watch
from scanners.poller import Agenda
from scanners.registry import Marketplace


@dataclass(frozen=True, kw_only=True, slots=True)
class Rulebook:
    """The active watches and the queries that each needs, worked out once until a watch changes."""

    index: WatchIndex
    queries: Mapping[str, Mapping[int, tuple[Coverage, ...]]]
    """Market to watch id to the rule's queries there."""
    texts: Mapping[str, Mapping[int, frozenset[str]]]
    """The same as texts."""

    @classmethod
    def of(cls, watches: Iterable[Watch], markets: Iterable[Marketplace]) -> Rulebook:
        """Work out the queries of all active watches."""
        active = [watch for watch in watches if watch.state == "active"]
        queries: dict[str, dict[int, tuple[Coverage, ...]]] = {}
        texts: dict[str, dict[int, frozenset[str]]] = {}
        for market in markets:
            # many people watch the same: equal rules share their queries
            by_rule = {watch.rule: market.probes(watch.rule) for watch in active}
            named = {rule: frozenset(each.to_text() for each in wanted) for rule, wanted in by_rule.items()}
            queries[market.name] = {watch.id: by_rule[watch.rule] for watch in active}
            texts[market.name] = {watch.id: named[watch.rule] for watch in active}
        return cls(index=WatchIndex(active), queries=queries, texts=texts)

    def cards(self) -> frozenset[str]:
        """Every card that a rule names."""
        names = [watch.rule.card_names() for watch in self.index.by_id.values()]
        return frozenset().union(*(each for each in names if each is not None))

    def probes(self, market: str) -> tuple[Coverage, ...]:
        """The different queries that all rules together need of a market."""
        return tuple({each.to_text(): each for wanted in self.queries[market].values() for each in wanted}.values())

    def urgent(self, market: str) -> frozenset[str]:
        """Texts of the queries that a new rule's first pass still waits for."""
        waiting = [
            texts - self.index.by_id[watch_id].answered
            for watch_id, texts in self.texts[market].items()
            if market not in self.index.by_id[watch_id].passed
        ]
        return frozenset().union(*waiting)


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
        texts = self._book.texts.get(event.snapshot.market, {})
        decision = decide(event, index=self._book.index, memory=memory, policy=self.policy, passes=texts)
        if decision.watches:
            self.plan = replace(self._book, index=self._book.index.updated(decision.watches))
        return decision

    def note(self, event: Event, memory: Memory, decision: Decision) -> None:
        """Remember what an answer left in doubt, and what episodes still have to see confirmed as gone."""
        changes = event.changes
        doubtful = dict(self._doubtful)
        if doubtful:
            for offer in (*event.snapshot.offers, *changes.gone):
                doubtful.pop(offer.key, None)
        doubtful.update({offer.key: offer for offer in changes.doubtful})
        decided = {(episode.watch_id, episode.card) for episode in decision.episodes} | set(decision.ended)
        before = [
            memory.episodes[place].members[key]
            for key in memory.ailing
            for place in memory.by_key[key]
            if place not in decided
        ]
        after = [member for episode in decision.episodes for member in episode.members.values()]
        missing = [member.last for member in (*before, *after) if member.misses and member.last is not None]
        self._doubtful, self._ailing = doubtful, {offer.key: offer for offer in missing}

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
            urgent=self.plan.urgent(market),
            censuses=marketplace.census(cards) if cards else (),
            doubtful=tuple(offer for offer in uncertain.values() if offer.market == market),
        )

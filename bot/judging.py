"""Between the store and the core: the active rules as an index, and what each market is to be asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from market.alerting import Decision, Event, Policy, decide
from market.coverage import Coverage
from market.matching import WatchIndex
from market.offer import Offer
from market.snapshot import Snapshot
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
        queries = {market.name: {watch.id: market.probes(watch.rule) for watch in active} for market in markets}
        texts = {
            name: {watch_id: frozenset(each.to_text() for each in wanted) for watch_id, wanted in by_watch.items()}
            for name, by_watch in queries.items()
        }
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
    """Decides on each stored snapshot, and keeps what is in doubt until an answer settles it.

    `read` and `decide` run under the store's writer lock, so that a rule is never judged by an old record of it.
    """

    policy: Policy
    markets: Mapping[str, Marketplace]
    recorded: tuple[str, ...] = ()
    """Cards to record although nobody watches them."""
    book: Rulebook = field(init=False)
    _doubtful: dict[str, Offer] = field(default_factory=dict)
    _ailing: dict[str, Offer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.read(())

    def read(self, watches: Iterable[Watch]) -> None:
        """Take up the watches as they are now."""
        self.book = Rulebook.of(watches, self.markets.values())

    def decide(self, event: Event, memory: Memory) -> Decision:
        """The decision on an event, with the rules as last read."""
        texts = self.book.texts.get(event.snapshot.market, {})
        decision = decide(event, index=self.book.index, memory=memory, policy=self.policy, passes=texts)
        if decision.watches:
            self.book = replace(self.book, index=self.book.index.updated(decision.watches))
        return decision

    def note(self, snapshot: Snapshot, doubtful: Iterable[Offer], memory: Memory) -> None:
        """Remember what an answer left in doubt, and what episodes still have to see confirmed as gone."""
        for offer in snapshot.offers:
            self._doubtful.pop(offer.key, None)
        self._doubtful.update({offer.key: offer for offer in doubtful})
        self._ailing = {}
        for key in memory.ailing:
            for place in memory.by_key.get(key, ()):
                last = memory.episodes[place].members[key].last
                if last is not None:
                    self._ailing[key] = last

    def settled(self, keys: Iterable[str]) -> None:
        """These offers are known to be gone: nothing is in doubt any more."""
        for key in keys:
            self._doubtful.pop(key, None)

    def cards(self) -> tuple[str, ...]:
        """The cards whose full picture is wanted: those of rules, and those that are recorded anyway."""
        return tuple(sorted(self.book.cards() | set(self.recorded)))

    def agenda(self, market: str) -> Agenda:
        """What is wanted of one market now."""
        marketplace = self.markets[market]
        cards = self.cards()
        uncertain = {**self._doubtful, **self._ailing}
        return Agenda(
            probes=self.book.probes(market),
            urgent=self.book.urgent(market),
            censuses=marketplace.census(cards) if cards else (),
            doubtful=tuple(offer for offer in uncertain.values() if offer.market == market),
        )

"""Between the store and the core: the active rules as an index, and what each market is to be asked for them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from bot.presence import Presence
from bot.rulebook import Rulebook
from market.alerting import Decision, Event, Pass, Policy, decide
from market.coverage import Coverage
from market.offer import Offer
from market.watch import Memory, Watch
from scanners.agenda import Agenda
from scanners.errors import Refused, ScanError
from scanners.registry import Marketplace

log = logging.getLogger(__name__)

REFUSALS_TO_BELIEVE: Final = 3
"""Questions that keep machines out and were refused or not understood in a row, until they are asked without."""
WIDE_FOR: Final = timedelta(hours=6)
"""After that it is tried again."""


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
    _present: dict[str, Presence] = field(default_factory=dict)
    _memory: Memory = field(default_factory=Memory)
    _wide: dict[str, datetime] = field(default_factory=dict)
    """Markets that show machines although they were asked to keep them out, and since when that is believed."""
    _near: frozenset[str] = frozenset()
    """Markets where too many offers come that nobody wants."""
    _refused: dict[str, int] = field(default_factory=dict)
    """Questions with such machines in them that were refused or not understood in a row, by market."""
    _answering: frozenset[str] = frozenset()
    """Markets whose latest question was answered."""
    _distrusted: frozenset[str] = frozenset()
    """Markets whose latest question of that kind was refused: the next one is asked without."""
    _since: dict[str, datetime] = field(default_factory=dict)
    """When each market last answered."""

    def __post_init__(self) -> None:
        self.plan = self._book = self._rulebook(())

    def take_up(self, watches: Iterable[Watch]) -> None:
        """Plan by the watches as they are now."""
        self.plan = self._rulebook(watches)

    def recall(self, offers: Iterable[tuple[Offer, datetime]], now: datetime) -> None:
        """Begin with the offers that an earlier run left open, and when each was seen: they cost no rows anew."""
        found = list(offers)
        for name in self.markets:
            self._present[name] = Presence([each for each in found if each[0].market == name], now)

    def _rulebook(self, watches: Iterable[Watch]) -> Rulebook:
        return Rulebook.of(watches, self.markets.values(), lean=self._lean(), near=self._near)

    def _lean(self) -> frozenset[str]:
        """Markets where rows are charged, and known machines can be kept out of answers."""
        charged = {name for name, market in self.markets.items() if market.limits.rows_per_day is not None}
        return frozenset(charged - self._wide.keys())

    def decide(self, event: Event, memory: Memory, watches: tuple[Watch, ...]) -> Decision:
        """The decision on an event. `watches` is the same object until one of them changes."""
        if watches is not self._judged:
            self._book, self._judged = self._rulebook(watches), watches
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

    def failed(self, coverage: Coverage, error: ScanError) -> None:
        """A query was not answered; until it is, no first pass waits for it."""
        self._failing = self._failing | {_plain(coverage)}
        market = coverage.market
        if coverage.excluded_machines and type(error) is Refused:
            # only after a good answer: a server that refuses everything proves nothing about the exclusion
            if market in self._answering:
                self._refused[market] = self._refused.get(market, 0) + 1
            self._distrusted = self._distrusted | {market}
            if self._refused.get(market, 0) >= REFUSALS_TO_BELIEVE:
                self._widen(market, self._since.get(market))
        self._answering = self._answering - {market}

    def look_again(self, offers: Iterable[Offer]) -> None:
        """Have these asked for until an answer tells of them."""
        self._doubtful = {**self._doubtful, **{offer.key: offer for offer in offers}}

    def unstored(self, market: str) -> None:
        """An answer could not be stored: what was noted of it does not count."""
        self._present.pop(market, None)

    def _widen(self, market: str, at: datetime | None) -> None:
        """The server cannot keep machines out of its answers: for a while, cards and tiers are asked for apart."""
        if market not in self._wide and at is not None:
            log.warning("%s does not keep known machines out of its answers: they cost rows for some hours", market)
            self._wide = {**self._wide, market: at}
            self._plan_anew()

    def narrow(self, market: str) -> None:
        """Offers that nobody wants take too many rows: from now on only like ceilings share a question."""
        if market not in self._near:
            log.info("%s: rules with unlike ceilings are asked for apart, to save rows", market)
            self._near = self._near | {market}
            self._plan_anew()

    def _plan_anew(self) -> None:
        self._book = self._rulebook(self._judged)
        self.plan = self._rulebook(self.plan.index.by_id.values())

    def note(self, event: Event, memory: Memory, decision: Decision) -> None:
        """Remember what is on offer, what an answer left in doubt, and what episodes still have to see confirmed as
        gone."""
        changes, market = event.changes, event.snapshot.market
        if self._failing:
            self._failing = self._failing - {_plain(event.snapshot.coverage)}
        self._trust(event)
        self._memory = memory
        present = self._present.get(market)
        if present is not None and present.follows(event):
            present.note(event)
        else:
            self._present[market] = Presence.after(event)
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

    def _trust(self, event: Event) -> None:
        """Learn from a good answer whether the server keeps machines out."""
        market, at = event.snapshot.market, event.snapshot.taken_at
        self._answering, self._distrusted = self._answering | {market}, self._distrusted - {market}
        self._since[market] = at
        if event.snapshot.exclusion_ignored:
            self._refused[market] = self._refused.get(market, 0) + 1
            if self._refused[market] >= REFUSALS_TO_BELIEVE:
                self._widen(market, at)
        elif event.snapshot.coverage.excluded_machines:
            self._refused.pop(market, None)
        if market in self._wide and at - self._wide[market] >= WIDE_FOR:
            self._wide = {name: since for name, since in self._wide.items() if name != market}
            self._refused.pop(market, None)
            self._plan_anew()

    def cards(self) -> tuple[str, ...]:
        """The cards whose full picture is wanted: those of rules, and those that are recorded anyway."""
        return tuple(sorted(self.plan.cards | set(self.recorded)))

    def agenda(self, market: str) -> Agenda:
        """What is wanted of one market now."""
        marketplace = self.markets[market]
        cards = self.cards()
        uncertain = {**self._doubtful, **self._ailing}
        present = self._present.get(market)
        lean = market in self._lean()
        return Agenda(
            probes=self.plan.probes[market],
            urgent=self.plan.urgent(market, self._failing),
            censuses=marketplace.census(cards) if cards else (),
            doubtful=tuple(offer for offer in uncertain.values() if offer.market == market),
            standing=present.among(self._memory.by_key) if present is not None and lean else (),
            known=(lambda probe: self._known(probe, uncertain)) if lean else None,
        )

    def _known(self, probe: Coverage, uncertain: Collection[str]) -> Mapping[str, float]:
        present = self._present.get(probe.market)
        if present is None or probe.market in self._distrusted:
            return {}
        return present.known(probe, uncertain)


def _plain(coverage: Coverage) -> str:
    """The text of a query without the machines that were kept out of it."""
    return replace(coverage, excluded_machines=frozenset()).to_text()

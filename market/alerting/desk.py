"""The working papers of one decision: memory is read through them and never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from market.alert import Alert, AlertKind
from market.alerting.terms import Decision, Event, Place, Policy
from market.matching import WatchIndex
from market.offer import Offer
from market.watch import Episode, Memory, Told, Watch

LONGEST_WAIT_S = 3600.0
FORGET_AFTER = timedelta(hours=6)


@dataclass(slots=True)
class Finding:
    """One thing to tell, before it is shared out into messages."""

    kind: AlertKind
    watch: Watch
    offers: list[Offer]
    seen_at: datetime
    dedup: str
    reason: str
    not_before: datetime | None = None


class Desk:
    """The working papers of one decision: memory is read through it and never changed."""

    def __init__(self, *, event: Event, index: WatchIndex, memory: Memory, policy: Policy) -> None:
        self.event = event
        self.index = index
        self.memory = memory
        self.policy = policy
        self.now = event.snapshot.taken_at
        self.episodes: dict[Place, Episode | None] = {}
        self.told: dict[tuple[int, str], Told] = {}
        self.watches: list[Watch] = []
        self.findings: list[Finding] = []

    def episode(self, place: Place) -> Episode | None:
        return self.episodes[place] if place in self.episodes else self.memory.episodes.get(place)

    def cooling(self, watch: Watch, key: str) -> datetime | None:
        """When the key may be told to this watch again; None if now."""
        told = self.told.get((watch.id, key)) or self.memory.told.get((watch.id, key))
        if told is None or self.now - told.told_at > FORGET_AFTER or told.told_at > self.now:
            return None  # never told, long ago, or by a clock that has been set back since
        free_at = told.told_at + timedelta(seconds=told.wait_s)
        return free_at if free_at > self.now else None

    def dedup(self, watch: Watch, what: str) -> str:
        """A key that no other event has: what was closed unsent may be told again later."""
        return f"{watch.id}:{what}:{self.event.snapshot.market}:{int(self.now.timestamp() * 1000)}"

    def tell(self, watch: Watch, offers: Iterable[Offer]) -> None:
        """Note that these keys are told now; a return within six hours doubles its next wait."""
        for offer in offers:
            before = self.memory.told.get((watch.id, offer.key))
            self.told[watch.id, offer.key] = told_again(before, watch.id, offer.key, self.now, self.policy)

    def decision(self, alerts: Iterable[Alert]) -> Decision:
        """What has come out of it."""
        return Decision(
            alerts=tuple(alerts),
            episodes=tuple(episode for episode in self.episodes.values() if episode is not None),
            ended=tuple(place for place, episode in self.episodes.items() if episode is None),
            told=tuple(self.told.values()),
            watches=tuple(self.watches),
        )


def told_again(before: Told | None, watch_id: int, key: str, now: datetime, policy: Policy) -> Told:
    """The memory of telling a key now, with the wait that its next return has to sit out."""
    wait = policy.cooldown_s
    if before is not None and now - before.told_at <= FORGET_AFTER:
        wait = min(max(before.wait_s * 2, wait), max(LONGEST_WAIT_S, policy.cooldown_s))
    return Told(watch_id=watch_id, key=key, told_at=now, wait_s=wait)

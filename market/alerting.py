"""What to say, and what to keep silent about: the judgement on one stored snapshot.

The pipeline, each step answering one question: which offers are new to a rule (`WatchIndex.hits`), which of its
episodes goes on or ends (`_upkeep`), is this the first pass of a new rule (`_first_passes`), is it news or already
told (`_news`), may the key be told again yet (`_cooling`), and who shares one message (`_grouped`).

Pure: `decide` changes nothing, it returns what the store has to write. Every alert carries its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from market.alert import SHOWN, Alert, AlertKind, Part, price_per_gpu
from market.changes import Changes
from market.matching import WatchIndex
from market.offer import Offer
from market.snapshot import Snapshot
from market.verdict import matches
from market.watch import Episode, Member, Memory, Told, Watch

LONGEST_WAIT_S = 3600.0
FORGET_AFTER = timedelta(hours=6)
CHEAPER_BY_AT_LEAST = 10_000
"""One cent, in micro-dollars per GPU-hour: less is not worth a message whatever the percentage."""

Place = tuple[int, str]
"""(watch id, card)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The settings under `alerts`, in seconds and parts per million."""

    cooldown_s: float = 300.0
    gone_after_scans: int = 2
    gone_after_s: float = 120.0
    expire_s: float = 900.0
    cheaper_ppm: int = 50_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Pass:
    """What has to be answered before a new rule is told what already matches, as texts of coverages."""

    queries: frozenset[str] = frozenset()
    """All of these, or"""
    opening: str | None = None
    """this one alone, if its answer is complete: it shows whatever the others would."""

    def over(self, answered: frozenset[str], *, by: str | None) -> bool:
        """Whether a pass is over; `by` is the query that has just had a complete answer."""
        return self.queries <= answered or (self.opening is not None and by == self.opening)


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One stored snapshot with what it changed. `known`, `seen_at` and `since` tell the state after it."""

    snapshot: Snapshot
    changes: Changes
    known: Mapping[str, Offer]
    """Every open offer of the snapshot's market, by key."""
    seen_at: Callable[[str], datetime]
    """When an open offer was last seen."""
    since: Callable[[str], datetime]
    """When an open offer was first seen in its present stay."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What follows from an event; the store writes all of it in the event's own transaction."""

    alerts: tuple[Alert, ...] = ()
    episodes: tuple[Episode, ...] = ()
    """New or changed."""
    ended: tuple[Place, ...] = ()
    told: tuple[Told, ...] = ()
    watches: tuple[Watch, ...] = ()
    """Watches whose first pass moved on (`passed`, `answered`)."""


def decide(
    event: Event,
    *,
    index: WatchIndex,
    memory: Memory,
    policy: Policy,
    passes: Mapping[int, Pass],
) -> Decision:
    """Judge one snapshot against all watches. `passes` tells by watch id what a first pass asks of this market."""
    desk = _Desk(event=event, index=index, memory=memory, policy=policy)
    _upkeep(desk)
    _news(desk)
    _first_passes(desk, passes)
    return desk.decision()


@dataclass(slots=True)
class _Finding:
    """One thing to tell, before it is shared out into messages."""

    kind: AlertKind
    watch: Watch
    offers: list[Offer]
    seen_at: datetime
    dedup: str
    reason: str
    not_before: datetime | None = None


class _Desk:
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
        self.findings: list[_Finding] = []

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

    def decision(self) -> Decision:
        return Decision(
            alerts=tuple(_grouped(self.findings)),
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


# -- does an episode go on? -----------------------------------------------------------------------------------------


def _upkeep(desk: _Desk) -> None:
    """Count for each key of an episode the answers that lack it, or show that it no longer matches."""
    snapshot, changes, memory = desk.event.snapshot, desk.event.changes, desk.memory
    if not memory.by_key:
        return
    known = desk.event.known
    seen = snapshot.keys() if memory.ailing else frozenset()
    for offer in changes.gone:
        for place in memory.by_key.get(offer.key, ()):
            _miss(desk, place, offer.key, offer)
    just_gone = {offer.key for offer in changes.gone}
    for key in memory.ailing - just_gone:
        if key in seen:
            for place in memory.by_key[key]:
                _seen(desk, place, known[key])
        elif snapshot.complete:
            for place in memory.by_key[key]:
                last = memory.episodes[place].members[key].last
                if last is not None and snapshot.coverage.covers(last, desk.now):
                    _miss(desk, place, key, last)
    for offer in changes.fresh():
        if offer.key not in memory.ailing:
            for place in memory.by_key.get(offer.key, ()):
                _seen(desk, place, offer)


def _seen(desk: _Desk, place: Place, offer: Offer) -> None:
    watch = desk.index.by_id.get(place[0])
    if watch is None:
        return
    if not matches(watch.rule, offer, desk.now):
        _miss(desk, place, offer.key, offer)
        return
    episode = desk.episode(place)
    if episode is not None and episode.members.get(offer.key, Member()).misses:
        desk.episodes[place] = replace(episode, members={**episode.members, offer.key: Member()})


def _miss(desk: _Desk, place: Place, key: str, last: Offer) -> None:
    episode = desk.episode(place)
    member = None if episode is None else episode.members.get(key)
    if episode is None or member is None:
        return
    since = min(member.missing_since or desk.now, desk.now)
    members = {**episode.members, key: Member(misses=member.misses + 1, missing_since=since, last=last)}
    for name in [name for name, each in members.items() if each.misses and _over(each, desk.now, desk.policy)]:
        del members[name]
    desk.episodes[place] = replace(episode, members=members) if members else None


def _over(member: Member, now: datetime, policy: Policy) -> bool:
    return (
        member.misses >= policy.gone_after_scans
        and member.missing_since is not None
        and (now - member.missing_since).total_seconds() >= policy.gone_after_s
    )


# -- is it news? ----------------------------------------------------------------------------------------------------


def _news(desk: _Desk) -> None:
    hits: dict[int, dict[str, list[Offer]]] = {}
    market = desk.event.snapshot.market
    for offer in desk.event.changes.fresh():
        for watch in desk.index.hits(offer, desk.now):
            if market in watch.passed:
                hits.setdefault(watch.id, {}).setdefault(offer.gpu, []).append(offer)
    for watch_id, by_card in hits.items():
        _judge_watch(desk, desk.index.by_id[watch_id], by_card, reason="a new match", seen_at=desk.now)


def _judge_watch(
    desk: _Desk,
    watch: Watch,
    by_card: Mapping[str, list[Offer]],
    *,
    reason: str,
    seen_at: datetime,
    in_full: bool = False,
) -> None:
    """Decide what of these matches is told. `in_full`: what is clearly cheaper is told with all that matches beside
    it, because a first pass is the first word about it."""
    fresh: list[Offer] = []
    for card, offers in by_card.items():
        place = (watch.id, card)
        episode = desk.episode(place)
        joined = _joined(episode, watch, card, offers, desk.now)
        best = _cheapest(watch, offers)
        best_price = _price(watch, best)
        if joined.told_price is None:
            free = [offer for offer in offers if desk.cooling(watch, offer.key) is None]
            if free:
                fresh.extend(free)
                joined = replace(joined, told_price=_price(watch, _cheapest(watch, free)))
            else:
                _hold(desk, watch, best)
        elif _clearly_cheaper(best_price, joined.told_price, desk.policy) and in_full:
            fresh.extend(offers)
            joined = replace(joined, told_price=best_price)
        elif _clearly_cheaper(best_price, joined.told_price, desk.policy):
            desk.findings.append(
                _Finding(
                    kind="cheaper",
                    watch=watch,
                    offers=[best],
                    seen_at=desk.now,
                    dedup=desk.dedup(watch, f"{card}@{joined.number}:cheaper:{best_price}"),
                    reason=f"cheaper than the US$ {joined.told_price / 1e6:.4f} told last",
                )
            )
            desk.tell(watch, [best])
            joined = replace(joined, told_price=best_price)
        if joined != episode:
            desk.episodes[place] = joined
    if fresh:
        _available(desk, watch, fresh, reason, seen_at)


def _joined(episode: Episode | None, watch: Watch, card: str, offers: list[Offer], now: datetime) -> Episode:
    members = {offer.key: Member() for offer in offers}
    if episode is None:
        number = int(now.timestamp() * 1000)
        return Episode(watch_id=watch.id, card=card, number=number, opened_at=now, members=members)
    if members.keys() <= episode.members.keys():
        return episode
    return replace(episode, members={**members, **episode.members})


def _hold(desk: _Desk, watch: Watch, offer: Offer) -> None:
    free_at = desk.cooling(watch, offer.key)
    told = desk.memory.told.get((watch.id, offer.key))
    if free_at is None or told is None:
        return
    desk.findings.append(
        _Finding(
            kind="available",
            watch=watch,
            offers=[offer],
            seen_at=desk.now,
            # one held alert for each time the key was told, however often it comes and goes meanwhile
            dedup=f"{watch.id}:{offer.key}:held:{int(told.told_at.timestamp() * 1000)}",
            reason="back again, held by the cool-down",
            not_before=free_at,
        )
    )


def _available(desk: _Desk, watch: Watch, offers: list[Offer], reason: str, seen_at: datetime) -> None:
    ranked = _ranked(watch, offers)
    numbers = ",".join(f"{card}@{number}" for card, number in sorted(_numbers(desk, watch, ranked).items()))
    desk.findings.append(
        _Finding(
            kind="available",
            watch=watch,
            offers=ranked,
            seen_at=seen_at,
            dedup=desk.dedup(watch, f"{numbers}:available"),
            reason=reason,
        )
    )
    desk.tell(watch, ranked[:SHOWN])


def _numbers(desk: _Desk, watch: Watch, offers: list[Offer]) -> dict[str, int]:
    found = {}
    for card in {offer.gpu for offer in offers}:
        episode = desk.episode((watch.id, card))
        found[card] = episode.number if episode is not None else 0
    return found


def _clearly_cheaper(price: int, told: int, policy: Policy) -> bool:
    return told - price >= CHEAPER_BY_AT_LEAST and (told - price) * 1_000_000 >= told * policy.cheaper_ppm


# -- a new rule's first pass ----------------------------------------------------------------------------------------


def _first_passes(desk: _Desk, passes: Mapping[int, Pass]) -> None:
    """A new or edited rule is told once what already matches, when each of its queries has been answered."""
    snapshot = desk.event.snapshot
    market, text = snapshot.market, snapshot.coverage.to_text()
    over: list[Watch] = []
    for watch_id in desk.index.waiting(market):
        watch, wanted = desk.index.by_id[watch_id], passes.get(watch_id, Pass())
        if text not in wanted.queries and text != wanted.opening:
            continue
        answered = watch.answered | {text}
        if not wanted.over(answered, by=text if snapshot.complete else None):
            desk.watches.append(replace(watch, answered=answered))
            continue
        left = answered - wanted.queries - {wanted.opening or ""}
        desk.watches.append(replace(watch, answered=left, passed=watch.passed | {market}))
        over.append(watch)
    told = {watch.id for watch in over}
    for watch in over:
        offers = _already_true(desk, watch)
        if not offers:
            continue
        _judge_pass(desk, watch, offers)
        for other in desk.index.of_chat(watch.chat):
            # two new rules of one chat that want the same are told in one message; the other's own pass goes on
            shared = [offer for offer in offers if matches(other.rule, offer, desk.now)]
            if shared and other.id not in told and market not in other.passed:
                _judge_pass(desk, other, shared)


def _already_true(desk: _Desk, watch: Watch) -> list[Offer]:
    """What matches and was seen since the rule is what it is."""
    since = _asked_since(desk, watch)
    return [
        offer
        for offer in desk.event.known.values()
        if matches(watch.rule, offer, desk.now) and desk.event.seen_at(offer.key) >= since
    ]


def _asked_since(desk: _Desk, watch: Watch) -> datetime:
    """A clock set back leaves the moment of the rule in the future: then the present answer alone is new."""
    return min(watch.set_at, desk.now)


def _judge_pass(desk: _Desk, watch: Watch, offers: list[Offer]) -> None:
    by_card: dict[str, list[Offer]] = {}
    for offer in offers:
        by_card.setdefault(offer.gpu, []).append(offer)
    first = min(desk.event.since(offer.key) for offer in _ranked(watch, offers)[:SHOWN])
    reason = "already true when the rule was first checked"
    seen_at = max(first, _asked_since(desk, watch))
    _judge_watch(desk, watch, by_card, reason=reason, seen_at=seen_at, in_full=True)


def episodes_of(watch: Watch, offers: list[Offer], now: datetime) -> list[Episode]:
    """The episodes that begin when all these matches are told at once, by an alert or by the reply to a new rule."""
    by_card: dict[str, list[Offer]] = {}
    for offer in offers:
        by_card.setdefault(offer.gpu, []).append(offer)
    return [
        replace(_joined(None, watch, card, group, now), told_price=_price(watch, _cheapest(watch, group)))
        for card, group in by_card.items()
    ]


# -- who shares a message? ------------------------------------------------------------------------------------------


def _grouped(findings: list[_Finding]) -> Iterable[Alert]:
    """One message a chat and event: findings of one kind for one chat are told together, best first."""
    shared: dict[tuple[str, AlertKind, datetime | None], list[_Finding]] = {}
    for finding in findings:
        shared.setdefault((finding.watch.chat, finding.kind, finding.not_before), []).append(finding)
    for (chat, kind, not_before), group in shared.items():
        by_watch: dict[int, tuple[Watch, list[Offer]]] = {}
        for finding in group:
            by_watch.setdefault(finding.watch.id, (finding.watch, []))[1].extend(finding.offers)
        parts = [part_of(watch, offers) for watch, offers in by_watch.values()]
        yield Alert(
            kind=kind,
            chat=chat,
            parts=tuple(sorted(parts, key=lambda part: (part.price_per_gpu(), part.watch_id))),
            seen_at=min(finding.seen_at for finding in group),
            dedup_key=" ".join(sorted(finding.dedup for finding in group)),
            reason=group[0].reason,
            not_before=not_before,
        )


def part_of(watch: Watch, offers: list[Offer]) -> Part:
    """What a watch has to say about these matches."""
    rule, ranked = watch.rule, _ranked(watch, offers)
    return Part(
        watch_id=watch.id,
        name=watch.name,
        rule=watch.text,
        terms=rule.terms,
        disk_gb=rule.disk_gb,
        offers=tuple(ranked[:SHOWN]),
        count=len(ranked),
    )


def _ranked(watch: Watch, offers: list[Offer]) -> list[Offer]:
    """Best first. Where a market tells a stock level only, the sizes of one type are one thing on offer, not many."""
    ranked: dict[tuple[str, ...], Offer] = {}
    for offer in sorted(offers, key=lambda offer: (_price(watch, offer), offer.gpu_count, offer.key)):
        place = (offer.key,) if offer.stock is None else (offer.market, offer.machine, offer.tier)
        ranked.setdefault(place, offer)
    return list(ranked.values())


def _cheapest(watch: Watch, offers: list[Offer]) -> Offer:
    return min(offers, key=lambda offer: (_price(watch, offer), offer.key))


def _price(watch: Watch, offer: Offer) -> int:
    return price_per_gpu(offer, watch.rule.terms, watch.rule.disk_gb)

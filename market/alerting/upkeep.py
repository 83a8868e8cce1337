"""Does an episode go on? It ends when each of its keys has been missing for long enough."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import datetime

from market.alerting.desk import Desk
from market.alerting.terms import Place, Policy
from market.offer import Offer
from market.verdict import matches
from market.watch import Missing


def keep_up(desk: Desk) -> None:
    """Count for each key of an episode the answers that lack it, or show that it no longer matches."""
    changes, memory = desk.event.changes, desk.memory
    if not memory.by_key:
        return
    for offer in changes.gone:
        for place in memory.by_key.get(offer.key, ()):
            _miss(desk, place, offer)
    if memory.ailing:
        _look_after(desk, memory.ailing.difference([offer.key for offer in changes.gone]))
    for offer in changes.fresh():
        if offer.key not in memory.ailing:
            for place in memory.by_key.get(offer.key, ()):
                _seen(desk, place, offer)


def _look_after(desk: Desk, ailing: AbstractSet[str]) -> None:
    """What the answer tells about keys that were missing before it."""
    snapshot, known, memory = desk.event.snapshot, desk.event.known, desk.memory
    seen = snapshot.keys()
    for key in ailing:
        if key in seen:
            for place in memory.by_key[key]:
                _seen(desk, place, known[key])
        elif snapshot.complete:
            for place in memory.by_key[key]:
                missing = memory.episodes[place].missing.get(key)
                if missing is not None and snapshot.coverage.covers(missing.last, desk.now):
                    _miss(desk, place, missing.last)


def _seen(desk: Desk, place: Place, offer: Offer) -> None:
    watch = desk.index.by_id.get(place[0])
    if watch is None:
        return
    if not matches(watch.rule, offer, desk.now):
        _miss(desk, place, offer)
        return
    episode = desk.episode(place)
    if episode is not None and offer.key in episode.missing:
        missing = {key: each for key, each in episode.missing.items() if key != offer.key}
        desk.episodes[place] = episode._replace(missing=missing)


def _miss(desk: Desk, place: Place, last: Offer) -> None:
    episode, key = desk.episode(place), last.key
    if episode is None or key not in episode.members:
        return
    before = episode.missing.get(key)
    misses, since = (1, desk.now) if before is None else (before.misses + 1, min(before.since, desk.now))
    missing = {**episode.missing, key: Missing(misses, since, last)}
    if over := [name for name, each in missing.items() if _over(each, desk.now, desk.policy)]:
        members = episode.members.difference(over)
        missing = {name: each for name, each in missing.items() if name in members}
        desk.episodes[place] = episode._replace(members=members, missing=missing) if members else None
    else:
        desk.episodes[place] = episode._replace(missing=missing)


def _over(missing: Missing, now: datetime, policy: Policy) -> bool:
    return missing.misses >= policy.gone_after_scans and (now - missing.since).total_seconds() >= policy.gone_after_s

"""Does an episode go on? It ends when each of its keys has been missing for long enough."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from market.alerting.desk import Desk
from market.alerting.terms import Place, Policy
from market.offer import Offer
from market.verdict import matches
from market.watch import Member


def keep_up(desk: Desk) -> None:
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


def _seen(desk: Desk, place: Place, offer: Offer) -> None:
    watch = desk.index.by_id.get(place[0])
    if watch is None:
        return
    if not matches(watch.rule, offer, desk.now):
        _miss(desk, place, offer.key, offer)
        return
    episode = desk.episode(place)
    if episode is not None and episode.members.get(offer.key, Member()).misses:
        desk.episodes[place] = replace(episode, members={**episode.members, offer.key: Member()})


def _miss(desk: Desk, place: Place, key: str, last: Offer) -> None:
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

"""A new rule's first pass: what matches already is told as one alert, when each of its queries has been answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from market.alert import SHOWN
from market.alerting.desk import Desk
from market.alerting.news import judge_watch
from market.alerting.ranking import ranked
from market.alerting.terms import Pass
from market.offer import Offer
from market.verdict import matches
from market.watch import Watch


def first_passes(desk: Desk, passes: Mapping[int, Pass]) -> None:
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


def _already_true(desk: Desk, watch: Watch) -> list[Offer]:
    """What matches and was seen since the rule is what it is."""
    since = _asked_since(desk, watch)
    return [
        offer
        for offer in desk.event.known.values()
        if matches(watch.rule, offer, desk.now) and desk.event.seen_at(offer.key) >= since
    ]


def _asked_since(desk: Desk, watch: Watch) -> datetime:
    """A clock set back leaves the moment of the rule in the future: then the present answer alone is new."""
    return min(watch.set_at, desk.now)


def _judge_pass(desk: Desk, watch: Watch, offers: list[Offer]) -> None:
    by_card: dict[str, list[Offer]] = {}
    for offer in offers:
        by_card.setdefault(offer.gpu, []).append(offer)
    first = min(desk.event.since(offer.key) for offer in ranked(watch, offers)[:SHOWN])
    reason = "already true when the rule was first checked"
    seen_at = max(first, _asked_since(desk, watch))
    judge_watch(desk, watch, by_card, reason=reason, seen_at=seen_at, in_full=True)

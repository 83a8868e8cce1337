"""Is an alert still true? Asked before every attempt to send it but the first, and when a hold ends.

Late news is worse than none: what has gone is never announced as available, and what still stands goes out with
fresh figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from market.alert import Alert, Part
from market.alerting import part_of
from market.offer import Offer
from market.verdict import matches
from market.watch import Watch


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The alert to send, or the state in which it ends and why. Neither: only a fresh answer can tell."""

    alert: Alert | None = None
    state: Literal["expired", "suppressed"] | None = None
    reason: str = ""


def rejudge(
    alert: Alert,
    *,
    watches: Mapping[int, Watch],
    known: Iterable[Offer],
    seen_at: Callable[[str], datetime],
    now: datetime,
    fresh_since: datetime | None = None,
) -> Judgement:
    """Judge an alert against what is known now.

    `known` are the open offers; `fresh_since` is set once the alert is older than it may get without a fresh answer,
    and then only offers seen since then count.
    """
    known = tuple(known)
    market = alert.parts[0].offers[0].market
    offers = [offer for offer in known if offer.market == market]
    current = [offer for offer in offers if fresh_since is None or seen_at(offer.key) >= fresh_since]
    parts: list[Part] = []
    for part in alert.parts:
        watch = watches.get(part.watch_id)
        if watch is None or watch.state != "active":
            continue
        cards = _cards(part)
        hits = [offer for offer in current if (cards is None or offer.gpu in cards) and matches(watch.rule, offer, now)]
        if alert.kind == "cheaper":
            hits = [hit for hit in hits if part_of(watch, [hit]).price_per_gpu() <= part.price_per_gpu()]
        if hits:
            parts.append(part_of(watch, hits))
    if parts:
        return Judgement(alert=replace(alert, parts=tuple(sorted(parts, key=Part.price_per_gpu))))
    if not any(part.watch_id in watches for part in alert.parts):
        return Judgement(state="suppressed", reason="the rule was deleted or paused")
    open_keys = {offer.key for offer in offers}
    shown = {offer.key for part in alert.parts for offer in part.offers}
    if not shown & open_keys:
        return Judgement(state="expired", reason="gone before it could be told")
    if fresh_since is not None and not any(offer.key in shown for offer in current):
        return Judgement(reason="too old, and no fresh answer confirms it")
    return Judgement(state="suppressed", reason="no longer matches the rule")


def _cards(part: Part) -> frozenset[str] | None:
    """The cards that it was about; None when it showed only some of what it counted."""
    return frozenset(offer.gpu for offer in part.offers) if part.count <= len(part.offers) else None

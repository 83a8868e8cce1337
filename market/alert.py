"""An alert: what is to be said to a chat about one event, before anybody has put it into words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from market.offer import Offer, Terms

AlertKind = Literal["available", "cheaper", "price_drop", "new_low", "shortage_start", "shortage_end", "blind"]
"""`blind` is no news of an offer but of the watch itself: see `market.blindness`. It has no parts."""
AlertState = Literal["queued", "held", "sent", "expired", "suppressed", "failed"]

SHOWN = 3
"""Offers shown in full for one rule; the others are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """What one watch has to say in an alert: its best offers, and how many match in all."""

    watch_id: int
    name: str | None
    rule: str
    """Canonical text."""
    terms: Terms
    disk_gb: int
    offers: tuple[Offer, ...]
    """At most `SHOWN`, best first."""
    count: int
    """All offers that match, the shown ones included."""

    def price_per_gpu(self) -> int:
        """Micro-dollars per GPU-hour of the best offer, as the rule counts it."""
        return price_per_gpu(self.offers[0], self.terms, self.disk_gb)


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """One message about one event for one chat and topic. Times are aware UTC."""

    kind: AlertKind
    chat: str
    topic: str | None = None
    """Of a chat that has topics: the one it goes to."""
    parts: tuple[Part, ...]
    seen_at: datetime
    """When what it tells was first seen."""
    dedup_key: str
    """Unique: the same thing is never queued twice."""
    reason: str
    """Why it is sent, in a few English words, for the log of alerts."""
    not_before: datetime | None = None
    """Held until then by a cool-down."""

    def best(self) -> tuple[Part, Offer]:
        """The part and offer that head the message: the cheapest per GPU."""
        part = min(self.parts, key=lambda part: (part.price_per_gpu(), part.offers[0].key))
        return part, part.offers[0]


def price_per_gpu(offer: Offer, terms: Terms, disk_gb: int) -> int:
    """Micro-dollars per GPU-hour with the disk asked for, rounded; an offer not on these terms raises ValueError."""
    monthly = offer.monthly(terms, disk_gb)
    if monthly is None:
        raise ValueError(f"{offer.key} is not offered as {terms}")
    return round(monthly / (720 * offer.gpu_count))


def part_to_record(part: Part) -> dict[str, Any]:
    """A JSON-ready record of a part."""
    return {
        "watch_id": part.watch_id,
        "name": part.name,
        "rule": part.rule,
        "terms": part.terms,
        "disk_gb": part.disk_gb,
        "count": part.count,
        "offers": [offer._asdict() for offer in part.offers],
    }


def part_from_record(record: dict[str, Any]) -> Part:
    """The part that `part_to_record` wrote."""
    return Part(**{**record, "offers": tuple(offer_from_record(offer) for offer in record["offers"])})


def offer_from_record(record: dict[str, Any]) -> Offer:
    """An offer from its JSON record; lists become tuples again."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
    return Offer(**fields)

"""What a judgement is made of, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from market.alert import Alert
from market.changes import Changes
from market.offer import Offer
from market.snapshot import Snapshot
from market.watch import Episode, Told, Watch

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

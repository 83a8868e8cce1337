"""Counting what the store holds, for metrics: open offers, rules, alerts on their way and alerts at their end.

The log of alerts is pruned, and a chat that leaves takes its lines with it. A counter must not fall, so what came to
its end is counted once, when it is first seen at its end, from the start of the process on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final, get_args

from sqlalchemy import Connection

from market.alert import AlertKind
from storage.store import Store
from storage.times import from_ms

KINDS: Final[tuple[str, ...]] = get_args(AlertKind)
OUTCOMES: Final = ("sent", "expired", "suppressed", "failed")
ON_THEIR_WAY: Final = ("queued", "held")
RULE_STATES: Final = ("active", "paused", "snoozed", "done", "ended")
DELAY_EDGES_S: Final = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0)
"""Upper edges of the classes of delay, seconds; longer ones have a class of their own."""

_OPEN = "SELECT state, count(*), min(queued_at) FROM outbox WHERE state IN ('queued', 'held') GROUP BY state"
_EDGE = """
SELECT coalesce(max(id), 0), (SELECT min(id) FROM outbox WHERE state IN ('queued', 'held')) FROM outbox
"""
_ENDED = """
SELECT id, kind, state, was_held, sent_at - seen_at AS delay_ms FROM outbox
WHERE id > ? AND state NOT IN ('queued', 'held')
"""
_OFFERS = """
SELECT m.provider, count(*) AS offers FROM cur c JOIN market m ON m.market_id = c.market_id GROUP BY m.provider
"""
_RULES = "SELECT state, count(*) AS rules FROM watch GROUP BY state"


@dataclass(frozen=True, kw_only=True, slots=True)
class OnTheWay:
    """Alerts in one state that are not at their end, and since when the oldest is queued."""

    count: int = 0
    oldest_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Delays:
    """From the first sight of an offer to its alert. `classes` are those of `DELAY_EDGES_S`, and one for longer."""

    classes: tuple[int, ...] = (0,) * (len(DELAY_EDGES_S) + 1)
    sum_s: float = 0.0


class EndedAlerts:
    """Alerts that came to their end since this was made. One thread at a time. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._settled = 0
        """All alerts up to this id are at their end and counted."""
        self._counted: frozenset[int] = frozenset()
        """Later ones that are too."""
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._classes = [0] * (len(DELAY_EDGES_S) + 1)
        self._sum_ms = 0
        with store.read() as connection:
            last, first_open = connection.exec_driver_sql(_EDGE).one()
            self._settled = last if first_open is None else first_open - 1
            rows = connection.exec_driver_sql(_ENDED, (self._settled,)).all()
        self._counted = frozenset(row.id for row in rows)

    def take_up(self) -> None:
        """Count what has ended since the last time."""
        with self._store.read() as connection:
            last, first_open = connection.exec_driver_sql(_EDGE).one()
            rows = connection.exec_driver_sql(_ENDED, (self._settled,)).all()
        for row in rows:
            if row.id not in self._counted:
                self._count(row.kind, row.state, None if row.was_held else row.delay_ms)
        self._settled = max(self._settled, last if first_open is None else first_open - 1)
        self._counted = frozenset(row.id for row in rows if row.id > self._settled)

    def outcomes(self) -> dict[tuple[str, str], int]:
        """How many, by kind and outcome; every pair is there."""
        return {(kind, outcome): self._outcomes[kind, outcome] for kind in KINDS for outcome in OUTCOMES}

    def delays(self) -> Delays:
        """Of those sent that nothing had held back."""
        return Delays(classes=tuple(self._classes), sum_s=self._sum_ms / 1000)

    def _count(self, kind: str, outcome: str, delay_ms: int | None) -> None:
        self._outcomes[kind, outcome] += 1
        if outcome == "sent" and delay_ms is not None:
            delay_ms = max(delay_ms, 0)  # the wall clock was set back in between
            self._classes[bisect_left(DELAY_EDGES_S, delay_ms / 1000)] += 1
            self._sum_ms += delay_ms


def on_the_way(connection: Connection) -> dict[str, OnTheWay]:
    """By state, alerts that are not at their end; every such state is there."""
    found = {
        state: OnTheWay(count=count, oldest_at=from_ms(oldest))
        for state, count, oldest in connection.exec_driver_sql(_OPEN)
    }
    return {state: found.get(state, OnTheWay()) for state in ON_THEIR_WAY}


def open_offers(connection: Connection) -> dict[str, int]:
    """By market, offers that are open."""
    return {row.provider: row.offers for row in connection.exec_driver_sql(_OFFERS)}


def rules(connection: Connection) -> dict[str, int]:
    """By state, rules; every state is there."""
    found = {row.state: row.rules for row in connection.exec_driver_sql(_RULES)}
    return {state: found.get(state, 0) for state in RULE_STATES}

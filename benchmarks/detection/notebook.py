"""Where the product's answers go in a run: compared and judged by the product's own functions, kept in memory.

The store would write the same in a transaction; a week of it would take hours.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from benchmarks.detection.account import VirtualClock
from benchmarks.detection.windows import Sightings
from bot.aftermath import CLOSELY_EACH_S, CLOSELY_FOR, LOOK_BACK
from bot.judging import Judge
from market.alert import SHOWN, Part
from market.alerting import Decision, Event
from market.changes import Changes, compare
from market.coverage import Coverage
from market.offer import Offer
from market.snapshot import Snapshot
from market.verdict import matches
from market.watch import Memory, Watch
from scanners.errors import ScanError


class DayLedger:
    """What the product spent today, in memory. `rows_per_day` None: rows are not charged."""

    def __init__(self, rows_per_day: int | None) -> None:
        self._limit = rows_per_day
        self._day = ""
        self._left = 0

    def turn(self, market: str, at: datetime, gap_s: float) -> float:
        """0: no other process asks."""
        return 0.0

    def answered(self, market: str, at: datetime, gap_s: float) -> None:
        """Nobody else waits for it."""

    def rest(self, market: str, at: datetime, seconds: float) -> None:
        """Nobody else waits for it."""

    def begin(self, market: str, at: datetime, reserve: int) -> int:
        """Set rows aside; how many may be asked for."""
        if self._limit is None:
            return reserve
        allowed = min(reserve, self.left(market, at))
        self._left -= allowed
        return allowed

    def settle(self, market: str, at: datetime, reserved: int, actual: int) -> None:
        """Replace rows that were set aside by those that were charged."""
        self._left += reserved - actual

    def left(self, market: str, at: datetime) -> int:
        """Rows left on the UTC day."""
        day = at.date().isoformat()
        if day != self._day:
            self._day, self._left = day, self._limit or 0
        return self._left


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """An alert that was sent the moment it was found."""

    parts: tuple[Part, ...]
    sent_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """One good answer, `at` seconds from the start of the run."""

    at: float
    whole: bool
    rows: int


@dataclass(kw_only=True)
class Notebook:
    """The sink of both poll cycles."""

    judge: Judge
    watches: tuple[Watch, ...]
    ledgers: dict[str, DayLedger]
    sightings: Sightings
    clock: VirtualClock
    alerts: list[tuple[float, int, str]] = field(default_factory=list)
    """Seconds from the start, watch id and key of all that was told."""
    answered: dict[Coverage, list[Answered]] = field(default_factory=dict)
    """By query; those for single machines are left out, they are hardly ever the same twice."""
    confirmations: int = 0
    """The number of those."""
    _known: dict[str, dict[str, Offer]] = field(default_factory=lambda: {"vast": {}, "runpod": {}})
    _memory: Memory = field(default_factory=Memory)
    _standing: list[Message] = field(default_factory=list)
    _seen: dict[str, datetime] = field(default_factory=dict)
    _since: dict[str, datetime] = field(default_factory=dict)

    async def stored(self, snapshot: Snapshot, *, reserved: int, took_s: float) -> tuple[Offer, ...]:
        """Compare, judge and keep an answer."""
        market, at, known = snapshot.market, snapshot.taken_at, self._known[snapshot.market]
        self.ledgers[market].settle(market, at, reserved, snapshot.rows)
        self._note(snapshot)
        changes = compare(known, list(known.values()), snapshot)
        self._post(known, snapshot, changes)
        event = Event(
            snapshot=snapshot,
            changes=changes,
            known=known,
            seen_at=self._seen.__getitem__,
            since=self._since.__getitem__,
        )
        decision = self.judge.decide(event, self._memory, self.watches)
        self.judge.note(event, self._memory, decision)
        self._keep(decision, at)
        return changes.doubtful

    async def failed(self, coverage: Coverage, error: ScanError, *, took_s: float) -> None:
        """A query was not answered."""
        self.judge.failed(coverage, error)

    def told(self, market: str, now: datetime, slowly_s: float) -> tuple[tuple[Offer, float], ...]:
        """The offers to look at again, planned as the product plans it for messages that nobody has closed."""
        self._standing = [
            each for each in self._standing if now - each.sent_at <= LOOK_BACK and self._stands(each, now)
        ]
        wanted: dict[str, tuple[Offer, float]] = {}
        for each in self._standing:
            pace = min(CLOSELY_EACH_S, slowly_s) if now - each.sent_at <= CLOSELY_FOR else slowly_s
            for offer in (offer for part in each.parts for offer in part.offers[:SHOWN]):
                if offer.market == market:
                    wanted[offer.key] = (offer, pace)
        return tuple(wanted.values())

    def _note(self, snapshot: Snapshot) -> None:
        if snapshot.coverage.machines is not None:
            self.confirmations += 1
            return
        query = replace(snapshot.coverage, excluded_machines=frozenset())
        answer = Answered(at=self.clock.monotonic(), whole=snapshot.complete, rows=snapshot.rows)
        self.answered.setdefault(query, []).append(answer)

    def _post(self, known: dict[str, Offer], snapshot: Snapshot, changes: Changes) -> None:
        for offer in changes.gone:
            del known[offer.key]
        for offer in changes.appeared:
            self._since[offer.key] = snapshot.taken_at
        for offer in changes.fresh():
            known[offer.key] = offer
        self._seen.update(dict.fromkeys(snapshot.keys(), snapshot.taken_at))

    def _keep(self, decision: Decision, at: datetime) -> None:
        for place in decision.ended:
            self._memory.drop(place)
        for episode in decision.episodes:
            self._memory.put(episode)
        for each in decision.told:
            self._memory.told[each.watch_id, each.key] = each
        for alert in decision.alerts:
            if alert.not_before is None:
                self._standing.append(Message(parts=alert.parts, sent_at=at))
                told_at = self.clock.monotonic()
                told = [(told_at, part.watch_id, offer.key) for part in alert.parts for offer in part.offers]
                self.alerts += told
                self.sightings.tell([key for _, _, key in told], told_at)

    def _stands(self, message: Message, now: datetime) -> bool:
        """Whether something in a message may still be had."""
        return any(self._may_be_had(part, offer, now) for part in message.parts for offer in part.offers)

    def _may_be_had(self, part: Part, offer: Offer, now: datetime) -> bool:
        episode = self._memory.episodes.get((part.watch_id, offer.gpu))
        if episode is not None and offer.key in episode.members:
            return True
        there = self._known[offer.market].get(offer.key)
        return there is not None and matches(self.watches[part.watch_id - 1].rule, there, now)

"""One market's poll cycle: which query is asked next, how long to wait, and never beyond a limit.

A fixed pace inside the account's limits: the queries of rules in turn, a confirming query for offers in doubt, a
census of each recorded card now and then. The day's rows are stretched evenly to their reset. It knows nothing of
storage or alerts: it is given a ledger, an agenda and somewhere to put answers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from market.coverage import Coverage
from market.snapshot import Snapshot
from scanners.agenda import Agenda, Ledger, NotYet, Purpose, Sink
from scanners.errors import OddAnswer, QuotaExhausted, ScanError, Unreachable
from scanners.registry import Marketplace
from scanners.waits import next_midnight, wait_after

log = logging.getLogger(__name__)

CONFIRM_EACH_S = 60.0


@dataclass(slots=True)
class Pace:
    """Where one market stands: shown by `status`."""

    failures: int = 0
    wait_s: float = 0.0
    reason: str = "starting"
    error: ScanError | None = None
    next_at: float = 0.0
    """On the monotonic clock."""


@dataclass(kw_only=True)
class Poller:
    """Asks one market, one query at a time. `turn` does one query and says how long to wait for the next."""

    market: Marketplace
    ledger: Ledger
    sink: Sink
    agenda: Callable[[], Awaitable[Agenda]]
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    chance: Random
    slowest_s: float
    census_s: float
    pace: Pace = field(default_factory=Pace)
    _asked: dict[str, float] = field(default_factory=dict)
    _confirmed: dict[str, float] = field(default_factory=dict)
    _cost: dict[str, int] = field(default_factory=dict)
    """Rows that each query returned last."""
    _census_rows: tuple[str, int] = ("", 0)
    _last_good: float | None = None
    _last_turn: float | None = None
    _last_purpose: Purpose = "heartbeat"

    async def turn(self) -> float:
        """Ask the query that is due, if any, and return the seconds until the next turn."""
        wait = await self._turn()
        self.pace.wait_s = wait
        self.pace.next_at = self.monotonic() + wait
        return wait

    def hurry(self) -> float:
        """Seconds until a turn may be taken at once because something new is wanted: never against a limit or a rest
        after failures."""
        rest = self.pace.next_at - self.monotonic()
        if self.pace.error is not None or self._last_turn is None:
            return max(rest, 0.0)
        return max(min(rest, self._last_turn + self._base_gap() - self.monotonic()), 0.0)

    async def ask(self, coverage: Coverage) -> Snapshot:
        """Ask one query now, inside the quota, and store its answer.

        Raises ScanError when it was not answered, and NotYet when another process has just asked.
        """
        market, at = self.market.name, self.now()
        limits = self.market.limits
        wait = await asyncio.to_thread(self.ledger.turn, market, at, self._base_gap())
        if wait > 0:
            raise NotYet(wait)
        reserve = (limits.rows_per_answer or 0) if limits.rows_per_day is not None else 0
        # off the loop: another process may hold the database for a while
        allowed = await asyncio.to_thread(self.ledger.begin, market, at, reserve)
        if limits.rows_per_day is not None and allowed <= 0:
            raise QuotaExhausted(market, "the day's rows are used up", next_midnight(at))
        started = self.monotonic()
        try:
            snapshot = await self.market.scan(coverage, row_limit=allowed if reserve else None)
        except ScanError as error:
            if reserve:
                charged = self._perhaps_charged(coverage, error, allowed)
                await asyncio.to_thread(self.ledger.settle, market, at, allowed, charged)
            await self.sink.failed(coverage, error, took_s=self.monotonic() - started)
            raise
        doubtful = await self.sink.stored(
            snapshot, reserved=allowed if reserve else 0, took_s=self.monotonic() - started
        )
        self._cost[coverage.to_text()] = snapshot.rows
        for offer in doubtful:
            self._confirmed[offer.key] = float("-inf")
        moment = self.monotonic()
        for offer in snapshot.offers:
            if offer.key in self._confirmed:
                self._confirmed[offer.key] = moment
        return snapshot

    def _perhaps_charged(self, coverage: Coverage, error: ScanError, allowed: int) -> int:
        """Rows that a query without an answer may have cost all the same: as many as it cost last."""
        if isinstance(error, OddAnswer) or (isinstance(error, Unreachable) and error.asked):
            return min(self._cost.get(coverage.to_text(), 0), allowed)
        return 0

    async def _turn(self) -> float:
        agenda = await self.agenda()
        coverage, purpose = self._next(agenda)
        if coverage is None:
            return self._idle(agenda)
        self._last_purpose, self._last_turn = purpose, self.monotonic()
        self._asked[coverage.to_text()] = self.monotonic()
        try:
            snapshot = await self.ask(coverage)
        except NotYet as error:
            return error.wait_s
        except ScanError as error:
            return self._after_failure(error)
        self._recovered()
        if purpose == "census":
            self._note_census(snapshot.rows)
        return self._gap(agenda, coverage.to_text())

    # -- which query? -----------------------------------------------------------------------------------------------

    def _next(self, agenda: Agenda) -> tuple[Coverage | None, Purpose]:
        moment = self.monotonic()
        if agenda.urgent:
            return self._longest_unasked(agenda.urgent), "probe"
        if self._last_purpose in ("probe", "heartbeat") or not agenda.probes:
            # nothing takes a probe's turn twice in a row
            confirms = self._due_confirms(agenda, moment)
            if confirms:
                return confirms[0], "confirm"
            censuses = [each for each in agenda.censuses if self._age(each, moment) >= self.census_s]
            if censuses and self._census_affordable():
                return self._longest_unasked(censuses), "census"
        rests = self._rests(agenda)
        due = [probe for probe in agenda.probes if self._age(probe, moment) >= rests[probe.to_text()]]
        if due:
            return self._longest_unasked(due), "probe"
        if self._last_good is None or moment - self._last_good >= self.slowest_s:
            return self.market.heartbeat(), "heartbeat"
        return None, "heartbeat"

    def _longest_unasked(self, coverages: tuple[Coverage, ...] | list[Coverage]) -> Coverage:
        return min(coverages, key=lambda each: self._asked.get(each.to_text(), float("-inf")))

    def _age(self, coverage: Coverage, moment: float) -> float:
        return moment - self._asked.get(coverage.to_text(), float("-inf"))

    def _due_confirms(self, agenda: Agenda, moment: float) -> tuple[Coverage, ...]:
        rests = self._confirm_rests(agenda)
        for offer, _ in agenda.told:
            self._confirmed.setdefault(offer.key, moment)
        wanted = {offer.key: offer for offer in (*(offer for offer, _ in agenda.told), *agenda.doubtful)}
        self._confirmed = {key: at for key, at in self._confirmed.items() if key in wanted}
        due = [offer for key, offer in wanted.items() if moment - self._confirmed.get(key, float("-inf")) >= rests[key]]
        if not due:
            return ()
        coverages = self.market.confirm(due)
        for offer in due if not coverages else [each for each in due if coverages[0].asks_for(each)]:
            self._confirmed[offer.key] = moment
        return coverages

    def _confirm_rests(self, agenda: Agenda) -> dict[str, float]:
        """The seconds between two looks at each offer that is in doubt or was told."""
        rests = {offer.key: each_s for offer, each_s in agenda.told}
        rests.update({offer.key: self._confirm_each_s() for offer in agenda.doubtful})
        return rests

    def _confirm_each_s(self) -> float:
        return min(CONFIRM_EACH_S, 10 * self._base_gap())

    # -- how long to wait? ------------------------------------------------------------------------------------------

    def _base_gap(self) -> float:
        return 60.0 / self.market.limits.requests_per_minute

    def _gap(self, agenda: Agenda, asked: str) -> float:
        if not agenda.probes:
            return self._idle(agenda)
        gap, self.pace.reason = self._base_gap(), "as fast as the request limit allows"
        at = self.now()
        if self.market.limits.rows_per_day is not None and self.ledger.left(self.market.name, at) <= 0:
            self.pace.reason = "the day's rows are used up"
            return (next_midnight(at) - at).total_seconds()
        if any(each.to_text() != asked for each in agenda.urgent):
            return gap
        moment, rests = self.monotonic(), self._rests(agenda)
        soonest = min(rests[probe.to_text()] - self._age(probe, moment) for probe in agenda.probes)
        if soonest > gap:
            gap, self.pace.reason = soonest, "stretched so that the day's rows last until their reset"
        if gap > self.slowest_s:
            gap, self.pace.reason = self.slowest_s, "the slowest pace allowed"
        return gap

    def _rests(self, agenda: Agenda) -> dict[str, float]:
        """How long each probe rests, so that the costly ones share the rows that are left until their reset evenly.
        A probe that returned nothing costs nothing: that is when its card is scarce and seconds matter."""
        texts = [probe.to_text() for probe in agenda.probes]
        if self.market.limits.rows_per_day is None:
            return dict.fromkeys(texts, 0.0)
        at = self.now()
        left = self.ledger.left(self.market.name, at)
        costly = sum(self._cost.get(text, 0) > 0 for text in texts)
        share = (next_midnight(at) - at).total_seconds() * costly / left if left > 0 else float("inf")
        return {text: self._cost[text] * share if self._cost.get(text) else 0.0 for text in texts}

    def _idle(self, agenda: Agenda) -> float:
        moment = self.monotonic()
        waits = [self.slowest_s - (moment - self._last_good) if self._last_good is not None else 0.0]
        waits.extend(self.census_s - self._age(each, moment) for each in agenda.censuses)
        waits.extend(
            rest - (moment - self._confirmed.get(key, float("-inf")))
            for key, rest in self._confirm_rests(agenda).items()
        )
        self.pace.reason = "nothing is watched here; only checking that the market answers"
        return max(min(waits), self._base_gap())

    def _after_failure(self, error: ScanError) -> float:
        pace = self.pace
        pace.failures += 1
        if pace.error is None or type(pace.error) is not type(error):
            log.warning("%s is failing: %s", self.market.name, error.problem)
        pace.error = error
        wait, pace.reason = wait_after(
            error,
            failures=pace.failures,
            gap_s=self._base_gap(),
            slowest_s=self.slowest_s,
            now=self.now(),
            chance=self.chance,
        )
        return wait

    def _recovered(self) -> None:
        if self.pace.error is not None:
            log.warning("%s answers again after %d failures", self.market.name, self.pace.failures)
        self.pace.failures, self.pace.error = 0, None
        self._last_good = self.monotonic()

    # -- the share of censuses --------------------------------------------------------------------------------------

    def _census_affordable(self) -> bool:
        limit = self.market.limits.rows_per_day
        day, rows = self._census_rows
        return limit is None or day != self.now().date().isoformat() or rows < limit // 2

    def _note_census(self, rows: int) -> None:
        today = self.now().date().isoformat()
        day, so_far = self._census_rows
        self._census_rows = (today, (so_far if day == today else 0) + rows)

"""One market's poll cycle: it asks what the plan says is due, one question at a time, and never beyond a limit.

What is due is decided by `market.plan`; here the question is asked, the quota is kept, failures are waited out. It
knows nothing of storage or alerts: it is given a ledger, an agenda and somewhere to put answers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from market.agenda import Agenda, Step
from market.budget import CENSUS_SHARE, Budget, row_rate
from market.coverage import Coverage
from market.plan import Plan
from market.snapshot import Snapshot
from scanners.agenda import Ledger, NotYet, Sink
from scanners.errors import OddAnswer, QuotaExhausted, RateLimited, ScanError, Unreachable
from scanners.registry import Marketplace
from scanners.waits import next_midnight, wait_after

log = logging.getLogger(__name__)

ASKED_FOR = "as slowly as the service asks for"
OFFERS_A_MACHINE = 4
LEAST_RESERVED = 64
"""Rows; few questions bring more news than that at once."""
PRESSING_S = 10.0
"""A shorter rest that the service asks for is its even pace, which a few questions by hand may overstep."""
MOST_EXCLUDED = 1_000
"""Machines that one question names at most."""


@dataclass(slots=True)
class Pace:
    """Where one market stands: shown by `status`."""

    failures: int = 0
    wait_s: float = 0.0
    reason: str = "starting"
    error: ScanError | None = None
    next_at: float = 0.0
    """On the monotonic clock."""
    census_s: float | None = None
    """Seconds between two full pictures of a card, as things stand; None where none is taken."""
    round_s: float | None = None
    """Seconds until every probe that costs nothing has had its turn."""


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
    earlier: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """Seconds since queries were answered to an earlier run, and the rows, by their text: a restart is no reason to
    take full pictures anew."""
    crowded: Callable[[], None] = lambda: None
    """Called while offers that nobody may want take nearly all rows."""
    pace: Pace = field(default_factory=Pace)
    plan: Plan = field(init=False)
    _census_rows: tuple[str, int] = ("", 0)
    _wide: set[str] = field(default_factory=set)
    """Questions whose answers were cut because too few rows were asked for."""
    _last_turn: float | None = None

    def __post_init__(self) -> None:
        self.plan = Plan(
            gap_s=self._base_gap(),
            slowest_s=self.slowest_s,
            census_s=self.census_s,
            heartbeat=self.market.heartbeat(),
            confirm=self.market.confirm,
            asked={text: self.monotonic() - ago for text, (ago, _) in self.earlier.items()},
        )
        self.plan.recall({text: rows for text, (_, rows) in self.earlier.items()})

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
        least = max(self._last_turn + self._base_gap() - self.monotonic(), self.market.rest_s())
        return max(min(rest, least), 0.0)

    async def ask(self, coverage: Coverage) -> Snapshot:
        """Ask one query now, inside the quota, and store its answer.

        Raises ScanError when it was not answered, and NotYet when another process has just asked.
        """
        market, at = self.market.name, self.now()
        limits = self.market.limits
        rest = self.market.rest_s()
        if rest > PRESSING_S:
            raise NotYet(rest)
        reserve = self._reserve(coverage)
        # off the loop: another process may hold the database for a while
        allowed = await asyncio.to_thread(self._take, at, reserve)
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
            await self._rested()
            await self._keep_away(error)
            raise
        doubtful = await self.sink.stored(
            snapshot, reserved=allowed if reserve else 0, took_s=self.monotonic() - started
        )
        await self._rested()
        self.plan.doubt(doubtful)
        if not snapshot.cut:
            self._wide.discard(coverage.to_text())
        elif reserve < (limits.rows_per_answer or 0):
            self._wide.add(coverage.to_text())
            self.plan.asked.pop(replace(coverage, excluded_machines=frozenset()).to_text(), None)
        elif snapshot.cut and allowed == reserve and coverage.is_picture():
            self.plan.pictures.split(
                coverage, [int(each.machine) for each in snapshot.offers if each.machine.isdecimal()]
            )
        return snapshot

    def _take(self, at: datetime, reserve: int) -> int:
        """Take the turn and set rows aside: how many may be asked for. Blocks; raises NotYet."""
        wait = self.ledger.turn(self.market.name, at, self._base_gap())
        if wait > 0:
            raise NotYet(wait)
        return self.ledger.begin(self.market.name, at, reserve)

    def _reserve(self, coverage: Coverage) -> int:
        """Rows to set aside for a question, and to ask for at most: what is set aside when a process is killed is lost
        until the day ends, so it is not much more than the question cost last."""
        limits = self.market.limits
        if limits.rows_per_day is None or limits.rows_per_answer is None:
            return 0
        text, last = coverage.to_text(), self.plan.last_rows(coverage)
        if coverage.machines is not None:
            last = OFFERS_A_MACHINE * len(coverage.machines)
        if last is None or text in self._wide:
            return limits.rows_per_answer
        return min(max(2 * last, LEAST_RESERVED), limits.rows_per_answer)

    async def _rested(self) -> None:
        """The next question of any process is due a gap after this answer."""
        self._last_turn = self.monotonic()
        await asyncio.to_thread(self.ledger.answered, self.market.name, self.now(), self._base_gap())

    def _perhaps_charged(self, coverage: Coverage, error: ScanError, allowed: int) -> int:
        """Rows that a query without an answer may have cost all the same: as many as it cost last."""
        if isinstance(error, OddAnswer) or (isinstance(error, Unreachable) and error.asked):
            return min(self.plan.last_rows(coverage) or 0, allowed)
        return 0

    async def _turn(self) -> float:
        agenda = await self.agenda()
        moment, budget = self.monotonic(), self._budget()
        self.pace.census_s = self.plan.census_pace(agenda, budget) if agenda.censuses else None
        self.pace.round_s = self._base_gap() * len(agenda.probes) if agenda.probes else None
        if budget.row_rate == 0:
            return self._until_reset()
        step = self.plan.next(agenda, moment, budget)
        if step.coverage is None:
            self.pace.reason = step.reason
            return step.wait_s
        self._last_turn = moment
        self.plan.took(step, agenda, moment)
        known = agenda.known(step.coverage) if agenda.known is not None else dict[str, float]()
        asked = step.coverage
        if step.purpose == "probe" and known:
            shown = self.plan.let_in(agenda, moment, budget)
            lasts_s = self.plan.known_for(budget, len(known))
            named = [machine for machine, ago in known.items() if ago <= lasts_s and machine not in shown]
            # which of too many are named is all the same: the others cost their rows
            kept_out = frozenset(sorted(named)[:MOST_EXCLUDED])
            asked = replace(step.coverage, excluded_machines=kept_out)
        try:
            snapshot = await self.ask(asked)
        except NotYet as error:
            if error.wait_s > PRESSING_S:
                self.pace.reason = ASKED_FOR
            return error.wait_s
        except ScanError as error:
            wait = self._after_failure(error)
            if isinstance(error, RateLimited):
                await asyncio.to_thread(self.ledger.rest, self.market.name, self.now(), wait)
            return wait
        self._recovered()
        self._note(step, agenda, asked, known.keys(), snapshot)
        if self.plan.is_crowded(agenda, budget):
            self.crowded()
        return await self._wait(agenda)

    def _note(self, step: Step, agenda: Agenda, asked: Coverage, known: Collection[str], snapshot: Snapshot) -> None:
        """Let the plan know an answer. Where known machines can be kept out, a machine costs its rows once; only what
        was never wanted comes again."""
        machines = {offer.machine for offer in snapshot.offers}
        self.plan.answered(
            asked,
            step.purpose,
            rows=snapshot.rows,
            news=len(machines - set(known)) if agenda.known is not None else 0,
            again=snapshot.rows if agenda.known is None or not machines else snapshot.unfit,
            keys=snapshot.keys(),
            moment=self.monotonic(),
        )
        if step.purpose == "census":
            self._note_census(snapshot.rows)

    # -- how long to wait? ------------------------------------------------------------------------------------------

    def _base_gap(self) -> float:
        return 60.0 / self.market.limits.requests_per_minute

    def _budget(self) -> Budget:
        """The rows that may be spent now."""
        limit, at = self.market.limits.rows_per_day, self.now()
        if limit is None:
            return Budget()
        day, rows = self._census_rows
        so_far = rows if day == at.date().isoformat() else 0
        return Budget(
            row_rate=row_rate(at, self.ledger.left(self.market.name, at), next_midnight(at)),
            census_rows_left=max(limit * CENSUS_SHARE - so_far, 0.0),
        )

    async def _wait(self, agenda: Agenda) -> float:
        """Seconds to the next turn after an answer; the server may have asked for more."""
        budget = self._budget()
        if budget.row_rate == 0:
            return self._until_reset()
        wait, self.pace.reason = self.plan.wait(agenda, self.monotonic(), budget)
        rest = self.market.rest_s()
        if rest > PRESSING_S:
            await asyncio.to_thread(self.ledger.rest, self.market.name, self.now(), rest)
        if rest > wait:
            wait, self.pace.reason = rest, ASKED_FOR
        return wait

    def _until_reset(self) -> float:
        at = self.now()
        self.pace.reason = "the day's rows are used up"
        return (next_midnight(at) - at).total_seconds()

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
        return max(wait, self.market.rest_s())

    async def _keep_away(self, error: ScanError) -> None:
        """What a service asked for holds for every process, and after a restart; a mended key may be tried at once."""
        wait_s = self.market.rest_s()
        if isinstance(error, RateLimited):
            wait_s = max(wait_s, error.retry_after or 0.0)
        elif isinstance(error, QuotaExhausted):
            ends = error.resets_at or next_midnight(self.now())
            wait_s = max(wait_s, (ends - self.now()).total_seconds())
        if wait_s > PRESSING_S:
            await asyncio.to_thread(self.ledger.rest, self.market.name, self.now(), wait_s)

    def _recovered(self) -> None:
        if self.pace.error is not None:
            log.warning("%s answers again after %d failures", self.market.name, self.pace.failures)
        self.pace.failures, self.pace.error = 0, None

    def _note_census(self, rows: int) -> None:
        today = self.now().date().isoformat()
        day, so_far = self._census_rows
        self._census_rows = (today, (so_far if day == today else 0) + rows)

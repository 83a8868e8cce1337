"""The poll cycle: what is asked next, how long is waited, and that no limit is ever broken."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest

from market.coverage import Coverage
from market.offer import Offer, Tier
from market.snapshot import Snapshot
from scanners.errors import KeyRejected, OddAnswer, QuotaExhausted, RateLimited, Retired, ScanError, Unreachable
from scanners.poller import Agenda, Poller
from scanners.registry import Limits

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
BOTH: frozenset[Tier] = frozenset({"datacenter", "community"})


def coverage(card: str, **filters: object) -> Coverage:
    return Coverage(market="vast", tiers=BOTH, cards=frozenset({card}), **filters)  # type: ignore[arg-type] # test names them


def offer(machine: str, price: int = 350_000) -> Offer:
    return Offer(
        key=f"vast:{machine}:1",
        market="vast",
        machine=machine,
        gpu="RTX 4090",
        spelling="RTX 4090",
        gpu_count=1,
        vram_gb=24,
        tier="community",
        price=price,
        offer_id="1",
    )


class FakeMarket:
    """Answers each query with a fixed number of rows, or fails as told."""

    name = "vast"

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.asked: list[Coverage] = []
        self.row_limits: list[int | None] = []
        self.rows = 0
        self.rows_of: dict[str, int] = {}
        self.failures: list[ScanError] = []
        self.after_ask: Callable[[], None] = lambda: None

    def heartbeat(self) -> Coverage:
        return coverage("HEARTBEAT")

    def confirm(self, offers: list[Offer]) -> tuple[Coverage, ...]:
        return (Coverage(market="vast", tiers=BOTH, machines=frozenset(each.machine for each in offers)),)

    async def scan(self, query: Coverage, *, row_limit: int | None = None) -> Snapshot:
        self.asked.append(query)
        self.row_limits.append(row_limit)
        self.after_ask()
        if self.failures:
            raise self.failures.pop(0)
        wanted = self.rows_of.get(next(iter(query.cards or ("",))), self.rows)
        rows = wanted if row_limit is None else min(wanted, row_limit)
        return Snapshot(market="vast", coverage=query, complete=True, offers=(), taken_at=START, rows=rows)


class FakeLedger:
    """A day's quota in memory."""

    def __init__(self, rows: int) -> None:
        self.rows_left = rows
        self.busy_s = 0.0
        """How long another process makes this one wait, once."""

    def turn(self, market: str, at: datetime, gap_s: float) -> float:
        wait, self.busy_s = self.busy_s, 0.0
        return wait

    def begin(self, market: str, at: datetime, reserve: int) -> int:
        taken = min(reserve, self.rows_left)
        self.rows_left -= taken
        return taken

    def settle(self, market: str, at: datetime, reserved: int, actual: int) -> None:
        self.rows_left += reserved - actual

    def left(self, market: str, at: datetime) -> int:
        return self.rows_left


class FakeSink:
    """Settles what was set aside and reports the doubtful offers it was told to."""

    def __init__(self, ledger: FakeLedger) -> None:
        self.ledger = ledger
        self.doubtful: tuple[Offer, ...] = ()
        self.failed_with: list[ScanError] = []

    async def stored(self, snapshot: Snapshot, *, reserved: int, took_s: float) -> tuple[Offer, ...]:
        self.ledger.rows_left += reserved - snapshot.rows if reserved else 0
        return self.doubtful

    async def failed(self, query: Coverage, error: ScanError, *, took_s: float) -> None:
        self.failed_with.append(error)


class Bench:
    """A poller on a clock that moves only when told."""

    def __init__(self, *, rows_per_day: int | None = 20_000, requests_per_minute: float = 10.0) -> None:
        limits = Limits(requests_per_minute=requests_per_minute, rows_per_day=rows_per_day, rows_per_answer=512)
        self.market = FakeMarket(limits)
        self.ledger = FakeLedger(rows_per_day or 0)
        self.sink = FakeSink(self.ledger)
        self.agenda = Agenda()
        self.moment = 0.0
        self.poller = Poller(
            market=self.market,  # type: ignore[arg-type] # the poller needs no more of a marketplace than this
            ledger=self.ledger,
            sink=self.sink,
            agenda=self._agenda,
            now=lambda: START + timedelta(seconds=self.moment),
            monotonic=lambda: self.moment,
            chance=Random(1),
            slowest_s=300.0,
            census_s=1800.0,
        )

    async def _agenda(self) -> Agenda:
        return self.agenda

    async def turn(self) -> float:
        wait = await self.poller.turn()
        self.moment += wait
        return wait

    async def until(self, moment: float) -> int:
        """Turns taken before a moment."""
        turns = 0
        while self.moment < moment:
            await self.turn()
            turns += 1
        return turns


async def test_every_rules_query_has_its_turn_at_the_pace_of_the_request_limit() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"), coverage("B")))
    assert [await bench.turn() for _ in range(4)] == [6.0] * 4
    assert [next(iter(each.cards or ())) for each in bench.market.asked] == ["A", "B", "A", "B"]


async def test_with_no_rules_one_cheap_query_keeps_freshness_honest() -> None:
    bench = Bench()
    await bench.until(1500)
    assert len(bench.market.asked) == 5
    assert {next(iter(each.cards or ())) for each in bench.market.asked} == {"HEARTBEAT"}


async def test_a_query_that_a_new_rule_waits_for_goes_first() -> None:
    bench = Bench()
    urgent = coverage("NEW")
    bench.agenda = Agenda(probes=(coverage("OLD"), urgent), urgent=(urgent,), censuses=(coverage("CENSUS"),))
    await bench.turn()
    assert bench.market.asked == [urgent]


async def test_a_census_never_takes_a_probes_turn_twice_in_a_row() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),), censuses=(coverage("C1"), coverage("C2")))
    for _ in range(5):
        await bench.turn()
    assert [next(iter(each.cards or ())) for each in bench.market.asked] == ["C1", "A", "C2", "A", "A"]


async def test_an_offer_in_doubt_is_asked_for_by_machine_and_then_at_most_each_minute() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),), doubtful=(offer("555"),))
    await bench.until(120)
    confirms = [each for each in bench.market.asked if each.machines == frozenset({"555"})]
    assert len(confirms) == 2


async def test_the_days_rows_are_never_exceeded_and_the_wait_lasts_until_the_reset() -> None:
    bench = Bench(rows_per_day=1000)
    bench.market.rows = 400
    spent = 0
    while bench.ledger.rows_left > 0:
        before = bench.ledger.rows_left
        # every query is another one, so that none is known to be costly
        bench.agenda = Agenda(probes=(coverage(str(len(bench.market.asked))),))
        await bench.poller.turn()
        spent += before - bench.ledger.rows_left
    assert spent == 1000
    assert bench.market.row_limits[-1] == 200
    bench.agenda = Agenda(probes=(coverage("one more"),))
    midnight = datetime(2027, 1, 11, tzinfo=UTC)
    assert await bench.poller.turn() == pytest.approx((midnight - START).total_seconds())


async def test_costly_answers_stretch_the_pace_so_that_the_rows_last() -> None:
    bench = Bench(rows_per_day=20_000)
    bench.market.rows = 100
    bench.agenda = Agenda(probes=(coverage("A"),))
    await bench.until(12 * 3600 - 1)
    assert 0 < bench.ledger.rows_left < 4_000
    assert bench.poller.pace.reason.startswith("stretched")


async def test_a_probe_that_costs_nothing_keeps_its_pace_beside_one_that_costs_much() -> None:
    bench = Bench(rows_per_day=20_000)
    dear, free = coverage("PLENTY"), coverage("SCARCE")
    bench.market.rows_of = {"PLENTY": 100}
    bench.agenda = Agenda(probes=(dear, free))
    await bench.until(3600)
    asked = [next(iter(each.cards or ())) for each in bench.market.asked]
    assert asked.count("SCARCE") > 500
    assert 10 < asked.count("PLENTY") < 30


async def test_a_new_rules_queries_do_not_wait_for_the_days_rows_to_be_stretched() -> None:
    bench = Bench(rows_per_day=20_000)
    bench.market.rows = 200
    probes = tuple(coverage(f"NEW {number}") for number in range(5))
    waiting = {probe.to_text() for probe in probes}
    bench.market.after_ask = lambda: waiting.discard(bench.market.asked[-1].to_text())
    waits = []
    while waiting:
        bench.agenda = Agenda(probes=probes, urgent=tuple(each for each in probes if each.to_text() in waiting))
        waits.append(await bench.turn())
    assert waits[:4] == [6.0] * 4


async def test_being_rate_limited_makes_the_waits_grow_up_to_ten_minutes() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [RateLimited("vast", "API requests too frequent") for _ in range(12)]
    waits = [await bench.turn() for _ in range(12)]
    growing = [wait for wait in waits if wait < 600]
    assert all(after >= 1.5 * before for before, after in pairwise(growing))
    assert waits[-1] == 600
    assert sum(1 for at in _moments(waits) if at < 300) <= 6


async def test_the_wait_a_server_asks_for_is_obeyed() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [RateLimited("vast", "slow down", retry_after=1812.0)]
    assert await bench.turn() == 1812.0


async def test_a_rejected_key_is_tried_again_at_most_each_ten_minutes() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [KeyRejected("vast", "bad key") for _ in range(3)]
    assert all(wait >= 600 for wait in [await bench.turn() for _ in range(3)])


async def test_a_spent_quota_waits_for_the_reset_that_the_server_names() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [QuotaExhausted("vast", "quota", resets_at=START + timedelta(hours=3))]
    assert await bench.turn() == 3 * 3600


async def test_a_retired_endpoint_is_hardly_asked_again() -> None:
    bench = Bench()
    bench.market.failures = [Retired("vast", "gone")]
    assert await bench.turn() == 3600


async def test_failures_never_wait_longer_than_the_slowest_pace_and_one_good_answer_heals() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [Unreachable("vast", "no answer") for _ in range(10)]
    waits = [await bench.turn() for _ in range(10)]
    assert max(waits) == 300
    assert await bench.turn() == 6.0
    assert bench.poller.pace.failures == 0


async def test_a_break_and_a_recovery_are_logged_once_each(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [Unreachable("vast", "no answer") for _ in range(4)]
    for _ in range(6):
        await bench.turn()
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == ["vast is failing: no answer", "vast answers again after 4 failures"]


@pytest.mark.parametrize(
    ("error", "charged"),
    [
        (Unreachable("vast", "refused", asked=False), 0),
        (RateLimited("vast", "too often"), 0),
        (Unreachable("vast", "cut off"), 20),
        (OddAnswer("vast", "broken"), 20),
    ],
    ids=["never asked", "refused", "answer lost", "answer broken"],
)
async def test_a_query_without_an_answer_is_charged_what_it_cost_last_if_it_may_have_been(
    error: ScanError, charged: int
) -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.rows = 20
    await bench.turn()
    bench.market.failures = [error]
    await bench.turn()
    assert bench.ledger.rows_left == 20_000 - 20 - charged
    assert bench.sink.failed_with == [error]


async def test_a_market_that_never_answers_costs_no_rows() -> None:
    bench = Bench(rows_per_day=1000)
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [OddAnswer("vast", "a page for people") for _ in range(20)]
    for _ in range(20):
        await bench.turn()
    assert bench.ledger.rows_left == 1000


async def test_when_another_process_has_just_asked_this_one_waits_its_turn() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.ledger.busy_s = 4.5
    assert await bench.turn() == 4.5
    assert bench.market.asked == []
    assert await bench.turn() == 6.0
    assert bench.poller.pace.failures == 0


async def test_censuses_use_at_most_half_of_the_days_rows() -> None:
    bench = Bench(rows_per_day=2_000)
    bench.market.rows = 300
    bench.agenda = Agenda(censuses=(coverage("C1"),))
    bench.poller.census_s = 60.0
    bench.poller.slowest_s = 10_000.0
    await bench.until(3600)
    assert 2_000 - bench.ledger.rows_left <= 1_000 + 300


def _moments(waits: list[float]) -> list[float]:
    moments, at = [], 0.0
    for wait in waits:
        moments.append(at)
        at += wait
    return moments

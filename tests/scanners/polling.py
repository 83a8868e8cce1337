"""A poller on a clock that moves only when told, a market that answers as told, and a day's rows in memory."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from market.coverage import Coverage
from market.offer import Offer, Tier
from market.snapshot import Snapshot
from scanners.agenda import Agenda
from scanners.errors import ScanError
from scanners.poller import Poller
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
        self.rest = 0.0
        self.after_ask: Callable[[], None] = lambda: None

    def rest_s(self) -> float:
        return self.rest

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
        cut = rows < wanted
        return Snapshot(market="vast", coverage=query, complete=not cut, offers=(), taken_at=START, rows=rows, cut=cut)


class FakeLedger:
    """A day's quota in memory."""

    def __init__(self, rows: int) -> None:
        self.rows_left = rows
        self.rests: list[float] = []
        """What was kept for other processes and the next start."""
        self.busy_s = 0.0
        """How long another process makes this one wait, once."""

    def turn(self, market: str, at: datetime, gap_s: float) -> float:
        wait, self.busy_s = self.busy_s, 0.0
        return wait

    def answered(self, market: str, at: datetime, gap_s: float) -> None:
        pass

    def rest(self, market: str, at: datetime, seconds: float) -> None:
        self.rests.append(seconds)

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

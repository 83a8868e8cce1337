"""Whatever is wanted, answered, refused or done to the clock: no limit is broken, and asking never ends."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.agenda import Agenda
from market.coverage import Coverage
from market.offer import Offer
from market.snapshot import Snapshot
from scanners.errors import (
    KeyRejected,
    OddAnswer,
    QuotaExhausted,
    RateLimited,
    Refused,
    Retired,
    ScanError,
    Unreachable,
)
from scanners.poller import Poller
from scanners.registry import Limits
from tests.scanners.polling import BOTH, START, coverage, offer

ROWS_PER_DAY = 3_000
GAP_S = 6.0
LIMITS = Limits(requests_per_minute=60 / GAP_S, rows_per_day=ROWS_PER_DAY, rows_per_answer=512)
FAILURES: list[Any] = [
    lambda: Unreachable("vast", "no answer"),
    lambda: OddAnswer("vast", "a page for people"),
    lambda: Refused("vast", "an error"),
    lambda: RateLimited("vast", "too often"),
    lambda: RateLimited("vast", "too often", retry_after=40.0),
    lambda: QuotaExhausted("vast", "used up"),
    lambda: KeyRejected("vast", "bad key"),
    lambda: Retired("vast", "gone"),
]


@dataclass
class World:
    """A market that answers by chance, a ledger that knows days, and two clocks."""

    chance: Random
    failing: float
    plenty: int
    moment: float = 0.0
    shift: timedelta = timedelta(0)
    asked: list[tuple[float, Coverage]] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    doubtful: tuple[Offer, ...] = ()
    limits: Limits = LIMITS
    name: str = "vast"

    def now(self) -> datetime:
        return START + timedelta(seconds=self.moment) + self.shift

    # -- the marketplace ----------------------------------------------------------------------------------------------

    def heartbeat(self) -> Coverage:
        return coverage("HEARTBEAT", ceiling=1)

    def rest_s(self) -> float:
        return 0.0

    def confirm(self, offers: list[Offer]) -> tuple[Coverage, ...]:
        return (Coverage(market="vast", tiers=BOTH, machines=frozenset(each.machine for each in offers)),)

    async def scan(self, query: Coverage, *, row_limit: int | None = None) -> Snapshot:
        self.asked.append((self.moment, query))
        if self.chance.random() < self.failing:
            error: ScanError = self.chance.choice(FAILURES)()
            raise error
        rows = min(self.chance.randrange(self.plenty + 1), row_limit or 0)
        self.rows[self.now().date().isoformat()] += rows
        shown = tuple(offer(str(self.chance.randrange(40))) for _ in range(min(rows, 3)))
        cut = rows >= 512 and query.is_picture()
        return Snapshot(
            market="vast", coverage=query, complete=not cut, offers=shown, taken_at=self.now(), rows=rows, cut=cut
        )

    # -- the ledger ---------------------------------------------------------------------------------------------------

    def turn(self, market: str, at: datetime, gap_s: float) -> float:
        return 0.0

    def answered(self, market: str, at: datetime, gap_s: float) -> None:
        pass

    def rest(self, market: str, at: datetime, seconds: float) -> None:
        pass

    def begin(self, market: str, at: datetime, reserve: int) -> int:
        return min(reserve, self.left(market, at))

    def settle(self, market: str, at: datetime, reserved: int, actual: int) -> None:
        pass

    def left(self, market: str, at: datetime) -> int:
        return max(ROWS_PER_DAY - self.rows[at.date().isoformat()], 0)

    # -- the sink -----------------------------------------------------------------------------------------------------

    async def stored(self, snapshot: Snapshot, *, reserved: int, took_s: float) -> tuple[Offer, ...]:
        self.doubtful = (offer("7"),) if self.chance.random() < 0.1 else ()
        return self.doubtful

    async def failed(self, query: Coverage, error: ScanError, *, took_s: float) -> None:
        pass


def agenda_of(chance: Random, probes: int, world: World) -> Agenda:
    wanted = tuple(coverage(f"CARD {number}", ceiling=400_000) for number in range(probes))
    return Agenda(
        probes=wanted,
        urgent=wanted[:1] if chance.random() < 0.02 else (),
        censuses=tuple(coverage(f"CARD {number}") for number in range(probes)),
        doubtful=world.doubtful,
        told=((offer("8"), 60.0), (offer("9"), 300.0)) if chance.random() < 0.5 else (),
        standing=tuple(offer(str(number)) for number in range(10, 10 + chance.randrange(30))),
        known=lambda probe: {"10": 30.0, "11": 9e9},
    )


async def live(world: World, probes: int, turns: int, *, jumps: bool) -> list[float]:
    """So many turns; the wait after each."""
    poller = Poller(
        market=world,  # type: ignore[arg-type] # the poller needs no more of a marketplace than this
        ledger=world,
        sink=world,
        agenda=lambda: asyncio.sleep(0, agenda_of(world.chance, probes, world)),
        now=world.now,
        monotonic=lambda: world.moment,
        chance=world.chance,
        slowest_s=300.0,
        census_s=1800.0,
    )
    waits = []
    for _ in range(turns):
        wait = await poller.turn()
        waits.append(wait)
        world.moment += wait
        if jumps and world.chance.random() < 0.05:
            world.shift += timedelta(hours=world.chance.choice([-30, -2, 2, 30]))
    return waits


@settings(max_examples=20)
@given(
    seed=st.integers(0, 1 << 32),
    failing=st.sampled_from([0.0, 0.1, 0.6, 1.0]),
    plenty=st.sampled_from([0, 3, 60, 600]),
    probes=st.integers(0, 7),
    jumps=st.booleans(),
)
def test_no_limit_is_broken_and_asking_never_ends(
    seed: int, failing: float, plenty: int, probes: int, jumps: bool
) -> None:
    world = World(chance=Random(seed), failing=failing, plenty=plenty)
    waits = asyncio.run(live(world, probes, 80, jumps=jumps))
    assert all(after - before >= GAP_S - 1e-6 for before, after in pairwise([at for at, _ in world.asked]))
    assert all(rows <= ROWS_PER_DAY for rows in world.rows.values())
    assert all(0 < wait <= 24 * 3600 for wait in waits)
    if not failing and not plenty and waits:
        assert max(waits) <= 300.0


@settings(max_examples=12)
@given(seed=st.integers(0, 1 << 32), plenty=st.sampled_from([0, 5, 40]), probes=st.integers(1, 7))
def test_no_probe_starves_while_there_are_rows(seed: int, plenty: int, probes: int) -> None:
    world = World(chance=Random(seed), failing=0.0, plenty=plenty)
    asyncio.run(live(world, probes, 150, jumps=False))
    counted = Counter(
        replace(query, excluded_machines=frozenset()) for _, query in world.asked if query.ceiling == 400_000
    )
    assert len(counted) == probes
    if not plenty:
        assert max(counted.values()) - min(counted.values()) <= 3 + 150 // 25  # a first look goes out of turn


@pytest.mark.parametrize("probes", [1, 5, 8])
async def test_probes_that_cost_nothing_hardly_wait_for_other_questions(probes: int) -> None:
    world = World(chance=Random(1), failing=0.0, plenty=0)
    plain = Agenda(
        probes=tuple(coverage(f"CARD {number}", ceiling=400_000) for number in range(probes)),
        censuses=tuple(coverage(f"CARD {number}") for number in range(6)),
        standing=tuple(offer(str(number)) for number in range(10, 60)),
        known=lambda probe: {"10": 30.0},
    )
    poller = Poller(
        market=world,  # type: ignore[arg-type] # the poller needs no more of a marketplace than this
        ledger=world,
        sink=world,
        agenda=lambda: asyncio.sleep(0, plain),
        now=world.now,
        monotonic=lambda: world.moment,
        chance=world.chance,
        slowest_s=300.0,
        census_s=1800.0,
    )
    while world.moment < 3600:
        world.moment += await poller.turn()
    moments = [at for at, query in world.asked if query.cards == frozenset({"CARD 0"}) and query.ceiling]
    mean = (moments[-1] - moments[0]) / (len(moments) - 1)
    assert mean / 2 <= GAP_S * probes / 2 + 1
    censuses = [query for _, query in world.asked if query.is_picture() and query.cards]
    assert len(set(censuses)) == 6

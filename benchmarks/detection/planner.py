"""The product in a run: its pollers, its planner and its judgement, on a clock that jumps from turn to turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from benchmarks.detection.account import Account, Quota, opened
from benchmarks.detection.course import pass_by
from benchmarks.detection.notebook import DayLedger, Notebook
from benchmarks.detection.scene import watches
from benchmarks.detection.windows import Sightings, Window
from benchmarks.detection.world import furnished
from bot.judging import Judge
from market.alerting import Policy
from market.rule import Rule
from scanners.agenda import Agenda
from scanners.poller import Poller

SLOWEST_S: Final = 300.0
CENSUS_S: Final = 1_800.0
"""The product's defaults."""


@dataclass(frozen=True, kw_only=True)
class Life:
    """The product and its account, ready to live."""

    account: Account
    notebook: Notebook
    pollers: Mapping[str, Poller]

    async def passes(self, seconds: float) -> None:
        """Live until that second of the run."""
        turns = {name: poller.turn for name, poller in self.pollers.items()}
        await pass_by(self.account.clock, turns, seconds)

    def agenda(self, name: str) -> Agenda:
        """What is wanted of a market now."""
        return replace(
            self.notebook.judge.agenda(name), told=self.notebook.told(name, self.account.clock.now(), SLOWEST_S)
        )


@asynccontextmanager
async def begun(rules: Sequence[Rule], windows: Sequence[Window], *, quota: Quota, seed: int) -> AsyncIterator[Life]:
    """The product at the beginning of a run: its rules are old, its book is empty."""
    async with opened(furnished(windows, seed), quota) as account:
        judge = Judge(policy=Policy(), markets=account.markets)
        everything = watches(rules)
        judge.take_up(everything)
        notebook = Notebook(
            judge=judge,
            watches=everything,
            ledgers={name: DayLedger(market.limits.rows_per_day) for name, market in account.markets.items()},
            sightings=Sightings(windows),
            clock=account.clock,
        )
        pollers: dict[str, Poller] = {}
        life = Life(account=account, notebook=notebook, pollers=pollers)
        pollers.update({name: _poller(name, life) for name in account.markets})
        yield life


def _poller(name: str, life: Life) -> Poller:
    async def agenda() -> Agenda:
        return life.agenda(name)

    return Poller(
        market=life.account.markets[name],
        ledger=life.notebook.ledgers[name],
        sink=life.notebook,
        agenda=agenda,
        now=life.account.clock.now,
        monotonic=life.account.clock.monotonic,
        chance=Random(f"poller {name}"),
        slowest_s=SLOWEST_S,
        census_s=CENSUS_S,
        crowded=lambda: life.notebook.judge.narrow(name),
    )

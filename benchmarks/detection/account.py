"""One account at both simulated services: the real marketplace modules, virtual time, and a count of what was asked."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import httpx
from pydantic import SecretStr

from benchmarks.detection.scene import RUNPOD_PER_MINUTE, START, VAST_PER_MINUTE, VAST_ROWS_A_DAY
from market.gpu import CATALOGUE
from scanners.markets import runpod, vast
from scanners.registry import Marketplace
from scanners.simulator.exchange import Answer, Asked
from scanners.simulator.inprocess import InProcessTransport
from scanners.simulator.limits import Window
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.runpod import RunPodPolicy
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer
from scanners.simulator.vast import VastPolicy

ROOT: Final = "http://simulator.invalid"


class VirtualClock:
    """Whole milliseconds since the start; only the benchmark moves it."""

    def __init__(self) -> None:
        self._ms = 0

    def now(self) -> datetime:
        """Aware UTC."""
        return START + timedelta(milliseconds=self._ms)

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self._ms / 1_000

    def go(self, to: float) -> None:
        """Forward to that second, rounded up; a time that is past changes nothing."""
        self._ms = max(self._ms, math.ceil(round(to * 1_000, 3)))


@dataclass(kw_only=True, slots=True)
class Spending:
    """What one market was asked."""

    requests: int = 0
    rows: int = 0
    refused: int = 0
    closest_s: float = math.inf
    """The smallest distance of two requests."""
    last_at: float = -math.inf


@dataclass(frozen=True, kw_only=True, slots=True)
class Quota:
    """What both services allow, as shares of the full quota."""

    share: float = 1.0

    @property
    def vast_per_minute(self) -> float:
        """Requests."""
        return VAST_PER_MINUTE * self.share

    @property
    def runpod_per_minute(self) -> float:
        """Requests."""
        return RUNPOD_PER_MINUTE * self.share

    @property
    def rows_a_day(self) -> int:
        """Of Vast.ai."""
        return round(VAST_ROWS_A_DAY * self.share)

    def spacing(self, market: str) -> float:
        """The seconds that two requests are apart at least."""
        return 60.0 / (self.vast_per_minute if market == "vast" else self.runpod_per_minute)

    def windows(self) -> tuple[Window, ...]:
        """RunPod's own: so many requests a minute, an hour and a day. Each poller takes half of the first at most."""
        return tuple(replace(window, quota=round(window.quota * self.share)) for window in RunPodPolicy().windows)


@dataclass(frozen=True, kw_only=True)
class Account:
    """Ready to ask both markets."""

    clock: VirtualClock
    quota: Quota
    markets: Mapping[str, Marketplace]
    spent: Mapping[str, Spending]


@asynccontextmanager
async def opened(market: SimulatedMarket, quota: Quota, *, pod_sizes: tuple[int, ...] = (1,)) -> AsyncIterator[Account]:
    """An account with keys; `pod_sizes` are those of RunPod's censuses."""
    clock = VirtualClock()
    server = SimulatorServer(
        market,
        clock,
        vast_policy=VastPolicy(requests_per_minute=quota.vast_per_minute, rows_per_day=quota.rows_a_day),
        runpod_policy=RunPodPolicy(windows=quota.windows()),
    )
    spent = {"vast": Spending(), "runpod": Spending()}

    def heard(asked: Asked, answer: Answer) -> None:
        spending = spent["runpod" if asked.path.startswith("/v2/") else "vast"]
        spending.requests += 1
        spending.rows += answer.rows
        spending.refused += answer.status != 200
        spending.closest_s = min(spending.closest_s, round(clock.monotonic() - spending.last_at, 3))
        spending.last_at = clock.monotonic()

    async with httpx.AsyncClient(transport=InProcessTransport(server, clock, heard)) as client:
        yield Account(
            clock=clock,
            quota=quota,
            markets={
                "vast": vast.build(
                    vast.Settings(
                        url=ROOT,
                        api_key=SecretStr(VAST_KEY),
                        requests_per_minute=quota.vast_per_minute,
                        rows_per_day=quota.rows_a_day,
                    ),
                    client,
                    CATALOGUE,
                    clock.now,
                ),
                "runpod": runpod.build(
                    runpod.Settings(
                        url=ROOT,
                        api_key=SecretStr(RUNPOD_KEY),
                        requests_per_minute=quota.runpod_per_minute,
                        gpu_counts=pod_sizes,
                    ),
                    client,
                    CATALOGUE,
                    clock.now,
                ),
            },
            spent=spent,
        )

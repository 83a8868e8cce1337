"""Homes to test in."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest

from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import SimulatorServer
from scanners.simulator.vast import VastPolicy
from tests.end_to_end.clock import START, everywhere
from tests.end_to_end.telegram.clock import PatientClock
from tests.end_to_end.telegram.home import Home
from tests.fakes.botapi import BotApi


class BuildHome(Protocol):
    """Builds a home beside a market in which nothing moves by itself."""

    async def __call__(self, **options: Any) -> Home: ...


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's switch is put back afterwards; certificates, slow to load and not needed, are loaded once."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    monkeypatch.setattr(httpx, "create_ssl_context", _certificates)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> PatientClock:
    """One clock for the market, Telegram, the product and every command."""
    clock = PatientClock(START)
    everywhere(clock, monkeypatch)
    return clock


@pytest.fixture
async def api(clock: PatientClock) -> AsyncIterator[BotApi]:
    """Telegram."""
    async with BotApi(clock=lambda: clock.now().timestamp()) as running:
        yield running


@pytest.fixture
async def build_home(tmp_path: Path, clock: PatientClock, api: BotApi, blank: bytes) -> AsyncIterator[BuildHome]:
    """Builds the home of a test."""
    (tmp_path / "atalaia.db").write_bytes(blank)
    async with AsyncExitStack() as stack:

        async def build(**options: Any) -> Home:
            policy = VastPolicy(requests_per_minute=None)
            server = SimulatorServer(SimulatedMarket.empty(START), clock, vast_policy=policy)
            await stack.enter_async_context(server)
            return Home(tmp_path, server, clock, api, **options)

        yield build


@pytest.fixture
async def home(build_home: BuildHome) -> Home:
    """The usual home: one owner, nobody else."""
    return await build_home()

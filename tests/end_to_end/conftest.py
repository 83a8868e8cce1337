"""Houses to test in, and an environment without anything of the machine that runs the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import SimulatorServer
from scanners.simulator.vast import VastPolicy
from storage.store import open_store
from tests.end_to_end.clock import START, ManualClock, everywhere
from tests.end_to_end.house import BuildHouse, House
from tests.end_to_end.nursery import Nursery
from tests.end_to_end.process import surroundings

_OF_THE_MACHINE = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "TZ", "PYTHONTZPATH", "XDG_CONFIG_HOME")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No proxies, keys, zones or configuration of whoever runs the tests."""
    for name in (*_OF_THE_MACHINE, "ATALAIA_TELEGRAM_TOKEN", "ATALAIA_VAST_API_KEY", "ATALAIA_RUNPOD_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """One clock for the market, the product and every command."""
    clock = ManualClock(START)
    everywhere(clock, monkeypatch)
    return clock


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An empty database of this version: copying it is quicker than making each one."""
    path = tmp_path_factory.mktemp("blank") / "blank.db"
    open_store(f"sqlite:///{path}", now=START).close()
    return path.read_bytes()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Where the processes of the product come from."""
    with Nursery(surroundings()) as nursery:
        yield nursery


@pytest.fixture
async def build_house(tmp_path: Path, clock: ManualClock, blank: bytes) -> AsyncIterator[BuildHouse]:
    """Builds the house of a test around a market in which nothing moves by itself."""
    (tmp_path / "atalaia.db").write_bytes(blank)
    async with AsyncExitStack() as stack:

        async def build(
            *, keys: bool = True, extra: str = "", vast_policy: VastPolicy | None = None, **options: Any
        ) -> House:
            policy = vast_policy or VastPolicy(requests_per_minute=None)
            server = SimulatorServer(SimulatedMarket.empty(START), clock, vast_policy=policy, **options)
            await stack.enter_async_context(server)
            return House(tmp_path, server, clock, keys=keys, extra=extra)

        yield build


@pytest.fixture
async def house(build_house: BuildHouse) -> House:
    """The usual house: both markets, with keys."""
    return await build_house()

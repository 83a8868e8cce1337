"""The stage of the demo: a simulated market on loopback, a clock sixty times as fast, and the real product on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.clock import FastClock, SystemClock
from bot.demo.past import lay_past
from bot.product import Product, assembled
from bot.settings import Settings, load
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer

SPEED = 60.0
PAST = timedelta(days=28)
PAST_EVERY = timedelta(hours=4)
CENSUS_MINUTES = 120
"""Seldom, so that the day's rows are there for rules."""
OFFERS = 300
CARDS = ("RTX 4090", "RTX 5090", "H100 SXM")
SEED = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """What the demo plays on."""

    product: Product
    market: SimulatedMarket
    clock: FastClock


@asynccontextmanager
async def staged(
    folder: Path, *, language: str, progress: Callable[[float], None], timezone: str = "UTC"
) -> AsyncIterator[Stage]:
    """Set the stage in an empty folder; the simulated clock starts at the present when the history is laid down."""
    now = SystemClock().now()
    market = SimulatedMarket(seed=SEED, start=now - PAST, offers=OFFERS)
    clock = FastClock(now, SPEED)
    settings = _settings(folder, language, timezone, url="http://127.0.0.1:9")
    async with assembled(settings, clock) as product:
        async for share in lay_past(product, market, until=now, every=PAST_EVERY, cards=CARDS):
            progress(share)
            await asyncio.sleep(0)  # laying it down waits for nothing: without this no bound and no signal is heard
    # the laying took real time: the clock of the play starts where the history ends
    clock = FastClock(now, SPEED)
    async with SimulatorServer(market, clock) as server:
        settings = _settings(folder, language, timezone, url=server.url)
        async with assembled(settings, clock) as product:
            yield Stage(product=product, market=market, clock=clock)


def _settings(folder: Path, language: str, timezone: str, *, url: str) -> Settings:
    config = folder / "demo.toml"
    config.write_text(
        f'language = "{language}"\ntimezone = "{timezone}"\n'
        f'[marketplaces.vast]\nurl = "{url}"\ncensus_minutes = {CENSUS_MINUTES}\n'
        f'[marketplaces.runpod]\nurl = "{url}"\n'
        f"[history]\ncards = {list(CARDS)!r}\n".replace("'", '"'),
        encoding="utf-8",
    )
    # keys that only the simulator knows, given as the environment would give them
    keys = {"ATALAIA_VAST_API_KEY": VAST_KEY, "ATALAIA_RUNPOD_API_KEY": RUNPOD_KEY}
    return load(config, environ=keys, cwd=folder)

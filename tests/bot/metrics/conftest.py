"""A product with its metrics served on loopback, and hands to put things into its store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.metrics.exporter import metrics_served
from bot.product import Product, assembled
from bot.settings import load
from tests.bot.metrics.scraping import Scraper
from tests.end_to_end.clock import ManualClock
from tests.storage.stage import START, Stage

TOKEN = "7000000001:" + 7 * "never"
CONFIG = """
[storage]
url = "sqlite:///atalaia.db"
[marketplaces.vast]
api_key = "secret-of-vast"
[metrics]
listen = "127.0.0.1:0"
"""


@pytest.fixture
def clock() -> ManualClock:
    """It stands still unless a test moves it."""
    return ManualClock(START)


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An empty database of this version: copying it is quicker than making each one."""
    stage = Stage(tmp_path_factory.mktemp("blank") / "blank.db")
    stage.store.close()
    return stage.path.read_bytes()


@pytest.fixture
def stage(tmp_path: Path, blank: bytes) -> Iterator[Stage]:
    """Another process on the product's database."""
    (tmp_path / "atalaia.db").write_bytes(blank)
    stage = Stage(tmp_path / "atalaia.db")
    yield stage
    stage.store.close()


@pytest.fixture
async def product(tmp_path: Path, clock: ManualClock, stage: Stage) -> AsyncIterator[Product]:
    """Built as `run` builds it; it asks no market."""
    config = tmp_path / "config.toml"
    config.write_text(CONFIG, encoding="utf-8")
    async with assembled(load(config, environ={"ATALAIA_TELEGRAM_TOKEN": TOKEN}, cwd=tmp_path), clock) as product:
        yield product


@pytest.fixture
async def scraper(product: Product) -> AsyncIterator[Scraper]:
    """Asks over HTTP."""
    async with metrics_served(product) as address:
        assert address is not None
        async with Scraper(address) as scraper:
            yield scraper

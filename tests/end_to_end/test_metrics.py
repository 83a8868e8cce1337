"""Metrics of the real process: served while it watches, gone when it stops, refused where they cannot be."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.metrics.address import listen_address
from tests.bot.metrics.scraping import Scraper
from tests.end_to_end.nursery import Nursery
from tests.end_to_end.process import PATIENCE_S, Machine, Process, installed


@pytest.fixture
async def machine(tmp_path: Path, nursery: Nursery) -> AsyncIterator[Machine]:
    async with installed(tmp_path, nursery) as machine:
        yield machine


def configure(machine: Machine, listen: str) -> None:
    machine.configure({"cheap": "RTX 4090 <=0.40 vast"})
    text = machine.config.read_text(encoding="utf-8")
    machine.config.write_text(f"{text}[metrics]\nlisten = '{listen}'\n", encoding="utf-8")


async def address_of(run: Process) -> str:
    """Where it says that it serves them."""
    await run.says("/metrics\n")
    (address,) = re.findall(r"metrics are served at http://(\S+)/metrics\n", run.out)
    return str(address)


async def until(machine: Machine, wanted: Callable[[], Awaitable[bool]]) -> None:
    """Look after each answer of the market whether it is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not await wanted():
            await machine.answers(1)


async def test_a_running_product_tells_of_its_alerts_and_stops_in_time_while_somebody_hangs(machine: Machine) -> None:
    configure(machine, "127.0.0.1:0")
    run = await machine.start("run", PYTHONDEVMODE="1")
    async with Scraper(listen_address(await address_of(run))) as scraper:

        async def healthy() -> bool:
            return (await scraper.ask("/healthz")).status_code == 200

        async def sent() -> bool:
            return (await scraper.values(kind="available", outcome="sent"))["atalaia_alerts_total"] == 1

        crowd = [await scraper.hang() for _ in range(5)]
        await until(machine, healthy)
        machine.market.vast.add_machine()
        await run.until(lambda: len(run.alerts) == 1)
        await until(machine, sent)  # it is noted just after it is printed
        vast = await scraper.values(market="vast")
        assert vast["atalaia_market_open_offers"] == 1
        assert vast["atalaia_market_today_requests"] > 1
        assert (await scraper.values(state="active"))["atalaia_rules"] == 1
        assert (await scraper.values())["atalaia_alert_delay_seconds_count"] == 1
        before = time.monotonic()
        run.signal(signal.SIGTERM)
        assert await run.ends(10) == 0
        assert time.monotonic() - before < 10
        with pytest.raises(ConnectionError):
            await scraper.hang()
        for stuck in crowd:
            await stuck.ends()
    assert run.out.endswith("nothing was left half done\n")
    assert not re.search(r"Traceback|Exception|Warning", run.err), run.err


async def test_a_port_that_is_taken_ends_the_start_with_one_line(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        configure(machine, address)
        run = await machine.start("run")
        assert await run.ends() == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert f"config.toml: metrics.listen: {address}: another program listens there" in run.err

"""The server between a slow world and a product that must not notice."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import httpx
import pytest

from bot.metrics.address import ListenAddress
from bot.metrics.exporter import metrics_served
from bot.metrics.server import DEADLINE_S, MOST, MetricsServer
from bot.product import Product, assembled
from bot.settings import ConfigError, load
from tests.bot.metrics.scraping import Scraper
from tests.end_to_end.clock import ManualClock
from tests.storage.stage import START, Stage


def hello(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    """An application."""
    start_response("200 OK", [("Content-Length", "5")])
    return [b"hello"]


def broken(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    """An application with a fault."""
    raise ZeroDivisionError("a fault of ours")


def server_of(app: object, clock: ManualClock, host: str = "127.0.0.1") -> MetricsServer:
    server = MetricsServer(ListenAddress(host=host, port=0), app, clock.monotonic)  # type: ignore[arg-type] # see above
    server.start()
    return server


@pytest.fixture
def server(clock: ManualClock) -> Iterator[MetricsServer]:
    server = server_of(hello, clock)
    yield server
    server.stop()


async def test_a_client_that_hangs_does_not_keep_others_from_being_answered(server: MetricsServer) -> None:
    async with Scraper(server.address) as scraper:
        stuck = await scraper.hang()
        assert (await scraper.ask("/")).text == "hello"
        await stuck.leaves()


@pytest.mark.parametrize("said", [b"", b"GET /metrics HT", b"GET /metrics HTTP/1.1\r\nHost: x\r\n"])
async def test_a_client_that_hangs_is_cut_off_at_the_deadline(
    server: MetricsServer, clock: ManualClock, said: bytes
) -> None:
    async with Scraper(server.address) as scraper, asyncio.timeout(5):
        stuck = await scraper.hang(said)
        assert (await scraper.ask("/")).text == "hello"  # the hanging one came first, so its time runs
        clock.move(seconds=DEADLINE_S + 1)
        await stuck.ends()
        assert (await scraper.ask("/")).text == "hello"


async def test_a_crowd_gets_no_more_threads_than_there_are(server: MetricsServer, clock: ManualClock) -> None:
    async with Scraper(server.address) as scraper, asyncio.timeout(5):
        crowd = [await scraper.hang() for _ in range(MOST)]
        late = await scraper.hang()
        assert await late.ends() == b""
        clock.move(seconds=DEADLINE_S + 1)
        for stuck in crowd:
            await stuck.ends()
        while True:
            with contextlib.suppress(httpx.TransportError):  # their threads end a moment after their connections
                assert (await scraper.ask("/")).text == "hello"
                break


async def test_stopping_takes_little_time_while_somebody_hangs_and_frees_the_port(clock: ManualClock) -> None:
    server = server_of(hello, clock)
    async with Scraper(server.address) as scraper:
        stuck = await scraper.hang()
        assert (await scraper.ask("/")).text == "hello"
        before = time.monotonic()
        await asyncio.to_thread(server.stop)
        assert time.monotonic() - before < 5
        await stuck.ends()
    MetricsServer(server.address, hello, clock.monotonic).server_close()


@pytest.mark.parametrize(
    "said", [b"\r\n\r\n", b"nonsense\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\xff\x00" * 9 + b"\r\n"]
)
async def test_nonsense_is_answered_or_closed_and_not_logged(
    server: MetricsServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], said: bytes
) -> None:
    async with Scraper(server.address) as scraper, asyncio.timeout(5):
        stuck = await scraper.hang(said)
        await stuck.ends()
        assert (await scraper.ask("/")).text == "hello"
    assert capfd.readouterr().err == ""
    assert [record for record in caplog.records if record.name.startswith("bot.")] == []


async def test_a_fault_of_the_application_is_one_line_in_the_log(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    server = server_of(broken, clock)
    with caplog.at_level(logging.INFO):
        async with Scraper(server.address) as scraper:
            assert (await scraper.ask("/")).status_code == 500
    server.stop()
    assert [record.getMessage() for record in caplog.records if record.name == "bot.metrics.server"] == [
        "metrics cannot be told: ZeroDivisionError: a fault of ours"
    ]


async def test_it_listens_on_ipv6_too(clock: ManualClock) -> None:
    try:
        server = server_of(hello, clock, "::1")
    except OSError as error:
        if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            raise
        pytest.skip("this machine has no IPv6")
    async with Scraper(server.address) as scraper:
        assert str(scraper.address).startswith("[::1]:")
        assert (await scraper.ask("/")).text == "hello"
    server.stop()


# -- with the product ------------------------------------------------------------------------------------------------


async def refusal(tmp_path: Path, blank: bytes, listen: str) -> str:
    """What is said of an address that cannot be listened on."""
    (tmp_path / "atalaia.db").write_bytes(blank)
    config = tmp_path / "config.toml"
    config.write_text(f"[metrics]\nlisten = '{listen}'\n", encoding="utf-8")
    async with assembled(load(config, environ={}, cwd=tmp_path), ManualClock(START)) as product:
        with pytest.raises(ConfigError) as refused:
            async with metrics_served(product):
                pass
    return str(refused.value)


async def test_a_busy_port_is_named_with_the_remedy(tmp_path: Path, blank: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        assert await refusal(tmp_path, blank, address) == (
            f"metrics.listen: {address}: another program listens there; stop it or choose another port"
        )


async def test_an_address_of_another_machine_is_named_with_the_remedy(tmp_path: Path, blank: bytes) -> None:
    assert "metrics.listen: 192.0.2.1:9109: this machine has no such address" in await refusal(
        tmp_path, blank, "192.0.2.1:9109"
    )


async def test_without_an_address_nothing_is_served(tmp_path: Path, stage: Stage) -> None:
    async with (
        assembled(load(None, environ={}, cwd=tmp_path), ManualClock(START)) as product,
        metrics_served(product) as address,
    ):
        assert address is None


@pytest.mark.parametrize("loopback", [True, False])
async def test_an_address_that_others_can_reach_is_warned_of(
    product: Product, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, loopback: bool
) -> None:
    monkeypatch.setattr(ListenAddress, "is_loopback", loopback)
    async with metrics_served(product):
        pass
    warned = [record.levelname for record in caplog.records if "can be reached from other machines" in record.message]
    assert warned == ([] if loopback else ["WARNING"])

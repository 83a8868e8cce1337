"""The whole product between a simulated market on loopback and a terminal, on a clock that only the test moves.

Nothing of the product is replaced but the clock: requests go over HTTP, answers into a database file, alerts through
the outbox to a terminal, and questions are asked by the command line.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Protocol

from bot.__main__ import call
from bot.channels.terminal import TerminalChannel
from bot.filerules import sync_file_rules
from bot.language import speech_for
from bot.notice import Notice
from bot.product import assembled
from bot.running import Running
from bot.settings import load
from scanners.simulator.journal import Entry
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer
from scanners.simulator.vast import VastPolicy
from tests.end_to_end.clock import ManualClock

SEARCH: Final = "/api/v0/bundles/"
_ALERT: Final = re.compile(r"^(?=\[\d+\] )", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


def alerts_in(text: str) -> list[str]:
    """The alerts of a terminal's text, in order."""
    return [part.rstrip() for part in _ALERT.split(text) if _ALERT.match(part)]


def best_prices(history: dict[str, Any], terms: str = "on_demand") -> set[float]:
    """The best prices per GPU-hour that a history shows on some terms."""
    prices = {point["best_usd_per_gpu_hour"] for point in history["series"] if point["terms"] == terms}
    return {price for price in prices if price is not None}


async def ask(config: Path, *words: str) -> Said:
    """One call of the command line, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), _logging_kept():
        code = await asyncio.to_thread(call, ["--config", str(config), *words])
    return Said(code=code, out=out.getvalue(), err=err.getvalue())


class House:
    """A set-up in a folder of its own. `running()` lets the product live in it; commands work with and without."""

    def __init__(self, folder: Path, server: SimulatorServer, clock: ManualClock, *, keys: bool, extra: str) -> None:
        self.server = server
        self.market = server.market
        self.clock = clock
        self.folder = folder
        self.config = folder / "config.toml"
        self._keys = keys
        self._extra = extra
        self.configure()
        self.terminal = io.StringIO()
        self.notices: list[str] = []

    def configure(self, per_minute: float = 4) -> None:
        """Write the configuration: how often a minute each service is asked."""
        text = config_text(self.server.url, keys=self._keys, extra=self._extra, per_minute=per_minute)
        self.config.write_text(text, encoding="utf-8")

    async def scan(self, *words: str) -> Said:
        """`scan`, which waits between its questions in real time, so that it is done in no time."""
        self.configure(per_minute=60_000)
        said = await self.ask("scan", *words)
        self.configure()
        return said

    async def ask(self, *words: str) -> Said:
        """One call of the command line."""
        return await ask(self.config, *words)

    async def watch(self, rule: str, chat: str = "terminal") -> int:
        """Add a rule by the command line; its id."""
        said = await self.ask("watch", "add", rule, "--chat", chat, "--json")
        assert said.code == 0, said.err
        return int(said.json["id"])

    async def log(self) -> list[dict[str, Any]]:
        """The whole log of alerts, by the command line."""
        said = await self.ask("alerts", "--since", "2027-01-01", "--json")
        assert said.code == 0, said.err
        return list(said.json["alerts"])

    async def offers(self, *rule: str) -> list[dict[str, Any]]:
        """The current offers that match, by the command line."""
        said = await self.ask("now", *rule, "--json")
        assert said.code == 0, said.err
        return list(said.json["offers"])

    async def history(self, card: str, days: float = 1) -> dict[str, Any]:
        """Price and supply of a card, by the command line."""
        said = await self.ask("history", card, "--days", str(days), "--json")
        assert said.code == 0, said.err
        return dict(said.json)

    def alerts(self) -> list[str]:
        """The alerts that the terminal showed, in order."""
        return alerts_in(self.terminal.getvalue())

    def asked(self, market: str) -> list[Entry]:
        """What one market was asked, oldest first."""
        vast = self.server.journal.of(SEARCH)
        return vast if market == "vast" else [entry for entry in self.server.journal if entry not in vast]

    @asynccontextmanager
    async def running(self, *markets: str) -> AsyncIterator[Life]:
        """The product as `run` builds it, while the block lasts; to save time it may ask some markets only."""
        settings = load(self.config, environ={}, cwd=self.folder)
        async with assembled(settings, self.clock) as product:
            sync_file_rules(product)
            channel = TerminalChannel(self.terminal, product.links, speech_for(settings.language))

            def tell(notice: Notice) -> None:
                self.notices.append(notice(speech_for(settings.language), product.zone))

            running = Running(product, channel_of=lambda chat: channel, notice=tell)
            product.outbox.release_leases()
            yield Life(running, self.clock, markets)


class BuildHouse(Protocol):
    """Builds a house around a market in which nothing moves by itself."""

    async def __call__(
        self, *, keys: bool = True, extra: str = "", vast_policy: VastPolicy | None = None, **options: Any
    ) -> House: ...


class Life:
    """A product that runs as fast as the test lets time pass."""

    def __init__(self, running: Running, clock: ManualClock, markets: Sequence[str] = ()) -> None:
        self._running = running
        self._clock = clock
        self._due = dict.fromkeys(markets or running.pollers, clock.monotonic())

    async def passes(self, *, seconds: float = 0, minutes: float = 0) -> None:
        """Let so much time pass: every turn of every market and every message at its own moment."""
        end = self._clock.monotonic() + seconds + minutes * 60
        await self._take_up()
        while True:
            name = min(self._due, key=lambda market: self._due[market])
            moment = min(self._due[name], self._next_message())
            if moment > end:
                break
            self._clock.move(seconds=max(moment - self._clock.monotonic(), 0.0))
            if moment >= self._due[name]:
                turn = self._running._turn_of(name, self._running.pollers[name])
                self._due[name] = self._clock.monotonic() + await turn()
            while await self._running._deliverer.round():
                pass
            await self._take_up()
        self._clock.move(seconds=max(end - self._clock.monotonic(), 0.0))

    async def _take_up(self) -> None:
        known = self._running._rules
        await self._running._take_up()
        if self._running._rules - known:
            for name in self._due:
                hurry = self._running.pollers[name].hurry()
                self._due[name] = min(self._due[name], self._clock.monotonic() + hurry)

    def _next_message(self) -> float:
        due = self._running._product.outbox.next_due()
        if due is None:
            return float("inf")
        return self._clock.monotonic() + max((due - self._clock.now()) / timedelta(seconds=1), 0.0)


@contextmanager
def _logging_kept() -> Iterator[None]:
    """A command sets logging up for its own process; here it must not take the test's away."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in list(root.manager.loggerDict)}
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        for name in list(root.manager.loggerDict):
            logging.getLogger(name).setLevel(levels.get(name, logging.NOTSET))


def config_text(url: str, *, keys: bool = True, extra: str = "", per_minute: float = 4) -> str:
    """A configuration that asks the simulated market and nobody else."""
    vast_key, runpod_key = (VAST_KEY, RUNPOD_KEY) if keys else ("", "")
    return f"""{extra}

[marketplaces.vast]
url = "{url}"
api_key = "{vast_key}"
requests_per_minute = {per_minute}

[marketplaces.runpod]
url = "{url}"
api_key = "{runpod_key}"
requests_per_minute = {per_minute}
"""

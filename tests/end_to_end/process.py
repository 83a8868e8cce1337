"""Real processes of the product against a simulated market that lives in the test's own loop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scanners.simulator.clock import SimClock
from scanners.simulator.exchange import Asked
from scanners.simulator.journal import Journal
from scanners.simulator.limits import Window
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.runpod import RunPodPolicy
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer
from scanners.simulator.vast import VastPolicy
from tests.end_to_end.house import alerts_in, ask
from tests.end_to_end.nursery import ROOT, Child, Nursery

PATIENCE_S: Final = 40.0
"""How long anything is waited for; a machine under load is slow."""
_NO_WINDOWS: Final = RunPodPolicy(windows=(Window(name="minute", quota=1_000_000, seconds=60),))


class Process:
    """One running command: its lines as they come, and its end."""

    def __init__(self, process: asyncio.subprocess.Process | Child) -> None:
        self._process = process
        self._news = asyncio.Event()
        self.out = ""
        self.err = ""
        self._readers = [
            asyncio.create_task(self._read(process.stdout, "out")),
            asyncio.create_task(self._read(process.stderr, "err")),
        ]

    async def until(self, wanted: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        """Wait until what it has said so far is enough."""
        try:
            async with asyncio.timeout(patience_s):
                while not wanted():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"waited in vain; said so far:\n{self.out}\n{self.err}") from None

    async def says(self, text: str) -> None:
        """Wait for a text on either stream."""
        await self.until(lambda: text in self.out + self.err)

    async def ends(self, patience_s: float = PATIENCE_S) -> int:
        """Wait for the end; the exit code, negative for a signal."""
        async with asyncio.timeout(patience_s):
            code = await self._process.wait()
            await asyncio.gather(*self._readers)
        return code

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.returncode is None

    @property
    def json(self) -> Any:
        """The one document on its standard output."""
        return json.loads(self.out)

    @property
    def alerts(self) -> list[str]:
        """The alerts it has printed whole, in order."""
        return alerts_in(self.out[: self.out.rfind("\n\n") + 1])

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    async def _read(self, stream: asyncio.StreamReader | None, name: str) -> None:
        assert stream is not None
        while line := await stream.readline():
            setattr(self, name, getattr(self, name) + line.decode())
            self._news.set()


class AnnouncingJournal(Journal):
    """Sets an event at each entry."""

    def __init__(self, written: asyncio.Event) -> None:
        super().__init__()
        self._written = written

    def write(self, asked: Asked, *, status: int | None, rows: int, fault: str | None) -> None:
        """Note a request and say so."""
        super().write(asked, status=status, rows=rows, fault=fault)
        self._written.set()


class Machine:
    """A computer on which the product is installed: a folder, a market it can reach, and the processes started.

    With a nursery they start sooner, but for those that are given options or variables of the interpreter.
    """

    def __init__(self, folder: Path, server: SimulatorServer, nursery: Nursery | None = None) -> None:
        self.folder = folder
        self.server = server
        self.market = server.market
        self.config = folder / "config.toml"
        self.database = folder / "atalaia.db"
        self.asked = asyncio.Event()
        server.journal = AnnouncingJournal(self.asked)
        self._nursery = nursery
        self._started: list[asyncio.subprocess.Process | Child] = []

    def configure(self, rules: Mapping[str, str], per_minute: float = 3000) -> None:
        """Write the configuration with these rules."""
        watches = "".join(f'[[watches]]\nname = "{name}"\nrule = "{rule}"\n' for name, rule in rules.items())
        self.config.write_text(
            f"""
[marketplaces.vast]
url = "{self.server.url}"
api_key = "{VAST_KEY}"
requests_per_minute = {per_minute}
rows_per_day = 1000000000
[marketplaces.runpod]
url = "{self.server.url}"
api_key = "{RUNPOD_KEY}"
requests_per_minute = {per_minute}
{watches}""",
            encoding="utf-8",
        )

    async def start(self, *words: str, options: tuple[str, ...] = (), **environment: str) -> Process:
        """Start one command."""
        everything = {**surroundings(), "HOME": str(self.folder), **environment}
        process: asyncio.subprocess.Process | Child
        if self._nursery and not options and not any(name.startswith("PYTHON") for name in environment):
            process = await self._nursery.start(words, folder=self.folder, environment=everything)
        else:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, *options, "-m", "bot", *words),
                cwd=self.folder,
                env=everything,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        self._started.append(process)
        return Process(process)

    async def ask(self, *words: str) -> Any:
        """The JSON document that answers a question, asked in this process: quicker than another one."""
        said = await ask(self.config, *words, "--json")
        assert said.code == 0, said.err
        return said.json

    async def answers(self, number: int) -> None:
        """Wait until the market has been asked so many more times."""
        journal = self.server.journal
        goal = len(journal) + number
        async with asyncio.timeout(PATIENCE_S):
            while len(journal) < goal:
                self.asked.clear()
                await self.asked.wait()

    async def clean_up(self) -> None:
        """Kill what a failed test has left running."""
        for process in self._started:
            if process.returncode is None:
                process.kill()
                await process.wait()
            if isinstance(process, Child):
                process.close()


def surroundings() -> dict[str, str]:
    """The environment of every process: nothing of whoever runs the tests but where programs are."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}


@asynccontextmanager
async def installed(folder: Path, nursery: Nursery | None = None) -> AsyncIterator[Machine]:
    """A machine beside a market in which nothing moves by itself."""
    start = datetime.now(UTC)
    server = SimulatorServer(
        SimulatedMarket.empty(start),
        SimClock(start, 1.0, time.monotonic),
        vast_policy=VastPolicy(requests_per_minute=None, rows_per_day=1_000_000_000),
        runpod_policy=_NO_WINDOWS,
    )
    async with server:
        machine = Machine(folder, server, nursery)
        try:
            yield machine
        finally:
            await machine.clean_up()

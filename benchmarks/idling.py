"""What `atalaia run` holds in memory while nobody has a rule: the whole process, asking a simulated market.

The database is there already, as on every start but the first, which has to load the migrations as well.
Linux only: the resident size is read where the kernel tells it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from benchmarks.figure import Figure, Result, Skipped
from benchmarks.size import Size

CLAIM = "idle memory of `atalaia run`"
AT_MOST_MB = 100.0
SPEED: Final = 60
"""The simulated services count their limits in minutes that last a second, so that the product may ask often."""
PATIENCE_S: Final = 30.0
_CONFIG: Final = """
[storage]
url = "sqlite:///idle.db"
[scan]
slowest_seconds = 1
[marketplaces.vast]
url = "{url}"
api_key = "{vast_key}"
requests_per_minute = 300
[marketplaces.runpod]
url = "{url}"
api_key = "{runpod_key}"
requests_per_minute = 300
"""


def measure(size: Size) -> list[Result]:
    """One figure; skipped where there is no /proc. Raises RuntimeError when the product does not run."""
    if not Path("/proc/self/status").exists():
        return [Skipped(claim=CLAIM, reason="there is no /proc on this machine")]
    with TemporaryDirectory(prefix="atalaia-bench-") as folder, _market() as market:
        config = Path(folder) / "config.toml"
        config.write_text(_CONFIG.format(**market), encoding="utf-8")
        _requests_today(config)
        with _process("-m", "bot", "--config", str(config), "run") as product:
            _first_line(product)
            time.sleep(size.idle_s)
            if product.poll() is not None:
                raise RuntimeError(f"atalaia run ended by itself with {product.returncode}")
            resident, peak = _memory_mb(product.pid)
        requests = _requests_today(config)
    return [
        Figure(
            claim=CLAIM,
            measured=resident,
            unit="MB",
            at_most=AT_MOST_MB,
            detail=f"resident after {size.idle_s:g} s and {requests} requests, {peak:.0f} MB at its peak",
        )
    ]


@contextmanager
def _market() -> Iterator[dict[str, Any]]:
    with _process("-m", "scanners.simulator", "--speed", str(SPEED)) as simulator:
        yield json.loads(_first_line(simulator))


@contextmanager
def _process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process of this Python that is asked to stop at the end, and made to if it does not."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("ATALAIA_")},
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _first_line(process: subprocess.Popen[str]) -> str:
    stream: IO[str] | None = process.stdout
    line = "" if stream is None else stream.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} said nothing and ended")
    return line


def _memory_mb(pid: int) -> tuple[float, float]:
    """(resident now, at its peak)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in status.splitlines())
    resident, peak = (int(fields[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))
    return resident, peak


def _requests_today(config: Path) -> int:
    """As the product's own status counts them, which makes the database if there is none."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--config", str(config), "status", "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    if done.returncode:
        raise RuntimeError(f"atalaia status failed: {done.stderr.strip()}")
    return sum(market["requests_today"] or 0 for market in json.loads(done.stdout)["markets"].values())

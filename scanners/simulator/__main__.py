"""`python -m scanners.simulator`: a simulated market on loopback until it is told to stop (SIGTERM, SIGINT)."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from scanners.simulator.clock import SimClock
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY, SimulatorServer


async def serve(options: argparse.Namespace) -> None:
    """Serve until a signal comes; one JSON line on standard output says where."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    market = SimulatedMarket(seed=options.seed, start=options.start, offers=options.offers)
    clock = SimClock(options.start, options.speed, time.monotonic)
    async with SimulatorServer(market, clock, seed=options.seed, port=options.port) as server:
        hello = {
            "url": server.url,
            "simulated": True,
            "note": "invented machines and prices; nothing here can be rented",
            "vast_key": VAST_KEY,
            "runpod_key": RUNPOD_KEY,
            "start": options.start.isoformat(),
            "speed": options.speed,
        }
        print(json.dumps(hello), flush=True)
        await stop.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 2 when the options or the port will not do."""
    parser = argparse.ArgumentParser(prog="python -m scanners.simulator", description="A simulated GPU rental market.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: any free one)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=float, default=1.0, help="virtual seconds in a real one")
    parser.add_argument("--offers", type=int, default=1_300, help="verified Vast.ai offers on an average day")
    parser.add_argument("--start", type=_moment, default=datetime.now(UTC), help="virtual time at the start, ISO 8601")
    options = parser.parse_args(arguments)
    if not options.speed > 0 or options.offers < 0:
        parser.error("--speed is above zero, --offers not below it")
    try:
        asyncio.run(serve(options))
    except OSError as error:
        print(f"cannot listen on 127.0.0.1:{options.port}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


if __name__ == "__main__":
    sys.exit(main())

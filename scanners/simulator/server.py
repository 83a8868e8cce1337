"""Both simulated services on one loopback address, as a real client meets them.

It listens on 127.0.0.1 only. Before each answer the market is advanced to the clock's time, so limits, quotas and
durations follow the clock.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Collection
from random import Random
from types import TracebackType
from typing import Final, Self

from aiohttp import web

from scanners.simulator.clock import Clock
from scanners.simulator.exchange import Answer, Asked, json_answer
from scanners.simulator.faults import Delivery, Faults
from scanners.simulator.graphql import GraphQLService
from scanners.simulator.journal import Journal
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.runpod import RunPodPolicy, RunPodService
from scanners.simulator.vast import VastPolicy, VastService

VAST_KEY: Final = "simulated-vast-key"
RUNPOD_KEY: Final = "simulated-runpod-key"
"""Keys that the simulator accepts unless told otherwise. They open nothing else."""

_SMALLEST_GZIPPED: Final = 1_400


class SimulatorServer:
    """An async context manager; `url` is the root of both services while it is open."""

    def __init__(
        self,
        market: SimulatedMarket,
        clock: Clock,
        *,
        vast_keys: Collection[str] = (VAST_KEY,),
        runpod_keys: Collection[str] = (RUNPOD_KEY,),
        runpod_scopeless_keys: Collection[str] = (),
        vast_policy: VastPolicy | None = None,
        runpod_policy: RunPodPolicy | None = None,
        seed: int = 0,
        port: int = 0,
    ) -> None:
        self.market = market
        self.faults = Faults()
        self.journal = Journal()
        self.vast = VastService(
            market.vast, keys=vast_keys, policy=vast_policy or VastPolicy(), chance=Random(f"vast {seed}")
        )
        self.runpod = RunPodService(
            market.runpod,
            keys=runpod_keys,
            scopeless=runpod_scopeless_keys,
            policy=runpod_policy or RunPodPolicy(),
            chance=Random(f"runpod {seed}"),
        )
        self.graphql = GraphQLService(market.runpod, keys=(*runpod_keys, *runpod_scopeless_keys))
        self.url = ""
        self._clock = clock
        self._port = port
        app = web.Application(client_max_size=1 << 20)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        try:
            await site.start()
        except OSError:
            await self._runner.cleanup()
            raise
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    def answer(self, asked: Asked) -> Answer:
        """What the service in charge of that path says."""
        if asked.path.startswith("/v2/"):
            return self.runpod.answer(asked)
        if asked.path == "/graphql":
            return self.graphql.answer(asked)
        if asked.path.startswith("/v1/"):
            return json_answer({"message": "Not Found"}, status=404)
        return self.vast.answer(asked)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        now = self._clock.now()
        self.market.advance(now)
        asked = Asked(
            method=request.method,
            path=request.path,
            query=dict(request.query),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=body,
            address=request.remote or "",
            at=now,
        )
        genuine = self.answer(asked)
        fault = self.faults.take(asked.path)
        name = None if fault is None else type(fault).__name__
        try:
            delivery = Delivery(answer=genuine) if fault is None else await fault.deliver(genuine)
        except asyncio.CancelledError:  # the client hung up on a fault that never answers
            self.journal.write(asked, status=None, rows=0, fault=name)
            raise
        if delivery.drop:
            self.journal.write(asked, status=None, rows=0, fault=name)
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        self.journal.write(asked, status=delivery.answer.status, rows=delivery.answer.rows, fault=name)
        return await _send(request, delivery)


async def _send(request: web.Request, delivery: Delivery) -> web.StreamResponse:
    answer = delivery.answer
    headers = {**answer.headers, "Content-Type": answer.content_type}
    body = answer.body
    if (
        len(body) >= _SMALLEST_GZIPPED
        and "Content-Encoding" not in headers
        and "gzip" in request.headers.get("Accept-Encoding", "")
    ):
        body = gzip.compress(body, compresslevel=1, mtime=0)
        headers["Content-Encoding"] = "gzip"
    if delivery.drip_bytes is None:
        return web.Response(status=answer.status, body=body, headers=headers)
    response = web.StreamResponse(status=answer.status, headers=headers)
    response.content_length = len(body)
    await response.prepare(request)
    for start in range(0, len(body), delivery.drip_bytes):
        await response.write(body[start : start + delivery.drip_bytes])
        await asyncio.sleep(delivery.drip_pause)
    await response.write_eof()
    return response

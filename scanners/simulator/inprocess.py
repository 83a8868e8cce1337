"""Both simulated services without sockets: an HTTP transport that hands each request straight to them.

For virtual time: nothing waits, and the market is advanced to the clock's time before each answer. Faults of the
wire are not played here; they need a server.
"""

from __future__ import annotations

from collections.abc import Callable

import httpx

from scanners.simulator.clock import Clock
from scanners.simulator.exchange import Answer, Asked
from scanners.simulator.server import SimulatorServer

Heard = Callable[[Asked, Answer], None]


class InProcessTransport(httpx.AsyncBaseTransport):
    """Answers from a simulator whose server was never opened. `heard` is called with each request and its answer."""

    def __init__(self, server: SimulatorServer, clock: Clock, heard: Heard = lambda asked, answer: None) -> None:
        self._server = server
        self._clock = clock
        self._heard = heard

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """What the service in charge of the path says, now."""
        now = self._clock.now()
        self._server.market.advance(now)
        asked = Asked(
            method=request.method,
            path=request.url.path,
            query=dict(request.url.params),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.aread(),
            address="127.0.0.1",
            at=now,
        )
        answer = self._server.answer(asked)
        self._heard(asked, answer)
        headers = {**answer.headers, "Content-Type": answer.content_type}
        return httpx.Response(answer.status, headers=headers, stream=httpx.ByteStream(answer.body))

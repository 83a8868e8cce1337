"""Ways in which a service can fail, put in front of the simulated ones for a number of requests.

Faults wait in line: a request takes the first one whose path it begins with, others pass untouched.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from scanners.simulator.exchange import Answer, web_page


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """How an answer goes over the wire: dripped in chunks with pauses (real seconds), or never (`drop`)."""

    answer: Answer
    drip_bytes: int | None = None
    drip_pause: float = 0.0
    drop: bool = False


class Fault(Protocol):
    """What a fault makes of the answer that would have been given. `genuine` is not counted against any limit twice."""

    async def deliver(self, genuine: Answer) -> Delivery:
        """What goes out instead."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Another status, body and content type."""

    status: int
    body: str | bytes = b""
    content_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)

    async def deliver(self, genuine: Answer) -> Delivery:
        """The answer it was made with."""
        body = self.body.encode() if isinstance(self.body, str) else self.body
        return Delivery(
            answer=Answer(status=self.status, body=body, content_type=self.content_type, headers=self.headers)
        )


@dataclass(frozen=True, slots=True)
class WebPage:
    """An HTML page with status 200."""

    async def deliver(self, genuine: Answer) -> Delivery:
        """A page instead of data."""
        return Delivery(answer=web_page("Just a moment..."))


@dataclass(frozen=True, slots=True)
class BrokenGzip:
    """The right body under a Content-Encoding it does not have."""

    async def deliver(self, genuine: Answer) -> Delivery:
        """The genuine answer, mislabelled."""
        return Delivery(answer=replace(genuine, headers={**genuine.headers, "Content-Encoding": "gzip"}))


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection ends without an answer."""

    async def deliver(self, genuine: Answer) -> Delivery:
        """Nothing."""
        return Delivery(answer=genuine, drop=True)


@dataclass(frozen=True, slots=True)
class Drip:
    """The right body, a few bytes at a time with pauses (real seconds)."""

    pause: float
    chunk: int = 1

    async def deliver(self, genuine: Answer) -> Delivery:
        """The genuine answer, slowly."""
        return Delivery(answer=genuine, drip_bytes=self.chunk, drip_pause=self.pause)


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until `released` is set; then the right one. `reached` is set when a request has come to it."""

    released: asyncio.Event = field(default_factory=asyncio.Event)
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def deliver(self, genuine: Answer) -> Delivery:
        """The genuine answer, when released."""
        self.reached.set()
        await self.released.wait()
        return Delivery(answer=genuine)


@dataclass(frozen=True, slots=True)
class PartialErrors:
    """GraphQL's half answer: every so many-th entry is null, and the errors say so."""

    every: int = 3
    message: str = "Something went wrong. Please try again later or contact support."

    async def deliver(self, genuine: Answer) -> Delivery:
        """The genuine answer with holes."""
        document: dict[str, Any] = json.loads(genuine.body)
        errors = []
        for name, entries in (document.get("data") or {}).items():
            for index in range(0, len(entries), self.every):
                entries[index] = None
                errors.append(
                    {
                        "message": self.message,
                        "path": [name, index],
                        "extensions": {"code": "INTERNAL_SERVER_ERROR"},
                    }
                )
        document["errors"] = errors
        return Delivery(answer=replace(genuine, body=json.dumps(document).encode()))


class Faults:
    """The faults that wait for requests."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, Fault]] = deque()

    def add(self, fault: Fault, *, times: int = 1, path: str = "/") -> None:
        """The next `times` requests for paths that begin with `path` meet this fault."""
        self._waiting.extend((path, fault) for _ in range(times))

    def clear(self) -> None:
        """Forget those that still wait."""
        self._waiting.clear()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, path: str) -> Fault | None:
        """The fault that a request for `path` meets; it is then used up."""
        for index, (prefix, fault) in enumerate(self._waiting):
            if path.startswith(prefix):
                del self._waiting[index]
                return fault
        return None

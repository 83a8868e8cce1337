"""Everything that can go wrong between the server and its client, planned by a test.

A fault may hold the request up, replace the answer, or both. `when` places it: *before* or *instead of* the effect,
or *after* it, so that the effect is there and the client does not know.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tests.fakes.botapi.refusals import Refusal

When = Literal["before", "after", "instead"]


@dataclass(frozen=True, slots=True)
class Done:
    """`{"ok": true, "result": …}`"""

    result: Any


@dataclass(frozen=True, slots=True)
class Page:
    """An answer that is not from the API at all: what a proxy in between says."""

    status: int = 502
    body: str = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    content_type: str = "text/html"

    @property
    def reply(self) -> Reply:
        return self

    async def hold(self) -> None:
        """Answers at once."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is cut without an answer."""

    @property
    def reply(self) -> Reply:
        return self

    async def hold(self) -> None:
        """Cuts at once."""


Reply = Done | Refusal | Page | Drop


class Fault(Protocol):
    """`reply` None leaves the true answer as it is (with `when="instead"` the connection is cut)."""

    @property
    def reply(self) -> Reply | None: ...

    async def hold(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """An error of the API, from `refusals`."""

    refusal: Refusal

    @property
    def reply(self) -> Reply:
        return self.refusal

    async def hold(self) -> None:
        """Answers at once."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Takes so many seconds of real time. For a wait that a test ends itself, use Gate."""

    seconds: float

    @property
    def reply(self) -> None:
        return None

    async def hold(self) -> None:
        await asyncio.sleep(self.seconds)


class Gate:
    """Holds requests until the test opens it; `reached` is set when the first one stands there."""

    def __init__(self, reply: Reply | None = None) -> None:
        self.reply = reply
        self.reached = asyncio.Event()
        self._opened = asyncio.Event()

    def open(self) -> None:
        self._opened.set()

    async def hold(self) -> None:
        self.reached.set()
        await self._opened.wait()


@dataclass(slots=True)
class Planned:
    """A fault with its occasion."""

    method: str
    fault: Fault
    when: When
    times: int | None
    chat_id: int | str | None

    def concerns(self, method: str, chat_id: int | str | None) -> bool:
        return (
            self.times != 0
            and self.method.lower() in ("*", method.lower())
            and (self.chat_id is None or self.chat_id == chat_id)
        )


class FaultPlan:
    """Faults in the order they were planned; the first that fits strikes."""

    def __init__(self) -> None:
        self._planned: list[Planned] = []

    def add(self, planned: Planned) -> None:
        self._planned.append(planned)

    def clear(self) -> None:
        self._planned.clear()

    def due(self, method: str, chat_id: int | str | None) -> Planned | None:
        """The fault for this request, spent by being taken."""
        for planned in self._planned:
            if planned.concerns(method, chat_id):
                if planned.times is not None:
                    planned.times -= 1
                return planned
        return None

"""Waiting without polling: whoever changes the fake rings, whoever waits looks again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class NothingCame(AssertionError):
    """What a test waited for did not happen in time."""


class Bell:
    """Wakes every waiter on each change. It keeps no history: `until` looks before it waits."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Let every waiter look again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def until(
        self, look: Callable[[], T | None], *, seconds: float, waiting_for: str, instead: Callable[[], str] = str
    ) -> T:
        """The first truthy answer of `look`.

        Raises NothingCame after `seconds` of real time; `instead` then tells what there is, for the test's report.
        """
        try:
            async with asyncio.timeout(seconds):
                while not (found := look()):
                    await self._next_ring()
        except TimeoutError:
            raise NothingCame(f"no {waiting_for} within {seconds:g} s\n{instead()}".rstrip()) from None
        return found

    async def _next_ring(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)

"""Work in lanes: what belongs to one chat is done in order, chats beside each other, a few at once.

A chat whose answers are slow to make delays nobody else's, and a flood from one chat does not grow without end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

Work = Callable[[], Awaitable[None]]

WIDTH: Final = 8
DEPTH: Final = 50
"""What may wait in one lane."""


class Lanes:
    """Runs work. It expects work that handles its own failures; one that raises ends its lane and is reported by
    the event loop."""

    def __init__(self, width: int = WIDTH, depth: int = DEPTH) -> None:
        self._free = asyncio.Semaphore(width)
        self._depth = depth
        self._waiting: dict[str, deque[Work]] = {}
        self._running: set[asyncio.Task[None]] = set()

    def add(self, lane: str, work: Work) -> bool:
        """Do this after everything else in its lane; False, and not done, when the lane is full."""
        waiting = self._waiting.get(lane)
        if waiting is not None:
            if len(waiting) >= self._depth:
                return False
            waiting.append(work)
            return True
        self._waiting[lane] = deque([work])
        task = asyncio.create_task(self._run(lane), name=f"lane:{lane}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return True

    async def drain(self, seconds: float) -> None:
        """Let what is there end, at most so many real seconds; then it is cancelled."""
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def settled(self) -> None:
        """Return when no lane has anything left."""
        while self._running:
            await asyncio.wait(self._running)

    async def _run(self, lane: str) -> None:
        waiting = self._waiting[lane]
        try:
            while waiting:
                async with self._free:
                    await waiting.popleft()()
        finally:
            del self._waiting[lane]

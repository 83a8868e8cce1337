"""Work in lanes: what belongs together is done in order, lanes beside each other.

Work that waits delays nothing in other lanes, and a flood into one lane does not grow without end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

Work = Callable[[], Awaitable[None]]

DEPTH: Final = 50
"""What may wait in one lane."""


class Lanes:
    """Runs work. It expects work that handles its own failures; one that raises ends its lane and is reported by
    the event loop."""

    def __init__(self, depth: int = DEPTH) -> None:
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

    def has_room(self, lane: str) -> bool:
        """Whether the lane would take more."""
        return len(self._waiting.get(lane, ())) < self._depth

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
                await waiting.popleft()()
        finally:
            del self._waiting[lane]

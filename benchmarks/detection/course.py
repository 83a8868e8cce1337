"""How virtual time goes by: whoever is due next has its turn, the clock jumps, and nothing ever waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Executor
from typing import Any, Final, TypeVar, TypeVarTuple

from benchmarks.detection.account import VirtualClock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
BREATH: Final = 500
"""Turns after which the event loop may tidy up its cancelled deadlines."""


class _InlineLoop(asyncio.SelectorEventLoop):
    """Work for other threads is done at once, here: it is too little to be worth the way there and back."""

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """A future that is done. Raises what the work raises, at once."""
        future: asyncio.Future[T] = self.create_future()
        future.set_result(func(*args))
        return future


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end."""
    with asyncio.Runner(loop_factory=_InlineLoop) as runner:
        return runner.run(work)


async def pass_by(clock: VirtualClock, turns: Mapping[str, Callable[[], Awaitable[float]]], seconds: float) -> None:
    """Let so many seconds pass. Each turn tells after how many seconds its next one is due."""
    due = dict.fromkeys(turns, 0.0)
    taken = 0
    while (moment := min(due.values())) < seconds:
        name = min(due, key=due.__getitem__)
        clock.go(moment)
        due[name] = clock.monotonic() + await turns[name]()
        taken += 1
        if taken % BREATH == 0:
            await asyncio.sleep(0)

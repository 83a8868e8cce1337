"""What is going to happen in a simulated market, in the order of time.

Events are carried out one by one at their own time, never at the time somebody looks, so the outcome does not
depend on how often anybody looks.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

Action = Callable[[Any], None]


class Agenda:
    """A queue of (time, action, subject); times are epoch seconds."""

    def __init__(self, now: float) -> None:
        self.now = now
        self._queue: list[tuple[float, int, Action, Any]] = []
        self._pushed = 0

    def after(self, seconds: float, action: Action, subject: Any = None) -> None:
        """Plan `action(subject)`; actions of the same moment keep the order in which they were planned."""
        self._pushed += 1
        heapq.heappush(self._queue, (self.now + seconds, self._pushed, action, subject))

    def run(self, until: float) -> None:
        """Carry out everything due up to and including `until`."""
        if until < self.now:
            raise ValueError("virtual time does not run backwards")
        queue = self._queue
        while queue and queue[0][0] <= until:
            self.now, _, action, subject = heapq.heappop(queue)
            action(subject)
        self.now = until

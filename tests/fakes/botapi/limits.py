"""Flood limits: about 30 messages a second overall, one a second in a chat with short bursts, 20 a minute in a group.

Real flood control adapts and is not published; these are the documented figures, kept strictly. Sending and editing
count alike, refused requests do not count.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque

from tests.fakes.botapi.clock import Clock


class FloodLimits:
    """Says when to come back. Off until `enabled` is set."""

    def __init__(
        self,
        clock: Clock,
        *,
        enabled: bool = False,
        per_second: int = 30,
        burst: int = 5,
        per_group_minute: int = 20,
    ) -> None:
        self.enabled = enabled
        self.per_second = per_second
        self.burst = burst
        self.per_group_minute = per_group_minute
        self._clock = clock
        self._overall: deque[float] = deque()
        self._groups: defaultdict[int, deque[float]] = defaultdict(deque)
        self._chats: dict[int, float] = {}
        """The time until which each chat has spent its one message a second."""

    def admit(self, chat_id: int, *, group: bool) -> int | None:
        """None and counted, or the whole seconds to wait before the next try."""
        if not self.enabled:
            return None
        now = self._clock()
        spent_until = max(self._chats.get(chat_id, now), now)
        wait = max(
            _full_for(self._overall, now, 1.0, self.per_second),
            _full_for(self._groups[chat_id], now, 60.0, self.per_group_minute) if group else 0.0,
            spent_until - now - (self.burst - 1),
        )
        if wait > 0:
            return math.ceil(wait)
        self._overall.append(now)
        self._chats[chat_id] = spent_until + 1
        if group:
            self._groups[chat_id].append(now)
        return None


def _full_for(times: deque[float], now: float, window: float, most: int) -> float:
    """Seconds until one more fits into a sliding window; zero or less: it fits now."""
    while times and times[0] <= now - window:
        times.popleft()
    return times[0] + window - now if len(times) >= most else 0.0

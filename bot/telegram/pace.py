"""How fast Telegram may be written to: one message a second in a chat, 20 a minute in a group, 20 a second in all.

It never waits: it says how long somebody else has to, so that one busy chat holds up no other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

BURST: Final = 3
"""Messages that may follow each other at once in one chat."""
GROUP_MINUTE: Final = 19
"""Telegram allows 20; one is left for clocks that differ."""
OVERALL_SECOND: Final = 20
REMEMBERED: Final = 2000


class Pace:
    """Counts what is sent. `now_s` is monotonic."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._overall: deque[float] = deque()
        self._spent: dict[str, float] = {}
        """Until when a chat has spent its one message a second."""
        self._groups: dict[str, deque[float]] = {}
        self._held: dict[str, float] = {}

    def take(self, chat: str) -> float:
        """0 and counted, or the seconds after which to ask again."""
        now = self._now_s()
        wait = max(
            self._held.get(chat, now) - now,
            self._spent.get(chat, now) - now - (BURST - 1),
            _full_for(self._overall, now, 1.0, OVERALL_SECOND),
            _full_for(self._groups.get(chat, deque()), now, 60.0, GROUP_MINUTE),
        )
        if wait > 0:
            return wait
        self.note(chat)
        return 0.0

    def note(self, chat: str) -> None:
        """Count a message that somebody waits for and that is sent whatever the pace."""
        now = self._now_s()
        self._forget(now)
        self._overall.append(now)
        self._spent[chat] = max(self._spent.get(chat, now), now) + 1.0
        if chat.startswith("-"):
            self._groups.setdefault(chat, deque(maxlen=GROUP_MINUTE)).append(now)

    def hold(self, chat: str, seconds: float) -> None:
        """Telegram itself has said how long to wait in a chat."""
        self._held[chat] = self._now_s() + seconds

    def _forget(self, now: float) -> None:
        while self._overall and self._overall[0] <= now - 1.0:
            self._overall.popleft()
        if len(self._spent) + len(self._groups) + len(self._held) > REMEMBERED:
            self._spent = {chat: until for chat, until in self._spent.items() if until > now}
            self._held = {chat: until for chat, until in self._held.items() if until > now}
            self._groups = {chat: times for chat, times in self._groups.items() if times[-1] > now - 60.0}


def _full_for(times: deque[float], now: float, window: float, most: int) -> float:
    """Seconds until one more fits into a sliding window; zero or less: it fits now."""
    recent = [at for at in times if at > now - window]
    return recent[-most] + window - now if len(recent) >= most else 0.0

"""How fast Telegram may be written to: one message a second in a chat, 20 a minute in a group, 20 a second in all.

Alerts may use all of it. Answers leave some of it to them, in a group a person leaves some of it to the others, and
refusals take what is over. It never waits: it says how long somebody else has to, so that one busy chat holds up no
other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

REMEMBERED: Final = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How much of the whole somebody may use, what others have used included."""

    burst: int
    """Messages that may follow each other at once in one chat."""
    group_minute: int
    overall_second: int


ALERTS: Final = Share(burst=4, group_minute=19, overall_second=20)
"""Telegram allows 20 a minute in a group; one is left for clocks that differ."""
ANSWERS: Final = Share(burst=3, group_minute=15, overall_second=16)
REFUSALS: Final = Share(burst=2, group_minute=5, overall_second=8)
PERSON_MINUTE: Final = 11
"""Answers to one person in a group, so that a flood of one leaves room for the others."""


class Pace:
    """Counts what is sent. `now_s` is monotonic."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._overall: deque[float] = deque()
        self._spent: dict[str, float] = {}
        """Until when a chat has spent its one message a second."""
        self._groups: dict[str, deque[float]] = {}
        """Of a group, and of a person in a group: the times of the last messages."""
        self._held: dict[str, float] = {}

    def take(self, chat: str, share: Share = ALERTS) -> float:
        """0 and counted, or the seconds after which to ask again."""
        now, wait = self._now_s(), self.wait_s(chat, share)
        if wait > 0:
            return wait
        self._forget(now)
        self._overall.append(now)
        self._spent[chat] = max(self._spent.get(chat, now), now) + 1.0
        if chat.startswith("-"):
            self._groups.setdefault(chat, deque(maxlen=ALERTS.group_minute)).append(now)
        return 0.0

    def wait_s(self, chat: str, share: Share) -> float:
        """Seconds after which one more would be in order; 0 for now."""
        now = self._now_s()
        return max(
            self.held(chat),
            self._spent.get(chat, now) - now - (share.burst - 1),
            _full_for(self._overall, now, 1.0, share.overall_second),
            _full_for(self._groups.get(chat, deque()), now, 60.0, share.group_minute),
        )

    def take_person(self, chat: str, user: str) -> float:
        """The same for the share of one person in a group; elsewhere a person has the chat alone."""
        if not chat.startswith("-"):
            return 0.0
        now, key = self._now_s(), f"{chat}:{user}"
        wait = _full_for(self._groups.get(key, deque()), now, 60.0, PERSON_MINUTE)
        if wait > 0:
            return wait
        self._groups.setdefault(key, deque(maxlen=PERSON_MINUTE)).append(now)
        return 0.0

    def hold(self, chat: str, seconds: float) -> None:
        """Telegram itself has said how long to wait in a chat."""
        self._held[chat] = self._now_s() + seconds

    def held(self, chat: str) -> float:
        """Seconds for which Telegram wants nothing more in a chat; 0 when it has not said so."""
        now = self._now_s()
        return max(self._held.get(chat, now) - now, 0.0)

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

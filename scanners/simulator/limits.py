"""Limits of the simulated services: pace, rows a day, and requests in fixed windows. Time is virtual, epoch seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

DAY = 86_400


class Pace:
    """A least interval between the requests of one caller, of which a few may come early in a burst."""

    def __init__(self, per_minute: float | None, burst: int = 2) -> None:
        """`per_minute` None: no limit at all, for a clock that stands still."""
        per_minute = math.inf if per_minute is None else per_minute
        if not per_minute > 0 or burst < 1:
            raise ValueError("a pace needs a rate above zero and a burst of at least one")
        self.interval = 60 / per_minute
        self._slack = self.interval * (burst - 1)
        self._due: dict[str, float] = {}

    def allows(self, caller: str, at: float) -> bool:
        """Whether a request at that time is in order; one that is refused does not count."""
        due = max(self._due.get(caller, at), at)
        if due - at > self._slack:
            return False
        self._due[caller] = due + self.interval
        return True


class RowQuota:
    """So many returned rows a caller and UTC day."""

    def __init__(self, per_day: int) -> None:
        self.per_day = per_day
        self._used: dict[str, tuple[int, int]] = {}

    def used(self, caller: str, at: float) -> int:
        """Rows returned to that caller today."""
        day, rows = self._used.get(caller, (0, 0))
        return rows if day == int(at // DAY) else 0

    def spent(self, caller: str, at: float) -> bool:
        """Whether nothing is left today. The answer that crosses the line is still given whole."""
        return self.used(caller, at) >= self.per_day

    def charge(self, caller: str, at: float, rows: int) -> None:
        """Count rows that were returned."""
        self._used[caller] = (int(at // DAY), self.used(caller, at) + rows)

    @staticmethod
    def resets_at(at: float) -> int:
        """The next UTC midnight, epoch seconds."""
        return (int(at // DAY) + 1) * DAY


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """So many requests in so many seconds."""

    name: str
    quota: int
    seconds: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What the windows say to one request."""

    headers: Mapping[str, str]
    refused_by: str | None = None
    retry_after: int | None = None


class Windows:
    """Fixed windows side by side; a request must fit into all of them, and one that is refused counts in none."""

    def __init__(self, windows: tuple[Window, ...]) -> None:
        self.windows = windows
        self._used: dict[tuple[str, str], tuple[int, int]] = {}

    def take(self, caller: str, at: float) -> Turn:
        """Count one request of that caller, or refuse it."""
        refused = next((window for window in self.windows if self._left(caller, window, at) <= 0), None)
        if refused is None:
            for window in self.windows:
                number = int(at // window.seconds)
                self._used[caller, window.name] = (number, window.quota - self._left(caller, window, at) + 1)
        headers = {
            "RateLimit": ", ".join(
                f'"{window.name}";r={self._left(caller, window, at)};t={_ends_in(window, at)}'
                for window in self.windows
            ),
            "RateLimit-Policy": ", ".join(
                f'"{window.name}";q={window.quota};w={window.seconds}' for window in self.windows
            ),
        }
        if refused is None:
            return Turn(headers=headers)
        wait = _ends_in(refused, at)
        return Turn(headers={**headers, "Retry-After": str(wait)}, refused_by=refused.name, retry_after=wait)

    def _left(self, caller: str, window: Window, at: float) -> int:
        number, used = self._used.get((caller, window.name), (-1, 0))
        return window.quota - (used if number == int(at // window.seconds) else 0)


def _ends_in(window: Window, at: float) -> int:
    return math.ceil(window.seconds - at % window.seconds)

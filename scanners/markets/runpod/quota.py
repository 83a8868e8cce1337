"""What RunPod says of the account's quota with every answer, and for how long it is to be left alone by that.

Several windows (minute, hour, day) run side by side. One that is used up holds the next question back, the longest of
them counts; one that would be used up before it starts afresh spreads what is left of it evenly. The quota differs
from account to account, so no number of it stands here. Without the headers the account is exempt, or something on
the way answered: then nothing is known. Values that no such window has are passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from scanners.client import Response
from scanners.registry import Now

DAY_S: Final = 86_400
"""No window is longer."""
SLOWEST_S: Final = 300.0
"""While anything is left, the market is looked at at least so often."""
UNTOLD_S: Final = 60.0
"""The shortest window: waited for where a refusal names no time."""
ROUNDING_S: Final = 1.0
"""Times are told in whole seconds."""
SPARE: Final = 3
"""So many requests a window must have left for an extra one."""
_NAME: Final = re.compile(r'\s*"?([^";]*)')
_VALUE: Final = re.compile(r";\s*([rtqw])\s*=\s*([0-9]{1,9})(?![\w.])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """So many requests are left until the window starts afresh."""

    left: int
    resets_s: int


def windows(headers: Mapping[str, str]) -> tuple[Window, ...]:
    """The windows of the account's quota. One whose present state is not told is taken as untouched."""
    policies = {name: values for name, values in _members(headers.get("ratelimit-policy", "")) if _is_policy(values)}
    found = []
    for name, values in _members(headers.get("ratelimit", "")):
        longest = policies[name]["w"] if name in policies else DAY_S
        left, resets_s = values.get("r"), values.get("t")
        if left is not None and resets_s is not None and resets_s <= longest + ROUNDING_S:
            found.append(Window(left=left, resets_s=resets_s))
            policies.pop(name, None)
    untouched = (Window(left=policy["q"], resets_s=policy["w"]) for policy in policies.values())
    return (*found, *untouched)


def closed_s(answer: Response) -> float | None:
    """Seconds until the account may ask again, by this answer: the longest of its waits. None where it names none."""
    waits = [max(window.resets_s, ROUNDING_S) for window in windows(answer.headers) if window.left == 0]
    if answer.retry_after is not None:
        waits.append(answer.retry_after)
    return max(waits, default=None)


class Quota:
    """The rest that an account owes, by its last answer."""

    def __init__(self, gap_s: float, now: Now) -> None:
        """`gap_s`: the ordinary seconds between two questions, which are never asked faster."""
        self._gap_s = gap_s
        self._now = now
        self._since = now()
        self._rest_s = 0.0
        self._spare = True
        self._asked_at: datetime | None = None
        self._paused_s = math.inf

    def asking(self) -> None:
        """Note that a question is asked now."""
        at = self._now()
        if self._asked_at is not None:
            self._paused_s = (at - self._asked_at).total_seconds()
        self._asked_at = at

    def note(self, answer: Response) -> None:
        """Take in what an answer of any status says."""
        found, closed = windows(answer.headers), closed_s(answer)
        if not found and closed is None and answer.status not in (200, 429):
            return  # a page from something on the way: what was said before still holds
        self._spare = closed is None and answer.status != 429 and all(window.left >= SPARE for window in found)
        if closed is None and answer.status == 429:
            closed = UNTOLD_S
        spread = max((window.resets_s / window.left for window in found if window.left), default=0.0)
        even = min(spread, SLOWEST_S) if spread > self._gap_s else 0.0
        self._begin(even if closed is None else max(even, closed + ROUNDING_S))

    def has_spare(self) -> bool:
        """Whether a few more questions are left in every window."""
        return self._spare

    def has_turn(self) -> bool:
        """Whether a turn was left out before the last question. With one more left out after it, a further question can
        be asked at once: no minute then holds more of them than at the ordinary pace."""
        return self._paused_s >= 2 * self._gap_s

    def save_turn(self) -> None:
        """Leave the next turn out, for the sake of a further question."""
        self._begin(max(self.rest_s(), 2 * self._gap_s))

    def rest_s(self) -> float:
        """Seconds for which nothing should be asked, from now on. A clock that is set back makes them no more."""
        gone = (self._now() - self._since).total_seconds()
        return max(self._rest_s - max(gone, 0.0), 0.0)

    def _begin(self, rest_s: float) -> None:
        self._since, self._rest_s = self._now(), rest_s


def _members(header: str) -> list[tuple[str, dict[str, int]]]:
    """Each window's name and its values; what is no number below a thousand million is left out."""
    found = []
    for member in header.split(","):
        name = _NAME.match(member)
        found.append((name[1].strip() if name else "", {key: int(value) for key, value in _VALUE.findall(member)}))
    return found


def _is_policy(values: Mapping[str, int]) -> bool:
    return values.get("q", 0) > 0 and 0 < values.get("w", 0) <= DAY_S

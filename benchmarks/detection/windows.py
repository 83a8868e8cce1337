"""When something scarce is there: the truth against which every poller is measured.

One thing a card and time, with a rest between: each window begins while no rule is in the middle of an episode of its
card and no cool-down holds its key, so that the product owes an alert for every one of them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from benchmarks.detection.scene import SCARCE, START, Scarcity
from market.offer import runpod_key, vast_key
from scanners.simulator.host_life import demand

SHORTEST_S: Final = 10.0
LONGEST_S: Final = 1_800.0
REST_S: Final = 900.0
"""At least, after a window of a card: its episode is over and what was told is known to be gone."""
USUAL_REST_S: Final = 1_200.0
"""On top of it, on average over the day."""
RETURN_S: Final = 7 * 3_600.0
"""A Vast.ai machine that comes back was away for longer than any cool-down is remembered."""
POD_REST_S: Final = 3_900.0
"""The longest cool-down is an hour."""
RETURNING: Final = 0.5
"""Share of the windows on Vast.ai that are opened by a machine seen before, if there is one."""
FALLING: Final = 0.15
"""Share of the windows on Vast.ai that are opened by a price falling."""
FIRST_MACHINE: Final = 900_000
"""Machines of windows are numbered from here."""

How = Literal["appears", "falls"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """From `start` to `end` (seconds from the beginning of the run) a key is there and matches a rule."""

    what: Scarcity
    key: str
    start: float
    end: float
    how: How = "appears"
    machine: int = 0
    """On Vast.ai."""
    listed: float = 0.0
    """When a machine whose price falls was listed."""
    returning: bool = False

    @property
    def market(self) -> str:
        """The marketplace it is on."""
        return self.what.market

    @property
    def length(self) -> float:
        """Seconds."""
        return self.end - self.start


def schedule(seed: int, seconds: float) -> list[Window]:
    """The windows of a run, by start. The same seed gives the same ones."""
    found: list[Window] = []
    for number, card in enumerate(dict.fromkeys(each.card for each in SCARCE)):
        found += _Timeline(card, Random(f"windows {seed} {card}"), FIRST_MACHINE + 10_000 * number).until(seconds)
    return sorted(found, key=lambda window: (window.start, window.key))


class _Timeline:
    """One card's windows, one after another."""

    def __init__(self, card: str, chance: Random, first_machine: int) -> None:
        self._chance = chance
        self._kinds = [each for each in SCARCE if each.card == card]
        self._next_machine = first_machine
        self._ended: dict[str, float] = {}
        """By key."""
        self._machines: dict[Scarcity, list[int]] = {}

    def until(self, seconds: float) -> list[Window]:
        windows: list[Window] = []
        at = self._chance.uniform(REST_S, REST_S + USUAL_REST_S)
        while True:
            window = self._window(at)
            if window.end > seconds:
                return windows
            windows.append(window)
            self._ended[window.key] = window.end
            busy = 0.5 + demand(START.timestamp() + window.end)
            at = _tick(window.end + REST_S + self._chance.expovariate(1 / (USUAL_REST_S * busy)))

    def _window(self, at: float) -> Window:
        chance = self._chance
        what = chance.choice([each for each in self._kinds if self._may_open(each, at)])
        length = math.exp(chance.uniform(math.log(SHORTEST_S), math.log(LONGEST_S)))
        start, end = _tick(at), _tick(at + length)
        if what.market == "runpod":
            return Window(what=what, key=_pod_key(what), start=start, end=end)
        if chance.random() < FALLING:
            listed = _tick(max(start - chance.uniform(3_600, 10_800), 0.0))
            machine = self._new_machine()
            key = vast_key(machine, what.gpus)
            return Window(what=what, key=key, start=start, end=end, how="falls", machine=machine, listed=listed)
        known = [
            each for each in self._machines.get(what, ()) if at - self._ended[vast_key(each, what.gpus)] > RETURN_S
        ]
        returning = bool(known) and chance.random() < RETURNING
        machine = chance.choice(known) if returning else self._new_machine()
        if not returning:
            self._machines.setdefault(what, []).append(machine)
        key = vast_key(machine, what.gpus)
        return Window(what=what, key=key, start=start, end=end, machine=machine, returning=returning)

    def _may_open(self, what: Scarcity, at: float) -> bool:
        return what.market == "vast" or at - self._ended.get(_pod_key(what), -math.inf) > POD_REST_S

    def _new_machine(self) -> int:
        self._next_machine += 1
        return self._next_machine


def _pod_key(what: Scarcity) -> str:
    return runpod_key(what.type_id, what.cloud, what.gpus)


def _tick(seconds: float) -> float:
    """Whole milliseconds, as the clock counts."""
    return round(seconds, 3)


class Sightings:
    """The first time each window was told of, by one poller."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self.windows = windows
        self.first: dict[Window, float] = {}
        self._by_key: dict[str, list[Window]] = {}
        for window in windows:
            self._by_key.setdefault(window.key, []).append(window)
        self._starts = {key: [window.start for window in group] for key, group in self._by_key.items()}

    def tell(self, keys: Iterable[str], at: float) -> None:
        """Somebody is told of these keys now. What is told after a window has closed is no sighting of it."""
        for key in keys:
            starts = self._starts.get(key)
            place = bisect_right(starts, at) if starts else 0
            if place:
                window = self._by_key[key][place - 1]
                if at <= window.end:
                    self.first.setdefault(window, at)

    def delay(self, window: Window) -> float:
        """Seconds from the beginning of the window; infinite if it was never told of."""
        return self.first[window] - window.start if window in self.first else math.inf

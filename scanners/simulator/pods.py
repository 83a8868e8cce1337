"""The simulated RunPod book: types, list prices, and a stock level for each cloud and pod size.

Stock is a number that wanders, falls with the pod size and with the busy hours, and is only told as a level. List
prices hardly move. Nothing moves by itself in a still market; levels are then what a test has set.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from random import Random
from typing import Final, Literal

from scanners.simulator.agenda import Agenda
from scanners.simulator.pod_types import DATA_CENTERS, POD_TYPES, PodType

Cloud = Literal["secure", "community"]
Level = Literal["NONE", "LOW", "MEDIUM", "HIGH"]

CLOUDS: Final[tuple[Cloud, ...]] = ("secure", "community")
_HOUR: Final = 3_600.0
_DAY: Final = 86_400.0


class PodBook:
    """All GPU types of the market."""

    def __init__(self, agenda: Agenda, types: Iterable[PodType] = POD_TYPES) -> None:
        self.types = {kind.id: kind for kind in types}
        self._agenda = agenda
        self._prices: dict[tuple[str, str], float] = {}
        self._wander: dict[tuple[str, str], float] | None = None
        self._set: dict[tuple[str, str, int | None], Level] = {}
        self._placed: dict[str, dict[str, Level]] = {}

    def add_type(self, kind: PodType) -> None:
        """A new type appears in the catalogue, or replaces the one of that id."""
        self.types[kind.id] = kind

    def remove_type(self, type_id: str) -> None:
        """It is no longer listed; KeyError when it never was."""
        del self.types[type_id]

    def set_stock(self, type_id: str, cloud: Cloud, level: Level, count: int | None = None) -> None:
        """Fix the level of a pod size (None: of every size without a level of its own)."""
        self._known(type_id)
        self._set[type_id, cloud, count] = level

    def set_center(self, type_id: str, center: str, level: Level) -> None:
        """Fix the level in one data centre, for pods of every size."""
        self._known(type_id)
        self._placed.setdefault(type_id, {})[center] = level

    def set_price(self, type_id: str, cloud: Cloud, usd_per_gpu_hour: float) -> None:
        """Change the list price."""
        self._known(type_id)
        self._prices[type_id, cloud] = usd_per_gpu_hour

    def price(self, kind: PodType, cloud: Cloud) -> float:
        """USD per GPU-hour as listed; a filler where the cloud does not offer the type."""
        return self._prices.get((kind.id, cloud), kind.secure_usd if cloud == "secure" else kind.community_usd)

    def level(self, kind: PodType, cloud: Cloud, count: int) -> Level:
        """The stock level for pods of so many GPUs."""
        fixed = self._set.get((kind.id, cloud, count)) or self._set.get((kind.id, cloud, None))
        if fixed is not None:
            return fixed
        return _level(self._stock(kind, cloud, count))

    def centers(self, kind: PodType, count: int) -> dict[str, Level]:
        """The data centres that the type's own row names, with their level. Sometimes fewer than there are."""
        if kind.silent:
            return {}
        return {name: level for name, level in self.standing(kind, count).items() if level != "NONE"}

    def standing(self, kind: PodType, count: int = 1) -> dict[str, Level]:
        """Every data centre of Secure Cloud that has the type, with its level there for pods of so many GPUs."""
        if kind.secure_stock is None:
            return {}
        overall, stock = self.level(kind, "secure", count), self._stock(kind, "secure", count)
        levels: dict[str, Level] = {}
        for place, name in enumerate(center_names(kind)):
            levels[name] = "NONE" if overall == "NONE" else overall if place == 0 else _level(stock - 0.35 * place)
        if kind.stray_center and overall == "NONE":
            levels[center_names(kind)[0]] = "LOW"
        return {**levels, **self._placed.get(kind.id, {})}

    def live(self, chance: Random) -> None:
        """Let stock and prices move from now on. All chance comes from `chance`."""
        wander = self._wander = {}
        for kind in self.types.values():
            for cloud in CLOUDS:
                if kind.usual_stock(cloud) is not None:
                    wander[kind.id, cloud] = chance.gauss(0.0, 0.6)
                    self._agenda.after(chance.uniform(0, _HOUR), self._moves, (chance, kind.id, cloud))
                    self._agenda.after(chance.expovariate(1 / (90 * _DAY)), self._reprices, (chance, kind.id, cloud))

    def _stock(self, kind: PodType, cloud: Cloud, count: int) -> float:
        usual = kind.usual_stock(cloud)
        if usual is None or self._wander is None or count > kind.biggest(cloud):
            return -1.0
        hour = self._agenda.now % _DAY / _HOUR
        tide = 0.35 * math.cos((hour - 7.0) * math.pi / 12)
        return usual + self._wander.get((kind.id, cloud), 0.0) + tide - 0.4 * math.log2(count)

    def _moves(self, subject: tuple[Random, str, Cloud]) -> None:
        chance, type_id, cloud = subject
        if self._wander is not None:
            self._wander[type_id, cloud] = 0.86 * self._wander[type_id, cloud] + chance.gauss(0.0, 0.3)
        self._agenda.after(chance.expovariate(1 / (0.6 * _HOUR)), self._moves, subject)

    def _reprices(self, subject: tuple[Random, str, Cloud]) -> None:
        chance, type_id, cloud = subject
        kind = self.types.get(type_id)
        if kind is not None:
            price = self.price(kind, cloud) * chance.choice((0.9, 0.95, 1.05, 1.1))
            self._prices[type_id, cloud] = round(price, 2)
        self._agenda.after(chance.expovariate(1 / (90 * _DAY)), self._reprices, subject)

    def _known(self, type_id: str) -> None:
        if type_id not in self.types:
            raise KeyError(type_id)


def center_names(kind: PodType) -> tuple[str, ...]:
    """The data centres in which Secure Cloud has the type."""
    first = zlib.crc32(kind.id.encode())
    size = len(DATA_CENTERS)
    names = [DATA_CENTERS[(first + 5 * step) % size] for step in range(min(kind.centers, size))]
    return tuple(dict.fromkeys(names)) or (DATA_CENTERS[0],)


def _level(stock: float) -> Level:
    if stock <= 0:
        return "NONE"
    return "LOW" if stock <= 1.0 else "MEDIUM" if stock <= 1.6 else "HIGH"

"""Full pictures that do not fit into one answer are asked for in parts, by ranges of machine numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from statistics import median_high

from market.coverage import Coverage


@dataclass(slots=True)
class Pictures:
    """Which pictures were too large, and the questions asked instead."""

    _parts: dict[str, tuple[Coverage, ...]] = field(default_factory=dict)

    def split(self, census: Coverage, machines: Collection[int]) -> None:
        """A picture did not fit into one answer: from now on it is asked for in two parts. `machines` are some of those
        it showed."""
        low, high = census.machine_range or (0, None)
        middle = median_high(set(machines)) if machines else low
        if middle > low:
            parts = (replace(census, machine_range=(low, middle)), replace(census, machine_range=(middle, high)))
            self._parts[census.to_text()] = parts

    def of(self, censuses: Iterable[Coverage]) -> tuple[Coverage, ...]:
        """The questions that these pictures are asked by."""
        found: list[Coverage] = []
        for each in censuses:
            parts = self._parts.get(each.to_text())
            found.extend((each,) if parts is None else self.of(parts))
        return tuple(found)

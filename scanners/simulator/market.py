"""A whole simulated market, Vast.ai and RunPod, on virtual time.

The same seed, start and time give the same market whatever the steps in between, and looking changes nothing. What
a test does to the books comes on top of the market's own life, or stands alone in an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from scanners.simulator.agenda import Agenda
from scanners.simulator.host_life import HostLife
from scanners.simulator.hosts import VastBook
from scanners.simulator.pod_row import Stock, pod_row
from scanners.simulator.pods import CLOUDS, Cloud, PodBook
from scanners.simulator.vast_row import DEFAULT_DISK_GB

WARM_UP: Final = 2 * 86_400.0
"""Seconds that a living market has lived before its start, so that it starts in its usual state."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """Both books at one time, as rows of answers."""

    at: datetime
    vast: list[dict[str, Any]]
    runpod: dict[tuple[Cloud, int], list[dict[str, Any]]]
    """By (cloud, GPUs of a pod)."""


class SimulatedMarket:
    """Both marketplaces. `vast` and `runpod` are their books, for looking and for interfering."""

    def __init__(self, *, seed: int, start: datetime, offers: int | None = 1_300) -> None:
        """A living market with about so many verified offers that can be rented on Vast.ai, and RunPod's types.

        `offers` None: nothing moves by itself. `start` is aware; ValueError when it is not.
        """
        if start.tzinfo is None:
            raise ValueError("the start of a market needs a time zone")
        self._agenda = Agenda(start.timestamp() - (WARM_UP if offers is not None else 0))
        self.vast = VastBook(self._agenda)
        self.runpod = PodBook(self._agenda)
        if offers is not None:
            HostLife(self.vast, self._agenda, Random(f"hosts {seed}"), offers)
            self.runpod.live(Random(f"pods {seed}"))
        self.advance(start)

    @classmethod
    def empty(cls, start: datetime) -> SimulatedMarket:
        """A market in which nothing moves: no machines at all, RunPod's types with list prices and no stock."""
        return cls(seed=0, start=start, offers=None)

    @property
    def now(self) -> datetime:
        """Aware UTC, up to which the market has been advanced."""
        return datetime.fromtimestamp(self._agenda.now, UTC)

    def advance(self, to: datetime) -> None:
        """Let happen what happens until then; ValueError for a time that is past."""
        self._agenda.run(to.timestamp())

    def plan(self, at: datetime, action: Callable[[], None]) -> None:
        """Let something happen at a time to come, among what happens by itself; ValueError for a time that is past."""
        wait = at.timestamp() - self._agenda.now
        if wait < 0:
            raise ValueError("nothing can be planned for a time that is past")
        self._agenda.after(wait, lambda _: action())

    def vast_rows(
        self,
        *,
        cards: Collection[str] | None = None,
        verified: bool | None = True,
        rentable: bool | None = True,
        disk_gb: float = DEFAULT_DISK_GB,
    ) -> list[dict[str, Any]]:
        """Every Vast.ai offer (Vast.ai's spellings of cards), without any limit. None means both kinds."""
        return self.vast.rows(cards=cards, verified=verified, rentable=rentable, disk_gb=disk_gb)

    def runpod_rows(self, cloud: Cloud, count: int = 1) -> list[dict[str, Any]]:
        """Every RunPod type with its availability in that cloud for pods of so many GPUs."""
        stock = Stock(cloud=cloud, count=count)
        return [pod_row(self.runpod, kind, stock) for kind in self.runpod.types.values()]

    def history(
        self,
        times: Iterable[datetime],
        *,
        cards: Collection[str] | None = None,
        counts: Collection[int] = (1,),
    ) -> Iterator[Moment]:
        """Advance through `times`, ascending, and show both books at each; fewer cards make it faster."""
        for at in times:
            self.advance(at)
            pods = {(cloud, count): self.runpod_rows(cloud, count) for cloud in CLOUDS for count in counts}
            yield Moment(at=at, vast=self.vast_rows(cards=cards), runpod=pods)

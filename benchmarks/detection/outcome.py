"""What a run came to, small enough to travel between processes: when each window was told of, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from benchmarks.detection.account import Quota, Spending
from benchmarks.detection.notebook import Answered
from benchmarks.detection.planner import begun
from benchmarks.detection.rivals import Habit, polled
from benchmarks.detection.scene import the_rules
from benchmarks.detection.windows import Sightings, Window
from market.coverage import Coverage
from market.rule import Rule

PLANNER = "this planner"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One poller in one run."""

    name: str
    sightings: Sightings
    spent: Mapping[str, Spending]
    alerts: int = 0
    """Offers told to rules."""
    confirmations: int = 0
    probes: Mapping[Coverage, Sequence[Answered]] = field(default_factory=dict)
    """The questions that the rules need, and their answers."""
    censuses: Mapping[Coverage, Sequence[Answered]] = field(default_factory=dict)
    """The full pictures that were taken."""

    def probes_of(self, market: str) -> list[Coverage]:
        """Those of one market: q of them."""
        return [each for each in self.probes if each.market == market]

    def census_gap(self, market: str) -> float:
        """The usual seconds between two full pictures of a card; not a number where none was taken twice."""
        gaps = [gap for query, answers in self.censuses.items() if query.market == market for gap in gaps_of(answers)]
        return median(gaps) if gaps else float("nan")


def gaps_of(answers: Sequence[Answered]) -> list[float]:
    """Seconds between one answer and the next."""
    return [later.at - earlier.at for earlier, later in pairwise(answers)]


async def planned(
    windows: Sequence[Window],
    seconds: float,
    *,
    rules: Sequence[Rule] = (),
    quota: Quota | None = None,
    seed: int = 1,
) -> Outcome:
    """The product lives through these windows, with the ten rules unless others are given."""
    async with begun(rules or the_rules(), windows, quota=quota or Quota(), seed=seed) as life:
        await life.passes(seconds)
        notebook = life.notebook
        agendas = [notebook.judge.agenda(name) for name in life.pollers]
        asked = notebook.answered
        pictures = [
            part for name, agenda in zip(life.pollers, agendas, strict=True)
            for part in life.pollers[name].plan.pictures.of(agenda.censuses)
        ]  # fmt: skip
        probes = [probe for agenda in agendas for probe in agenda.probes]
        return Outcome(
            name=PLANNER,
            sightings=notebook.sightings,
            spent=dict(life.account.spent),
            alerts=len(notebook.alerts),
            confirmations=notebook.confirmations,
            probes={each: asked.get(each, []) for each in probes},
            censuses={each: asked.get(each, []) for each in pictures if each not in probes},
        )


async def lived(habit: Habit, windows: Sequence[Window], seconds: float, *, seed: int = 1) -> Outcome:
    """A fixed poller lives through the same ones."""
    sightings, spent = await polled(habit, the_rules(), windows, seconds, quota=Quota(), seed=seed)
    return Outcome(name=habit.name, sightings=sightings, spent=spent)

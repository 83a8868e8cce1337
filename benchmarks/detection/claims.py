"""What is required of the planner in the comparison, as figures."""

from __future__ import annotations

from typing import Final

from benchmarks.detection.account import Quota
from benchmarks.detection.delays import Bound, chosen, delays
from benchmarks.detection.outcome import Outcome
from benchmarks.detection.rivals import FILTERED, FULL_5, FULL_30, Habit
from benchmarks.detection.runs import MARKETS, Comparison
from benchmarks.figure import Figure

LABELS: Final = {"vast": "Vast.ai", "runpod": "RunPod"}
OWED_UNSEEN: Final = 5.0
"""Per cent of the windows that are owed."""
BETTER: Final = ((FILTERED, 2.0), (FULL_5, 10.0), (FULL_30, 10.0))
"""How many times lower the median has to be than a fixed poller's."""


def bound_of(outcome: Outcome, market: str) -> Bound:
    """What the planner owes on a market, by the number of its probes there."""
    return Bound(spacing_s=Quota().spacing(market), probes=len(outcome.probes_of(market)))


def claims(comparison: Comparison) -> list[Figure]:
    """All of them, market by market."""
    found = [figure for market in MARKETS for figure in _of_market(comparison, market)]
    return [*found, _refusals(comparison), _pictures(comparison)]


def _of_market(comparison: Comparison, market: str) -> list[Figure]:
    planner, bound, label = comparison.planner, bound_of(comparison.planner, market), LABELS[market]
    owed = chosen(comparison.windows, market, longer_than=bound.late)
    every = delays(planner.sightings, chosen(comparison.windows, market))
    fallen = delays(planner.sightings, chosen(comparison.windows, market, how="falls"))
    ours = delays(planner.sightings, owed)
    sizes = (
        f"s = {bound.spacing_s:g} s, q = {bound.probes} probes; {ours.windows} of {every.windows} windows stay longer "
        f"than 1.2 s q + 2 s = {bound.late:.0f} s; of all {every.seen:.1%} were seen, median {every.median:.3g} s"
    )
    falls = f"; {fallen.windows} more opened by a falling price: {fallen.seen:.1%} seen, median {fallen.median:.3g} s"
    return [
        Figure(
            claim=f"from appearance to alert on {label}, median",
            measured=ours.median,
            unit="s",
            at_most=bound.median,
            detail=sizes + (falls if fallen.windows else ""),
        ),
        Figure(
            claim=f"from appearance to alert on {label}, 95th percentile",
            measured=ours.late,
            unit="s",
            at_most=bound.late,
            detail="of the same windows",
        ),
        Figure(
            claim=f"windows on {label} that nobody was told of",
            measured=100 * (1 - ours.seen),
            unit="%",
            at_most=OWED_UNSEEN,
            detail="of the same windows",
        ),
        *(_against(comparison, market, habit, times) for habit, times in BETTER),
    ]


def _against(comparison: Comparison, market: str, habit: Habit, times: float) -> Figure:
    owed = chosen(comparison.windows, market, longer_than=bound_of(comparison.planner, market).late)
    rival = comparison.rival(habit)
    theirs, spent = delays(rival.sightings, owed), rival.spent[market]
    return Figure(
        claim=f"median on {LABELS[market]} against: {habit.name}",
        measured=delays(comparison.planner.sightings, owed).median,
        unit="s",
        baseline=theirs.median,
        times_better=times,
        against=f"{theirs.seen:.1%} seen, {spent.refused / spent.requests:.1%} of its requests refused and lost",
        detail="the same windows",
    )


def _refusals(comparison: Comparison) -> Figure:
    spent = comparison.planner.spent
    return Figure(
        claim="requests of the planner that were refused",
        measured=sum(each.refused for each in spent.values()),
        unit="requests",
        at_most=0,
        detail="; ".join(
            f"{LABELS[market]}: {spent[market].requests:,} requests, the closest {spent[market].closest_s:g} s apart"
            + (f", {spent[market].rows / comparison.days:,.0f} rows a day" if market == "vast" else "")
            for market in MARKETS
        ),
    )


def _pictures(comparison: Comparison) -> Figure:
    planner = comparison.planner
    taken = [answer for answers in planner.censuses.values() for answer in answers]
    return Figure(
        claim="full pictures that were not whole",
        measured=sum(not answer.whole for answer in taken),
        unit="pictures",
        at_most=0,
        detail=f"{len(taken):,} taken on Vast.ai, one of each card every {planner.census_gap('vast') / 60:.0f} min "
        f"where 30 are wanted; {planner.confirmations:,} confirmations; on RunPod every answer is a full picture",
    )

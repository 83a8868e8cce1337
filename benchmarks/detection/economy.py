"""What the planner does with more rules, and with less quota."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Final

from benchmarks.detection.account import Quota
from benchmarks.detection.claims import LABELS
from benchmarks.detection.course import at_once
from benchmarks.detection.outcome import Outcome, planned
from benchmarks.detection.planner import begun
from benchmarks.detection.runs import MARKETS, SEED
from benchmarks.detection.scene import ten_times, the_rules
from benchmarks.detection.windows import schedule
from benchmarks.figure import Figure
from benchmarks.timing import in_turn
from market.budget import Budget
from market.coverage import Coverage

TIMES: Final = 10
TENTH: Final = 0.1
MOST_UNEVEN: Final = 4.0
"""Unusual numbers of GPUs are asked for half as often anyway, and what shows more rows rests longer."""
MANY_RULES: Final = 1_000
PLANNING_MS: Final = 1.0
FIRST_LOOK_S: Final = 600.0
"""After which the book is known, as it usually is."""


def more_rules(seconds: float) -> Figure:
    """Requests and probes that ten times as many rules cost beyond those of the ten."""
    windows = schedule(SEED, seconds)
    ten = at_once(planned(windows, seconds, seed=SEED))
    rules = ten_times(the_rules(), Random("ten times"))
    hundred = at_once(planned(windows, seconds, rules=rules, seed=SEED))
    more = sum(
        max(_requests(hundred, market) - _requests(ten, market), 0)
        + max(len(hundred.probes_of(market)) - len(ten.probes_of(market)), 0)
        for market in MARKETS
    )
    return Figure(
        claim="requests and probes more with ten times the rules",
        measured=more,
        unit="requests",
        at_most=0,
        detail=f"{len(rules)} rules on the same cards, counts, tiers and verification, any ceilings, disks and places; "
        + "; ".join(
            f"{LABELS[market]}: {len(ten.probes_of(market))} and {len(hundred.probes_of(market))} probes, "
            f"{_requests(ten, market):,} and {_requests(hundred, market):,} requests"
            for market in MARKETS
        ),
    )


def less_quota(seconds: float) -> list[Figure]:
    """Whether a tenth of the quota still asks every probe, each about as often as the others."""
    quota = Quota(share=TENTH)
    outcome = at_once(planned(schedule(SEED, seconds), seconds, quota=quota, seed=SEED))
    return [_evenness(outcome, market, quota, seconds) for market in MARKETS]


def _evenness(outcome: Outcome, market: str, quota: Quota, seconds: float) -> Figure:
    probes = outcome.probes_of(market)
    times = {probe: [0.0, *(answer.at for answer in outcome.probes[probe]), seconds] for probe in probes}
    longest = max(later - earlier for each in times.values() for earlier, later in pairwise(each))
    asked = {probe: len(outcome.probes[probe]) for probe in probes}
    counts = "; ".join(f"{_sizes(probe)}: asked {count:,} times" for probe, count in asked.items())
    least = min(asked.values())
    return Figure(
        claim=f"a tenth of the quota on {LABELS[market]}: the probe asked most against the one asked least",
        measured=max(asked.values()) / least if least else float("inf"),
        unit="times",
        at_most=MOST_UNEVEN,
        detail=f"q = {len(probes)} probes at s = {quota.spacing(market):g} s; {counts}; the longest wait of any was "
        f"{longest:,.0f} s; {outcome.spent[market].refused} requests refused",
    )


def planning(rules: int = MANY_RULES) -> Figure:
    """The milliseconds that a turn thinks before and after its question, with so many rules."""
    return at_once(_planning(rules))


async def _planning(rules: int) -> Figure:
    chance = Random("many rules")
    wanted = [rule for _ in range(-(-rules // (TIMES * TIMES))) for rule in ten_times(the_rules(), chance)][:rules]
    async with begun(wanted, schedule(SEED, FIRST_LOOK_S), quota=Quota(), seed=SEED) as life:
        await life.passes(FIRST_LOOK_S)
        poller = life.pollers["vast"]
        moment = life.account.clock.monotonic() + Quota().spacing("vast")
        budget = Budget(row_rate=Quota().rows_a_day / 86_400)

        def plan() -> None:
            agenda = life.notebook.judge.agenda("vast")
            step = poller.plan.next(agenda, moment, budget)
            if agenda.known is not None and step.coverage is not None:
                agenda.known(step.coverage)
            poller.plan.wait(agenda, moment, budget)

        (taken,) = in_turn(plan, times=201)
        probes = len(life.notebook.judge.agenda("vast").probes)
    return Figure(
        claim="planning a turn",
        measured=taken,
        at_most=PLANNING_MS,
        detail=f"{len(wanted):,} rules, {probes} probes on Vast.ai: what is wanted, what is due, which machines are "
        "known and how long to wait",
    )


def _sizes(probe: Coverage) -> str:
    """A probe by its number of GPUs and, where they are asked apart, its tier."""
    low, high = probe.counts
    sizes = f"x{low}" if low == high else f"x{low}+" if high is None else f"x{low}-{high}"
    return sizes if probe.market == "vast" else f"{sizes} {'/'.join(sorted(probe.tiers))}"


def _requests(outcome: Outcome, market: str) -> int:
    return outcome.spent[market].requests

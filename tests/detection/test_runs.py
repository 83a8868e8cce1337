"""The pollers of the comparison keep to their quotas, and the figures say what the runs came to."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from benchmarks.detection.account import Quota, Spending
from benchmarks.detection.claims import claims
from benchmarks.detection.course import at_once
from benchmarks.detection.delays import SETTLING_S, Bound, chosen, delays
from benchmarks.detection.notebook import DayLedger
from benchmarks.detection.outcome import PLANNER, Outcome, lived, planned
from benchmarks.detection.rivals import FILTERED, FULL_5, HABITS, polled
from benchmarks.detection.runs import MARKETS, Comparison
from benchmarks.detection.scene import SCARCE, the_rules
from benchmarks.detection.table import HEADER, table, text
from benchmarks.detection.windows import Sightings, Window
from market.coverage import Coverage

NOON = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
ON_VAST = next(each for each in SCARCE if each.market == "vast")
ON_RUNPOD = next(each for each in SCARCE if each.market == "runpod")
PROBES = {
    Coverage(market=market, tiers=frozenset(), counts=(size, size)): () for market in MARKETS for size in (1, 2, 4, 8)
}


def opening(number: int, *, runpod: bool = False, length: float = 600.0) -> Window:
    what, start = ON_RUNPOD if runpod else ON_VAST, SETTLING_S + number * 10_000
    return Window(what=what, key=f"{what.market}:{number}", start=start, end=start + length, machine=700_000 + number)


def outcome(name: str, windows: list[Window], delay: float, **spent: Spending) -> Outcome:
    sightings = Sightings(windows)
    for window in windows:
        sightings.tell([window.key], window.start + delay)
    usual = {market: Spending(requests=100, rows=10, closest_s=6.0) for market in MARKETS}
    return Outcome(name=name, sightings=sightings, spent={**usual, **spent}, probes=PROBES)


def comparison(delay: float, rivals_delay: float, **spent: Spending) -> Comparison:
    windows = [opening(number, runpod=number % 2 == 1) for number in range(8)]
    return Comparison(
        seconds=86_400.0,
        windows=windows,
        planner=outcome(PLANNER, windows, delay, **spent),
        rivals=[outcome(habit.name, windows, rivals_delay) for habit in HABITS],
    )


def test_all_claims_hold_for_a_planner_that_is_quick_and_are_denied_to_one_that_is_not() -> None:
    assert all(figure.ok for figure in claims(comparison(4.0, 60.0)))
    slow = {figure.claim: figure.ok for figure in claims(comparison(14.0, 60.0))}
    assert not slow["from appearance to alert on RunPod, median"]
    assert not slow["from appearance to alert on Vast.ai, median"]
    assert not slow[f"median on Vast.ai against: {FULL_5.name}"]
    assert slow[f"median on Vast.ai against: {FILTERED.name}"]
    blind = {figure.claim: figure.ok for figure in claims(comparison(math.inf, 60.0))}
    assert not blind["windows on Vast.ai that nobody was told of"]


def test_one_refused_request_is_one_too_many() -> None:
    figures = claims(comparison(4.0, 60.0, vast=Spending(requests=100, refused=1, closest_s=5.9)))
    (refusals,) = (figure for figure in figures if "refused" in figure.claim)
    assert not refusals.ok
    assert "5.9 s apart" in refusals.detail


def test_a_window_never_told_of_counts_as_infinite_and_an_early_one_not_at_all() -> None:
    windows = [opening(0), opening(1), opening(2), opening(3, length=20.0)]
    early = Window(what=ON_VAST, key="vast:early", start=SETTLING_S - 1, end=SETTLING_S + 600)
    sightings = Sightings([*windows, early])
    sightings.tell(["vast:0", "vast:early"], windows[0].start + 10)
    owed = chosen(sightings.windows, "vast", longer_than=30.0)
    assert owed == windows[:3]
    figures = delays(sightings, owed)
    assert (figures.windows, figures.median, figures.late) == (3, math.inf, math.inf)
    assert math.isclose(figures.seen, 1 / 3)
    assert math.isnan(delays(sightings, []).median)


def test_what_is_owed_follows_from_the_spacing_and_the_number_of_probes() -> None:
    bound = Bound(spacing_s=6.0, probes=5)
    assert (bound.round_s, bound.median, bound.late) == (30.0, 16.0, 38.0)


def test_the_table_has_a_line_for_every_poller_on_every_market() -> None:
    rows = table(comparison(4.0, math.inf))
    assert rows[0] == HEADER
    assert [row[:2] for row in rows[1:5]] == [("Vast.ai", name) for name in (PLANNER, *(each.name for each in HABITS))]
    assert {len(row) for row in rows} == {len(HEADER)}
    assert "never" in text(rows)


def test_the_product_sees_what_appears_and_no_request_of_it_is_refused() -> None:
    windows = [opening(0, length=300.0), opening(0, runpod=True, length=300.0)]
    soon = [Window(what=each.what, key=_key(each), start=600.0, end=900.0, machine=each.machine) for each in windows]
    found = at_once(planned(soon, 900.0))
    assert all(found.sightings.delay(window) < 60 for window in soon)
    assert found.alerts >= 2
    assert {market: found.spent[market].refused for market in MARKETS} == {"vast": 0, "runpod": 0}
    assert (found.spent["vast"].closest_s, found.spent["runpod"].closest_s) == (6.0, 2.0)
    assert all(answers for answers in found.probes.values())
    assert found.censuses


def test_a_fixed_poller_sees_what_stays_long_enough() -> None:
    window = opening(0, length=600.0)
    soon = Window(what=window.what, key=_key(window), start=100.0, end=700.0, machine=window.machine)
    for habit in (FULL_5, FILTERED):
        assert at_once(lived(habit, [soon], 700.0)).sightings.delay(soon) < habit.each_s + 120


def test_a_fixed_poller_loses_its_requests_once_the_rows_of_the_day_are_used_up() -> None:
    work = polled(FULL_5, the_rules(), [], 3_600.0, quota=Quota(share=0.1), seed=1)
    _, spent = at_once(work)
    assert spent["vast"].refused > 0
    assert spent["vast"].closest_s >= 60.0
    assert spent["vast"].rows >= 2_000


def test_the_ledger_of_a_run_starts_afresh_each_day_and_counts_what_was_charged() -> None:
    ledger = DayLedger(100)
    assert ledger.begin("vast", NOON, 80) == 80
    assert ledger.begin("vast", NOON, 80) == 20
    ledger.settle("vast", NOON, 80, 5)
    assert ledger.left("vast", NOON) == 75
    assert ledger.left("vast", NOON.replace(day=11)) == 100
    assert DayLedger(None).begin("runpod", NOON, 7) == 7


def _key(window: Window) -> str:
    what = window.what
    if what.market == "vast":
        return f"vast:{window.machine}:{what.gpus}"
    return f"runpod:{what.type_id}:{what.cloud}:{what.gpus}"

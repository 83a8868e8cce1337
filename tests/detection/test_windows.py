"""The truth of the comparison: what the schedule promises is there, is a match, and nothing else is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.detection.account import Account, Quota, opened
from benchmarks.detection.scene import SCARCE, the_rules, watches
from benchmarks.detection.windows import (
    LONGEST_S,
    POD_REST_S,
    REST_S,
    RETURN_S,
    SHORTEST_S,
    Sightings,
    Window,
    schedule,
)
from benchmarks.detection.world import furnished
from market.coverage import Coverage
from market.matching import WatchIndex

HOUR = 3_600.0
PLENTY = Quota(share=10_000)
ORDINARY = "RTX 3090"


def by_key(windows: list[Window]) -> dict[str, list[Window]]:
    found: dict[str, list[Window]] = {}
    for window in windows:
        found.setdefault(window.key, []).append(window)
    return found


def pairs(windows: list[Window]) -> Iterator[tuple[Window, Window]]:
    return pairwise(windows)


async def matching(account: Account, index: WatchIndex) -> set[str]:
    """Keys that match some rule now, of every card but the ordinary one."""
    found = set()
    for market in account.markets.values():
        for query in market.census(sorted({each.card for each in SCARCE})):
            account.clock.go(account.clock.monotonic() + 0.01)
            snapshot = await market.scan(query)
            assert snapshot.complete
            found |= {each.key for each in snapshot.offers if any(index.hits(each, snapshot.taken_at))}
    return found


async def is_match(account: Account, window: Window, index: WatchIndex) -> bool:
    """Whether the key of a window matches some rule now."""
    what = window.what
    counts = (what.gpus, what.gpus)
    if what.market == "runpod":
        query = Coverage(market="runpod", tiers=frozenset({what.cloud}), counts=counts)
    else:
        machines = frozenset({str(window.machine)})
        query = Coverage(market="vast", tiers=frozenset({"community", "datacenter"}), counts=counts, machines=machines)
    snapshot = await account.markets[what.market].scan(query)
    return any(offer.key == window.key and any(index.hits(offer, snapshot.taken_at)) for offer in snapshot.offers)


def test_the_same_seed_gives_the_same_windows_and_another_one_others() -> None:
    assert schedule(1, 24 * HOUR) == schedule(1, 24 * HOUR)
    assert schedule(1, 24 * HOUR) != schedule(2, 24 * HOUR)


def test_a_longer_run_begins_with_the_windows_of_a_shorter_one() -> None:
    short, long = schedule(1, 12 * HOUR), schedule(1, 24 * HOUR)
    assert set(short) <= set(long)
    assert all(window.end > 12 * HOUR for window in set(long) - set(short))


def test_windows_last_from_seconds_to_half_an_hour_and_come_on_both_markets_in_every_size() -> None:
    windows = schedule(1, 168 * HOUR)
    assert all(SHORTEST_S - 0.01 <= window.length <= LONGEST_S + 0.01 for window in windows)
    assert {(window.market, window.what.gpus) for window in windows} == {
        (market, size) for market in ("vast", "runpod") for size in (1, 2, 4, 8)
    }
    assert {window.how for window in windows if window.market == "vast"} == {"appears", "falls"}
    assert any(window.returning for window in windows)


def test_a_card_rests_between_its_windows_and_a_key_until_no_cool_down_holds_it() -> None:
    windows = schedule(3, 168 * HOUR)
    for card in {each.card for each in SCARCE}:
        for before, after in pairs([window for window in windows if window.what.card == card]):
            assert after.start - before.end >= REST_S - 0.01
    for group in by_key(windows).values():
        for before, after in pairs(group):
            assert after.start - before.end >= (POD_REST_S if before.market == "runpod" else RETURN_S) - 0.01


async def test_a_window_is_a_match_while_it_is_open_and_neither_before_nor_after() -> None:
    windows = schedule(5, 18 * HOUR)
    index = WatchIndex(watches(the_rules()))
    kinds = {(each.market, each.how, each.returning, each.what.cloud): each for each in windows}
    assert len(kinds) == 5
    found = {}
    async with opened(furnished(windows, 5), PLENTY) as account:
        looks = [(each.start - 1, each, False) for each in kinds.values()]
        looks += [(each.start + 1, each, True) for each in kinds.values()]
        looks += [(each.end + 1, each, False) for each in kinds.values()]
        for at, window, there in sorted(looks, key=lambda look: look[0]):
            account.clock.go(at)
            found[at, window.key] = (await is_match(account, window, index), there)
    assert all(seen is there for seen, there in found.values())


async def test_nothing_else_of_a_scarce_card_ever_matches() -> None:
    windows = schedule(5, 18 * HOUR)
    index = WatchIndex(watches(the_rules()))
    async with opened(furnished(windows, 5), PLENTY, pod_sizes=(1, 2, 4, 8)) as account:
        for moment in (windows[3].start + 5, windows[20].start + 5, 17 * HOUR):
            account.clock.go(moment)
            there = {window.key for window in windows if window.start <= moment < window.end}
            assert await matching(account, index) == there


async def test_the_ordinary_card_always_has_something_that_matches() -> None:
    index = WatchIndex(watches(the_rules()))
    async with opened(furnished([], 1), PLENTY) as account:
        market = account.markets["vast"]
        for hour in range(0, 25, 4):
            account.clock.go(hour * HOUR)
            (query,) = market.census([ORDINARY])
            snapshot = await market.scan(query)
            assert any(True for offer in snapshot.offers for _ in index.hits(offer, snapshot.taken_at))


def test_a_window_is_seen_when_it_is_first_told_of_while_it_is_open() -> None:
    first, second = (Window(what=SCARCE[0], key="k", start=start, end=start + 100) for start in (1_000.0, 9_000.0))
    sightings = Sightings([first, second])
    sightings.tell(["k", "another"], 999.0)
    assert sightings.delay(first) == math.inf
    for at in (1_040.0, 1_060.0, 1_100.001, 9_101.0):
        sightings.tell(["k"], at)
    assert sightings.delay(first) == 40.0
    assert sightings.delay(second) == math.inf

"""The simulated market by itself: reproducible, alive, and obedient to tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from statistics import mean
from typing import Any

import pytest

from scanners.simulator.market import SimulatedMarket

START = datetime(2026, 11, 2, tzinfo=UTC)


def living(seed: int = 3, offers: int = 60) -> SimulatedMarket:
    return SimulatedMarket(seed=seed, start=START, offers=offers)


def everything(market: SimulatedMarket) -> tuple[Any, ...]:
    return (
        market.vast_rows(verified=None, rentable=None),
        market.runpod_rows("secure", 1),
        market.runpod_rows("secure", 8),
        market.runpod_rows("community", 2),
    )


def test_the_market_at_a_time_does_not_depend_on_the_steps_that_led_there() -> None:
    there = START + timedelta(days=4, hours=5, seconds=17)
    leaping, walking = living(), living()
    leaping.advance(there)
    for hour in range(0, 100, 3):
        walking.advance(START + timedelta(hours=hour, seconds=hour))
    walking.advance(there)
    assert everything(leaping) == everything(walking)


def test_looking_changes_nothing() -> None:
    watched, left_alone = living(), living()
    for day in range(1, 4):
        watched.advance(START + timedelta(days=day))
        assert everything(watched) == everything(watched)
    left_alone.advance(START + timedelta(days=3))
    assert everything(watched) == everything(left_alone)


def test_another_seed_is_another_market() -> None:
    assert everything(living(seed=1)) != everything(living(seed=2))


def test_time_does_not_run_backwards() -> None:
    market = living(offers=0)
    market.advance(START + timedelta(hours=1))
    with pytest.raises(ValueError, match="backwards"):
        market.advance(START)


def test_a_start_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        SimulatedMarket.empty(datetime(2026, 11, 2))  # noqa: DTZ001  # the refusal is the claim


def test_the_ordinary_market_has_about_thirteen_hundred_verified_offers() -> None:
    market = SimulatedMarket(seed=1, start=START + timedelta(hours=12))
    rows = market.vast_rows()
    assert 1_000 < len(rows) < 1_800
    assert 600 < len({row["machine_id"] for row in rows}) < 1_200
    assert len(market.vast_rows(verified=False)) > 50
    assert len(market.vast_rows(rentable=False)) > 300
    assert mean(row["reliability"] > 0.95 for row in rows) > 0.88
    assert 0.02 < mean(row["min_bid"] > row["dph_total"] for row in rows) < 0.2


def test_offers_are_scarcer_late_in_the_day_than_before_noon() -> None:
    market = living(offers=150)
    supply: dict[int, list[int]] = {10: [], 22: []}
    for day in range(1, 9):
        for hour, counts in supply.items():
            market.advance(START + timedelta(days=day, hours=hour))
            counts.append(len(market.vast_rows()))
    assert mean(supply[22]) < 0.9 * mean(supply[10])


def test_machines_are_repriced_rented_returned_and_replaced() -> None:
    market = living(offers=100)
    before = {row["machine_id"]: row for row in market.vast_rows(verified=None, rentable=None)}
    market.advance(START + timedelta(days=10))
    after = {row["machine_id"]: row for row in market.vast_rows(verified=None, rentable=None)}
    both = before.keys() & after.keys()
    assert before.keys() - after.keys()
    assert after.keys() - before.keys()
    assert any(before[number]["dph_base"] != after[number]["dph_base"] for number in both)
    assert any(before[number]["id"] != after[number]["id"] for number in both)
    assert any(before[number]["rentable"] != after[number]["rentable"] for number in both)
    assert any(before[number]["reliability"] != after[number]["reliability"] for number in both)
    assert all(row["end_date"] > market.now.timestamp() for row in after.values() if row["rentable"])


def test_a_shortage_now_and_then_takes_nearly_every_card_of_a_model() -> None:
    market = living(seed=1, offers=150)
    counts = []
    for hour in range(0, 24 * 21, 3):
        market.advance(START + timedelta(hours=hour))
        counts.append(len(market.vast_rows(cards={"RTX 3060"})))
    assert min(counts) < 0.35 * mean(counts)


def test_runpod_stock_moves_while_prices_hardly_do() -> None:
    market = living(offers=0)
    levels, prices = set(), set()
    for hour in range(72):
        market.advance(START + timedelta(hours=hour))
        row = next(row for row in market.runpod_rows("secure") if row["name"] == "B200")
        levels.add(row["availability"])
        prices.add(row["price"]["secure"])
    assert len(levels) > 1
    assert len(prices) <= 2


def test_bigger_pods_are_scarcer() -> None:
    market = living(offers=0)
    available = {
        count: sum(row["availability"] != "NONE" for row in market.runpod_rows("secure", count)) for count in (1, 8)
    }
    assert available[8] < available[1]


def test_in_an_empty_market_nothing_happens_by_itself() -> None:
    market = SimulatedMarket.empty(START)
    machine = market.vast.add_machine("RTX 4090", price=0.35)
    before = market.vast_rows(), market.runpod_rows("secure")
    market.advance(START + timedelta(days=5))
    for row in before[0]:
        row["duration"] -= 5 * 86_400
    assert (market.vast_rows(), market.runpod_rows("secure")) == before
    assert [row["machine_id"] for row in market.vast_rows()] == [machine]
    assert all(row["availability"] == "NONE" for row in market.runpod_rows("community"))


def test_history_shows_both_books_at_each_time_asked_for() -> None:
    market = living()
    times = [START + timedelta(hours=6 * step) for step in range(1, 5)]
    moments = list(market.history(times, cards={"RTX 4090"}, counts=(1, 8)))
    assert [moment.at for moment in moments] == times
    assert all(row["gpu_name"] == "RTX 4090" for moment in moments for row in moment.vast)
    assert set(moments[0].runpod) == {("secure", 1), ("secure", 8), ("community", 1), ("community", 8)}

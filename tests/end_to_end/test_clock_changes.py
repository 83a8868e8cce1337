"""A clock that is set back by hours or leaps ahead by days, through the whole product."""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from tests.end_to_end.clock import START, ManualClock
from tests.end_to_end.house import BuildHouse, House

RULE = "RTX 4090 <=0.40 vast"


class TrueTime:
    """The time as it is, whatever was done to a clock."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        """Aware UTC."""
        return START + timedelta(seconds=self._clock.monotonic())


@pytest.fixture
async def house(build_house: BuildHouse) -> House:
    """One with little to ask of a market whose own clock nobody touches."""
    house = await build_house(extra="[alerts]\ncooldown_minutes = 20")
    house.configure(per_minute=2)
    house.server._clock = TrueTime(house.clock)
    return house


async def everything(house: House) -> str:
    """All that a person may read."""
    questions = (("now",), ("status",), ("history", "4090"), ("alerts",), ("health",), ("watch", "list"))
    return "\n".join([(await house.ask(*words)).out for words in questions])


async def test_a_clock_set_back_neither_stalls_scans_nor_repeats_alerts_nor_shows_ages_below_zero(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.market.vast.add_machine()
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=10)
        asked = len(house.asked("vast"))
        house.clock.set_back(hours=2)
        assert (await house.ask("health")).code in (0, 1)
        await life._running._timekeeper.look()
        await life.passes(minutes=10)
        assert len(house.asked("vast")) - asked >= 10
        assert len(house.alerts()) == 1
        assert not re.search(r"(?<!\d)-\d+ (s|min|h)\b", await everything(house))
        (offer,) = await house.offers()
        assert 0 <= offer["age_s"] <= 1800
        health = await house.ask("health", "--json")
        status = (await house.ask("status", "--json")).json["markets"]["vast"]
    assert health.code == 1  # of the market that this test does not ask
    assert [problem.partition(":")[0] for problem in health.json["problems"]] == ["runpod"]
    assert 0 <= status["age_s"] <= 60
    assert house.notices == []
    assert "could not be watched" not in house.terminal.getvalue()
    assert sum("set back by 7200 s" in record.getMessage() for record in caplog.records) == 1


async def test_a_held_alert_comes_when_its_cool_down_ends_although_the_clock_was_set_back(house: House) -> None:
    machine = house.market.vast.add_machine()
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=1)
        house.market.vast.remove_machine(machine)
        await life.passes(minutes=4)
        house.market.vast.add_machine(machine_id=machine)
        await life.passes(seconds=40)
        waiting = [alert for alert in await house.log() if alert["state"] == "held"]
        house.clock.set_back(hours=2)
        await life._running._timekeeper.look()
        await life.passes(minutes=20)
    assert len(waiting) == 1
    assert len(house.alerts()) == 2


async def test_a_clock_that_was_set_back_while_nothing_ran_holds_up_no_alert(house: House) -> None:
    machine = house.market.vast.add_machine()
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life._running._timekeeper.begin()
        await life.passes(minutes=1)
        house.market.vast.remove_machine(machine)
        await life.passes(minutes=4)
        house.market.vast.add_machine(machine_id=machine)
        await life.passes(seconds=40)
        await life._running._timekeeper.look()
    house.clock.set_back(hours=2)
    async with house.running("vast") as life:
        await life._running._timekeeper.begin()
        await life.passes(minutes=20)
    assert len(house.alerts()) == 2


@pytest.mark.parametrize("hours", [8, 24 * 30])
async def test_after_a_long_sleep_there_is_one_scan_and_no_flood(house: House, hours: float) -> None:
    for _ in range(5):
        house.market.vast.add_machine()
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=10)
        asked, alerts = len(house.asked("vast")), len(house.alerts())
        house.clock.move(hours=hours)
        woke_at = house.clock.now()
        await life.passes(minutes=5)
        entries = house.asked("vast")[asked:]
    assert (entries[0].at - woke_at).total_seconds() == 0
    assert all((after.at - before.at).total_seconds() >= 30 for before, after in pairwise(entries))
    assert len(house.alerts()) == alerts
    assert house.notices == []
    assert house.terminal.getvalue().count("could not be watched") == 1


async def test_rows_of_a_day_are_not_spent_again_when_the_clock_is_set_back_over_midnight(house: House) -> None:
    house.configure(per_minute=0.2)  # it is rows that are counted here: questions that cost none only take time
    text = house.config.read_text("utf-8").replace("[marketplaces.vast]", "[marketplaces.vast]\nrows_per_day = 100")
    house.config.write_text(text, encoding="utf-8")
    for _ in range(10):
        house.market.vast.add_machine()
    await house.watch("RTX 4090 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=60 * 11 + 55)
        eve = (await house.ask("status", "--json")).json["markets"]["vast"]["rows_today"]
        await life.passes(minutes=30)
        house.clock.set_back(hours=1)
        again = (await house.ask("status", "--json")).json["markets"]["vast"]["rows_today"]
        await life.passes(minutes=20)
        later = (await house.ask("status", "--json")).json["markets"]["vast"]["rows_today"]
        await life.passes(minutes=60 * 24)
    spent: dict[str, int] = {}
    for entry in house.asked("vast"):
        day = entry.at.date().isoformat()
        spent[day] = spent.get(day, 0) + entry.rows
    assert 80 <= eve <= 100
    assert again >= eve
    assert eve <= later <= 100
    assert all(rows <= 100 for rows in spent.values()), spent


async def test_supervisors_do_not_take_an_answer_of_tomorrow_for_a_fresh_one(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    async with house.running() as life:
        await life.passes(minutes=5)
    house.clock.set_back(hours=2)
    health = await house.ask("health", "--json")
    assert health.code == 1
    assert all("set back" in problem for problem in health.json["problems"])
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]

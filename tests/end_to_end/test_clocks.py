"""Clocks that are set, and machines that sleep: the next run comes by elapsed time, once, and then at its pace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from bot.clock import LivedTime, SetBack, SystemClock
from bot.jobs import Schedule
from tests.end_to_end.clock import ManualClock
from tests.end_to_end.test_schedule import Job, began

HOURS = 3600.0


class Clocks:
    """A wall clock and a monotonic one, in seconds. APScheduler goes by the machine's own: the wall is told apart."""

    def __init__(self) -> None:
        self.ahead = 0.0
        """By how much the wall clock is ahead of the machine's."""
        self.wall = 1_800_000_000.0
        self.monotonic = 100.0
        self.elapsed = LivedTime(lambda: self.wall, lambda: self.monotonic)

    def now(self) -> datetime:
        """The time of day that plans are made by."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    def run(self, seconds: float) -> None:
        """Time passes while the machine is awake."""
        self.wall += seconds
        self.monotonic += seconds

    def sleep(self, seconds: float) -> None:
        """The machine is suspended."""
        self.wall += seconds

    def set_back(self, seconds: float) -> None:
        """Somebody sets the wall clock back."""
        self.wall -= seconds


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
async def schedule(clocks: Clocks) -> AsyncIterator[Schedule]:
    schedule = Schedule(clocks.elapsed, clocks.now)
    schedule.start()
    yield schedule
    await schedule.drain(1.0)


def test_time_passes_alike_whatever_is_done_to_the_wall_clock(clocks: Clocks) -> None:
    began_at = clocks.elapsed()
    clocks.run(5)
    clocks.set_back(2 * HOURS)
    assert clocks.elapsed() - began_at == pytest.approx(5)
    clocks.run(5)
    assert clocks.elapsed() - began_at == pytest.approx(10)


@pytest.mark.parametrize("slept_s", [8 * HOURS, 30 * 24 * HOURS])
def test_time_in_which_the_machine_slept_has_passed(clocks: Clocks, slept_s: float) -> None:
    began_at = clocks.elapsed()
    clocks.run(5)
    clocks.sleep(slept_s)
    assert clocks.elapsed() - began_at == pytest.approx(5 + slept_s)
    clocks.set_back(slept_s)
    clocks.run(5)
    assert clocks.elapsed() - began_at == pytest.approx(10 + slept_s)


def test_clocks_that_drift_a_little_are_no_sleep(clocks: Clocks) -> None:
    began_at = clocks.elapsed()
    for _ in range(100):
        clocks.run(10)
        clocks.sleep(0.5)
        clocks.elapsed()
    assert clocks.elapsed() - began_at == pytest.approx(1000)


def test_elapsed_time_is_the_same_for_every_thread_and_never_set_back() -> None:
    clock, seen = SystemClock(), list[list[float]]()

    def look() -> None:
        seen.append([clock.monotonic() for _ in range(500)])

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each == sorted(each) for each in seen)
    assert max(map(max, seen)) - min(map(min, seen)) < 60


def test_a_clock_that_was_set_back_is_noticed_once_and_by_how_much() -> None:
    clock = ManualClock()
    guard = SetBack(clock)
    clock.move(hours=3)
    assert guard.seconds() == 0
    clock.set_back(hours=2)
    assert guard.seconds() == 2 * HOURS
    clock.move(minutes=1)
    assert guard.seconds() == 0


async def test_a_clock_set_back_does_not_put_off_the_next_run(schedule: Schedule, clocks: Clocks) -> None:
    clocks.ahead = 2 * HOURS
    job = Job(wait_s=3600.0)
    schedule.repeat("scan", job, after_s=0.01)  # two hours from now, by the clock that is right again
    clocks.ahead = 0.0
    clocks.run(0.02)
    schedule.check()
    await began(job)
    assert job.runs == 1


async def test_a_clock_set_back_does_not_hasten_the_next_run(schedule: Schedule, clocks: Clocks) -> None:
    job, other = Job(), Job()
    schedule.repeat("scan", job, after_s=60)
    clocks.ahead = -2 * HOURS
    schedule.check()
    clocks.ahead = 0.0
    schedule.check()
    schedule.repeat("other", other)
    await began(other)
    assert job.runs == 0


@pytest.mark.parametrize("slept_s", [8 * HOURS, 30 * 24 * HOURS])
async def test_after_a_long_sleep_there_is_one_run_and_then_the_usual_pace(
    schedule: Schedule, clocks: Clocks, slept_s: float
) -> None:
    job, other = Job(wait_s=60.0), Job()
    schedule.repeat("scan", job, after_s=300)
    clocks.sleep(slept_s)
    for _ in range(3):
        schedule.check()
    await began(job)
    for _ in range(3):
        schedule.check()
        schedule.repeat("other", other)
        await began(other)
    assert job.runs == 1


async def test_a_run_that_got_lost_before_it_began_is_planned_again(schedule: Schedule, clocks: Clocks) -> None:
    job = Job()
    schedule.repeat("scan", job, after_s=60)
    schedule._scheduler.remove_job("scan")
    clocks.run(61)
    schedule.check()
    await began(job)
    assert job.runs == 1


async def test_a_run_that_somebody_cancels_is_followed_by_the_next(schedule: Schedule) -> None:
    job = Job(wait_s=0.0)
    job.go_on.clear()
    schedule.repeat("scan", job)
    await began(job)
    (task,) = schedule._running
    task.cancel()
    await asyncio.wait({task}, timeout=5)
    job.go_on.set()
    schedule.soon("scan")
    await began(job)
    assert job.ended >= 1

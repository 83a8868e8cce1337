"""The schedule: late is run once, a job never overlaps itself, a fault is survived, the end waits for what runs.

What the clocks do to it is in `test_clocks`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from bot.jobs import Schedule


class Job:
    """Counts its runs and can be made to wait in the middle of one."""

    def __init__(self, wait_s: float = 3600.0) -> None:
        self.runs = 0
        self.ended = 0
        self.began = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self._wait_s = wait_s

    async def __call__(self) -> float:
        self.runs += 1
        self.began.set()
        await self.go_on.wait()
        self.ended += 1
        return self._wait_s


@pytest.fixture
async def schedule() -> AsyncIterator[Schedule]:
    schedule = Schedule(time.monotonic)
    yield schedule
    await schedule.drain(1.0)


async def began(job: Job) -> None:
    """Wait for the next run to begin."""
    await asyncio.wait_for(job.began.wait(), 5)
    job.began.clear()


@pytest.mark.parametrize("late_s", [3.0, 8 * 3600.0, 30 * 86_400.0])
async def test_a_run_that_is_late_is_made_up_for_once(schedule: Schedule, late_s: float) -> None:
    job = Job()
    schedule.repeat("late", job, after_s=-late_s)
    schedule.start()
    await began(job)
    following = Job()
    schedule.repeat("following", following)
    await began(following)
    assert job.runs == 1


async def test_a_job_that_hangs_is_not_started_again_beside_itself(schedule: Schedule) -> None:
    slow, quick = Job(wait_s=0.0), Job()
    slow.go_on.clear()
    schedule.repeat("slow", slow)
    schedule.repeat("quick", quick)
    schedule.start()
    await began(slow)
    await began(quick)
    for _ in range(5):  # each of these would have been a chance
        schedule.soon("slow")
        schedule.soon("quick")
        await began(quick)
    assert slow.runs == 1
    slow.go_on.set()
    await began(slow)
    assert slow.runs >= 2


async def test_a_job_that_breaks_stays_scheduled_and_is_known_to_be_broken(schedule: Schedule) -> None:
    runs = Job()

    async def breaking() -> float:
        await runs()
        if runs.runs == 1:
            raise ZeroDivisionError("oops")
        return 3600.0

    schedule.repeat("breaking", breaking)
    schedule.start()
    await began(runs)
    assert schedule.faults == {"breaking": "ZeroDivisionError: oops"}
    schedule.soon("breaking")
    await began(runs)
    assert schedule.faults == {}


async def test_stopping_waits_for_what_runs_and_starts_nothing_more() -> None:
    schedule, running, waiting = Schedule(time.monotonic), Job(wait_s=0.0), Job()
    running.go_on.clear()
    schedule.repeat("running", running)
    schedule.repeat("waiting", waiting, after_s=3600)
    schedule.start()
    await began(running)
    stopping = asyncio.create_task(schedule.drain(5.0))
    await asyncio.sleep(0)
    schedule.soon("waiting")
    running.go_on.set()
    await asyncio.wait_for(stopping, 5)
    assert (running.runs, running.ended, waiting.runs) == (1, 1, 0)


async def test_a_job_that_will_not_end_is_given_up_in_time() -> None:
    schedule, stuck = Schedule(time.monotonic), Job()
    stuck.go_on.clear()
    schedule.repeat("stuck", stuck)
    schedule.start()
    await began(stuck)
    await asyncio.wait_for(schedule.drain(0.01), 5)
    assert stuck.ended == 0

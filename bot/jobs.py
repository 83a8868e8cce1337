"""The schedule: one job a market that plans its own next run when the last one has ended, and a few small ones.

APScheduler plans by the wall clock, which can be set and which runs on while the machine sleeps. What is due is decided
by elapsed time: each second the plans are compared with it and put right where the wall clock has left it. A run that
is long overdue is one run.

APScheduler cancels running coroutine jobs when it is shut down, whatever `wait` says; so the jobs that run are known
here and are waited for first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler

log = logging.getLogger(__name__)

Job = Callable[[], Awaitable[float]]
"""Does something and returns the seconds until it is to be done again."""

CHECK_EACH_S = 1.0
"""Between two looks at whether the plans still agree with elapsed time."""
SKEW_S = 2.0
"""A plan may be off by so much: two clocks are never read at the same moment."""

AFTER_ERROR_S = 30.0
"""Wait of a job after a fault of our own; markets' failures have their own pace."""
LETTING_GO_S = 1.0
"""How long a job that was cut off may take to let go of what it holds."""


class Schedule:
    """Runs jobs until it is drained. Times are the machine's own: callers convert a faster clock's spans.

    `elapsed` tells seconds since some fixed moment, those included in which the machine was suspended; `wall` the time
    of day that APScheduler goes by.
    """

    def __init__(self, elapsed: Callable[[], float], wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        # A job plans itself in its last moment, so it never overlaps itself. APScheduler still counts that last moment:
        # with room for one instance only, a next run that is due at once would be dropped, and the job with it.
        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 2, "misfire_grace_time": None}
        )
        self._elapsed = elapsed
        self._wall = wall
        self._waiting: dict[str, tuple[Job, float]] = {}
        """Jobs that do not run now, and the elapsed time at which each is due."""
        self._running: set[asyncio.Task[object]] = set()
        self._checking: asyncio.Task[None] | None = None
        self._draining = False
        self.faults: dict[str, str] = {}
        """Jobs whose last run broke, and how; for `health`."""

    def start(self) -> None:
        """Begin; needs a running loop."""
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler.start()
        self._checking = asyncio.create_task(self._keep_checking(), name="schedule:clock")

    def repeat(self, name: str, job: Job, *, after_s: float = 0.0) -> None:
        """Run `job` after so many seconds, and again after as many as it returns, for ever."""
        self._plan(name, job, after_s)

    def soon(self, name: str, after_s: float = 0.0) -> None:
        """Let a waiting job run so soon; one that runs already plans itself when it has ended."""
        if name in self._waiting:
            self._plan(name, self._waiting[name][0], after_s)

    def check(self) -> None:
        """Put the plans right whose moment by the wall clock is no longer that of elapsed time, or that were lost."""
        elapsed, wall = self._elapsed(), self._wall()
        for name, (job, due) in list(self._waiting.items()):
            left = max(due - elapsed, 0.0)
            planned = self._scheduler.get_job(name)
            if planned is None or abs((planned.next_run_time - wall).total_seconds() - left) > SKEW_S:
                self._plan(name, job, left)

    async def drain(self, seconds: float) -> None:
        """Start nothing more, let what runs end (at most so long), then stop."""
        self._draining = True
        if self._checking is not None:
            self._checking.cancel()
        if not self._scheduler.running:
            return
        self._scheduler.pause()
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=LETTING_GO_S)
        self._scheduler.shutdown(wait=False)

    async def _keep_checking(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EACH_S)
            self.check()

    def _plan(self, name: str, job: Job, after_s: float) -> None:
        self._waiting[name] = (job, self._elapsed() + after_s)
        self._scheduler.add_job(
            self._run,
            "date",
            args=(name, job),
            id=name,
            name=name,
            run_date=self._wall() + timedelta(seconds=after_s),
            replace_existing=True,
        )

    async def _run(self, name: str, job: Job) -> None:
        if self._waiting.pop(name, None) is None:
            return  # it was planned again in the moment in which it began
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        wait = AFTER_ERROR_S
        try:
            wait = await job()
            self.faults.pop(name, None)
        except asyncio.CancelledError:
            if not self._draining:
                raise
            log.warning("job %s was cut off in order to stop in time", name)
        except Exception as error:  # the one place where a job's fault is caught: it must not end the schedule
            if name not in self.faults:
                log.exception("job %s failed; it is tried again in %.0f s", name, AFTER_ERROR_S)
            self.faults[name] = f"{type(error).__name__}: {error}"
        finally:
            if not self._draining:
                self._plan(name, job, wait)

"""The schedule: one job a market that plans its own next run when the last one has ended, and a few small ones.

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

AFTER_ERROR_S = 30.0
"""Wait of a job after a fault of our own; markets' failures have their own pace."""
LETTING_GO_S = 1.0
"""How long a job that was cut off may take to let go of what it holds."""


class Schedule:
    """Runs jobs until it is drained. Times are the machine's own: callers convert a faster clock's spans."""

    def __init__(self) -> None:
        # A job plans itself in its last moment, so it never overlaps itself. APScheduler still counts that last moment:
        # with room for one instance only, a next run that is due at once would be dropped, and the job with it.
        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 2, "misfire_grace_time": None}
        )
        self._running: set[asyncio.Task[object]] = set()
        self._draining = False
        self.faults: dict[str, str] = {}
        """Jobs whose last run broke, and how; for `health`."""

    def start(self) -> None:
        """Begin; needs a running loop."""
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler.start()

    def repeat(self, name: str, job: Callable[[], Awaitable[float]], *, after_s: float = 0.0) -> None:
        """Run `job` after so many seconds, and again after as many as it returns, for ever."""
        self._plan(name, job, after_s)

    def soon(self, name: str, after_s: float = 0.0) -> None:
        """Let a waiting job run so soon; one that runs already plans itself when it has ended."""
        job = self._scheduler.get_job(name)
        if job is not None:
            job.modify(next_run_time=datetime.now(UTC) + timedelta(seconds=after_s))

    async def drain(self, seconds: float) -> None:
        """Start nothing more, let what runs end (at most so long), then stop."""
        self._draining = True
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

    def _plan(self, name: str, job: Callable[[], Awaitable[float]], after_s: float) -> None:
        self._scheduler.add_job(
            self._run,
            "date",
            args=(name, job),
            id=name,
            name=name,
            run_date=datetime.now(UTC) + timedelta(seconds=after_s),
            replace_existing=True,
        )

    async def _run(self, name: str, job: Callable[[], Awaitable[float]]) -> None:
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

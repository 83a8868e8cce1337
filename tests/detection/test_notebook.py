"""What is kept in memory for a simulated week is what the store would have kept: the same alerts, the same doubts."""

from __future__ import annotations

from datetime import timedelta

from benchmarks.detection.account import Quota
from benchmarks.detection.course import at_once
from benchmarks.detection.notebook import Notebook
from benchmarks.detection.planner import begun
from benchmarks.detection.scene import RULES, SCARCE, START, the_rules
from benchmarks.detection.windows import Window
from benchmarks.stage import Stage, add_rules, staged
from market.alerting import Decision, Event
from market.coverage import Coverage
from market.offer import Offer, runpod_key, vast_key
from market.snapshot import Snapshot
from scanners.errors import ScanError
from storage.record import Recording

SECONDS = 1_200.0
ON_VAST = next(each for each in SCARCE if each.market == "vast")
ON_RUNPOD = next(each for each in SCARCE if each.market == "runpod")
POD = runpod_key(ON_RUNPOD.type_id, ON_RUNPOD.cloud, ON_RUNPOD.gpus)
WINDOWS = [
    Window(what=ON_VAST, key=vast_key(700_001, ON_VAST.gpus), start=500.0, end=800.0, machine=700_001),
    Window(what=ON_RUNPOD, key=POD, start=600.0, end=800.0),
]


class Both:
    """A sink that hands every answer to the notebook and to the store, and holds one against the other."""

    def __init__(self, notebook: Notebook, stage: Stage) -> None:
        self.notebook = notebook
        self.stage = stage
        self.answers = 0

    async def stored(self, snapshot: Snapshot, *, reserved: int, took_s: float) -> tuple[Offer, ...]:
        alerts: set[tuple[int, str]] = set()

        def decide(recording: Recording) -> Decision:
            event = Event(
                snapshot=recording.snapshot,
                changes=recording.changes,
                known=recording.known,
                seen_at=recording.seen_at,
                since=recording.since,
            )
            decision = self.stage.judge.decide(event, recording.memory, recording.watches)
            self.stage.judge.note(event, recording.memory, decision)
            parts = [part for alert in decision.alerts if alert.not_before is None for part in alert.parts]
            alerts.update((part.watch_id, offer.key) for part in parts for offer in part.offers)
            return decision

        recorded = self.stage.recorder.record(snapshot, took_ms=0, decide=decide)
        before = len(self.notebook.alerts)
        doubtful = await self.notebook.stored(snapshot, reserved=reserved, took_s=took_s)
        assert {each.key for each in doubtful} == {each.key for each in recorded.changes.doubtful}
        assert {(watch_id, key) for _, watch_id, key in self.notebook.alerts[before:]} == alerts
        self.answers += 1
        return doubtful

    async def failed(self, coverage: Coverage, error: ScanError, *, took_s: float) -> None:
        raise AssertionError(f"{coverage} was not answered: {error}")


async def live(stage: Stage) -> Both:
    async with begun(the_rules(), WINDOWS, quota=Quota(share=0.5), seed=1) as life:
        both = Both(life.notebook, stage)
        for poller in life.pollers.values():
            poller.sink = both
        await life.passes(SECONDS)
        return both


def test_the_notebook_and_the_store_tell_and_doubt_the_same() -> None:
    with staged(lambda: START) as stage:
        add_rules(stage, RULES, [], START - timedelta(days=1))
        both = at_once(live(stage))
    told = {key for _, _, key in both.notebook.alerts}
    assert {window.key for window in WINDOWS} <= told
    assert both.answers > 200

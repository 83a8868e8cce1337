"""Putting alerts into the outbox as answers do, and taking them out."""

from __future__ import annotations

from datetime import datetime

from market.alert import Alert
from market.watch import Memory
from storage.memory import load_memory
from storage.outbox import Claimed, Outbox
from tests.storage.stage import Decided, Stage, vast


def put(stage: Stage, *alerts: Alert) -> tuple[int, ...]:
    """Queue alerts, as an answer would."""
    return stage.scan(vast(), wait=1, decide=lambda _: Decided(alerts=alerts)).queued


def claim(outbox: Outbox, at: datetime, limit: int = 30) -> list[Claimed]:
    """What is due, for a minute."""
    return outbox.claim(at, lease_s=60, limit=limit)


def memory_of(stage: Stage) -> Memory:
    """What is remembered as told."""
    with stage.store.read() as connection:
        return load_memory(connection)

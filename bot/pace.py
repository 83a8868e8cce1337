"""How a market is being asked, left in the store so that `status` and `health` can tell it from another process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite

from scanners.poller import Pace
from storage.chats import Chats


@dataclass(frozen=True, kw_only=True, slots=True)
class PaceNote:
    """The last word of a running poller. `gap_s` is the pace it keeps while the market is well."""

    next_at: datetime
    gap_s: float | None
    reason: str
    census_s: float | None = None
    """Seconds between two full pictures of a card, as the rows allow; None where none is taken."""
    round_s: float | None = None
    """Seconds in which every probe that costs nothing is asked once; None where nothing is watched."""
    at: datetime | None = None
    """When the note was left."""


def note_pace(chats: Chats, market: str, pace: Pace, now: datetime) -> None:
    """Leave the note."""
    record = {
        "next_at": (now + timedelta(seconds=pace.wait_s)).isoformat(),
        "gap_s": pace.wait_s if pace.error is None else None,
        "reason": pace.reason,
        # on a day without rows the next one never comes: then none is taken
        "census_s": pace.census_s if pace.census_s is not None and isfinite(pace.census_s) else None,
        "round_s": pace.round_s,
        "at": now.isoformat(),
    }
    chats.put_fact(f"pace:{market}", json.dumps(record))


def read_pace(chats: Chats, market: str) -> PaceNote | None:
    """The note, None before the first."""
    text = chats.fact(f"pace:{market}")
    if text is None:
        return None
    record = json.loads(text)
    at = record.get("at")
    times = {
        "next_at": datetime.fromisoformat(record["next_at"]),
        "at": None if at is None else datetime.fromisoformat(at),
    }
    return PaceNote(**record | times)

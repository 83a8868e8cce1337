"""When is a market broken, when is it well again, and who must know? Heartbeats in, notices out.

The owner is told once a breakdown and once when it is over: of a blip nothing, of what does not pass by itself at once.
People with rules are told afterwards for which time the watch was blind, be it that the market failed, that the machine
slept or that nothing ran. Pure: it reads no clock and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from market.blindness import Blindness
from scanners.errors import KeyRejected, QuotaExhausted, Retired, ScanError

PATIENT_GAPS: Final = 3
"""Failed gaps that are still a blip."""
SHORT_S: Final = 300.0
"""A blindness that is no longer is not worth a message, whatever the gap."""
STEP_S: Final = 30.0
"""Between two looks at a market that is not asked; a longer one was a sleep of the machine."""

Cause = Literal["failing", "key", "retired", "resting", "hanging"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown:
    """A market is no longer watched. `since` is its last good answer; `until` when it is asked again, where that is
    long from now."""

    market: str
    cause: Cause
    problem: str
    since: datetime | None
    until: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovery:
    """A market of whose breakdown the owner was told answers again, after so many seconds."""

    market: str
    after_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """How a market stands after a turn of its scanner. `elapsed_s` counts the time in which the machine slept."""

    at: datetime
    elapsed_s: float
    ok_at: datetime | None
    """The last good answer."""
    failures: int = 0
    """In a row."""
    error: ScanError | None = None
    wait_s: float = 0.0
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """What is known of the watch on one market. `gap_s` may ordinarily pass between two answers."""

    market: str
    gap_s: float
    ok_at: datetime | None
    """The last good answer of which everybody has been told what there was to tell."""
    owner_knows: bool
    good_s: float
    """When that was in elapsed time; the start of this run, before its first."""
    looked_s: float
    idle_s: float = 0.0
    """For how long no turn has ended although one was due, while the machine was awake."""

    @property
    def patience_s(self) -> float:
        """What lasts no longer is a blip."""
        return PATIENT_GAPS * self.gap_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What follows: the outlook from now on, a word to the owner, and what people with rules are to be told."""

    outlook: Outlook
    notice: Breakdown | Recovery | None = None
    blindness: Blindness | None = None


def judge_turn(before: Outlook, turn: Turn) -> Verdict:
    """What a turn that has just ended means."""
    outlook = replace(before, idle_s=-turn.wait_s, looked_s=turn.elapsed_s)
    verdict = Verdict(outlook=outlook)
    if turn.ok_at is not None and turn.ok_at != before.ok_at:
        outlook = replace(outlook, ok_at=turn.ok_at, owner_knows=False, good_s=turn.elapsed_s)
        verdict = _good(before, outlook, turn.ok_at)
    cause = None if outlook.owner_knows else _cause(outlook, turn)
    if cause is None:
        return verdict
    notice = Breakdown(
        market=before.market,
        cause=cause,
        problem=turn.error.problem if turn.error is not None else turn.reason,
        since=outlook.ok_at,
        until=turn.at + timedelta(seconds=turn.wait_s) if turn.wait_s > before.patience_s else None,
    )
    return replace(verdict, outlook=replace(outlook, owner_knows=True), notice=notice)


def judge_silence(before: Outlook, elapsed_s: float) -> Verdict:
    """What it means that no turn has ended since the last look. A machine that slept has missed nothing."""
    idle_s = before.idle_s + min(max(elapsed_s - before.looked_s, 0.0), STEP_S)
    heard = replace(before, idle_s=idle_s, looked_s=elapsed_s)
    if before.owner_knows or idle_s < before.patience_s:
        return Verdict(outlook=heard)
    notice = Breakdown(market=before.market, cause="hanging", problem="", since=before.ok_at)
    return Verdict(outlook=replace(heard, owner_knows=True), notice=notice)


def _good(before: Outlook, after: Outlook, ok_at: datetime) -> Verdict:
    # by the wall clock over a time in which nothing ran, by elapsed time where the wall clock was set back meanwhile
    by_wall = 0.0 if before.ok_at is None else (ok_at - before.ok_at).total_seconds()
    seconds = max(by_wall, after.good_s - before.good_s)
    blindness = None
    if before.ok_at is not None and seconds > blip_s(before.gap_s):
        blindness = Blindness(market=before.market, since=ok_at - timedelta(seconds=seconds), until=ok_at)
    notice = Recovery(market=before.market, after_s=seconds) if before.owner_knows else None
    return Verdict(outlook=after, notice=notice, blindness=blindness)


def blip_s(gap_s: float) -> float:
    """A blindness that is no longer is told to nobody, seconds."""
    return max(PATIENT_GAPS * gap_s, SHORT_S)


def _cause(before: Outlook, turn: Turn) -> Cause | None:
    """Why the owner has to know; None for what may be a blip."""
    match turn.error:
        case KeyRejected():
            return "key"
        case Retired():
            return "retired"
        case QuotaExhausted():
            return "resting"
    if turn.wait_s > before.patience_s:
        return "resting"
    lasting = turn.failures >= PATIENT_GAPS and turn.elapsed_s - before.good_s >= before.patience_s
    return "failing" if lasting else None

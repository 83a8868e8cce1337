"""What a poll cycle is given besides an agenda: the ledger of what was spent, and a place for the answers."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from market.agenda import Agenda, Purpose
from market.coverage import Coverage
from market.offer import Offer
from market.snapshot import Snapshot
from scanners.errors import ScanError

__all__ = ["Agenda", "Ledger", "NotYet", "Purpose", "Sink"]


class NotYet(Exception):
    """The market's pace allows no question for so many seconds: another process has asked, or this one before."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"not for another {wait_s:.1f} s")
        self.wait_s = wait_s


class Ledger(Protocol):
    """The persistent count of what was spent: it outlives restarts and is shared with other processes."""

    def turn(self, market: str, at: datetime, gap_s: float) -> float:
        """Take the next turn to ask, `gap_s` after the last one of any process: 0, or the seconds to wait for it."""

    def answered(self, market: str, at: datetime, gap_s: float) -> None:
        """The question was answered, or will not be: the next one of any process is due `gap_s` after that."""

    def rest(self, market: str, at: datetime, seconds: float) -> None:
        """No process asks for so long: the service wants it so."""

    def begin(self, market: str, at: datetime, reserve: int) -> int:
        """Count a request and set rows aside; how many may be asked for, 0 when the day's quota is used up."""

    def settle(self, market: str, at: datetime, reserved: int, actual: int) -> None:
        """Replace rows that were set aside by those that were charged."""

    def left(self, market: str, at: datetime) -> int:
        """Rows left today."""


class Sink(Protocol):
    """Where answers go."""

    async def stored(self, snapshot: Snapshot, *, reserved: int, took_s: float) -> tuple[Offer, ...]:
        """Store and judge an answer; the offers that it left in doubt."""

    async def failed(self, coverage: Coverage, error: ScanError, *, took_s: float) -> None:
        """Note that a query was not answered."""

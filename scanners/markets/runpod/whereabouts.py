"""Where GPU types stand whose own list of data centres is missing, for rules that ask for a place.

The catalogue leaves that list out for some types although they are in stock. While a rule asks for a place, the data
centres are then read as well, seldom. They fill a gap and never replace a list that came; what they do not prove
stays unknown: with pods of several GPUs, the place is known only where the type stands in one data centre alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from market.rule import Rule
from scanners.errors import ScanError
from scanners.markets.runpod import data_centers
from scanners.markets.runpod.account import Account
from scanners.markets.runpod.listing import Listing
from scanners.markets.runpod.wire import NAME

EACH_S: Final = 240.0
"""Seconds between two reads, good or not."""
GOOD_FOR_S: Final = 900.0
"""For so long an earlier read stands in for those that failed since."""


class Whereabouts:
    """The data centres of each type, as last read."""

    def __init__(self) -> None:
        self._wanted = False
        self._missed = False
        self._asked_at: datetime | None = None
        self._read_at: datetime | None = None
        self._known: Mapping[str, tuple[str, ...]] = {}

    def want(self, rule: Rule) -> None:
        """Note that a rule has to be judged. Once one asks for a place in Secure Cloud, places are wanted for good."""
        if (rule.data_centers or rule.countries) and "secure" in rule.tiers(NAME):
            self._wanted = True

    def due(self, listings: Sequence[Listing], gpu_count: int, at: datetime) -> bool:
        """Whether the data centres should be read: they were missed, in this answer or before."""
        if not self._wanted or _within(self._asked_at, at, EACH_S):
            return False
        self._missed = self._missed or any(_misses(each, gpu_count) for each in listings)
        return self._missed

    async def look(self, account: Account, at: datetime) -> str | None:
        """Read the data centres. What went wrong, if anything did: the catalogue's answer does not depend on it."""
        self._asked_at, self._missed = at, False
        try:
            self._known = data_centers.read(await data_centers.ask(account))
        except ScanError as error:
            return f"some data centres are not known ({error.problem})"
        self._read_at = at
        return None

    def filled(self, listings: Sequence[Listing], gpu_count: int, at: datetime) -> list[Listing]:
        """The same listings, with data centres where their own were missing and others are known."""
        if not _within(self._read_at, at, GOOD_FOR_S):
            return list(listings)
        return [self._placed(each, gpu_count) if _misses(each, gpu_count) else each for each in listings]

    def _placed(self, each: Listing, gpu_count: int) -> Listing:
        centers = self._known.get(each.type_id, ())
        return replace(each, data_centers=centers) if gpu_count == 1 or len(centers) == 1 else each


def _misses(each: Listing, gpu_count: int) -> bool:
    """Whether it is an offer that does not say where it stands."""
    return each.data_centers is None and each.stock is not None and each.sellable(gpu_count)


def _within(since: datetime | None, at: datetime, seconds: float) -> bool:
    """Whether less time has passed; a clock that was set back tells nothing."""
    return since is not None and 0 <= (at - since).total_seconds() < seconds

"""What a marketplace module offers, and how one is found: every module or folder of `scanners.markets`.

A third marketplace is one file there with a `build` function; nothing else has to be told about it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import httpx

import scanners.markets
from market.coverage import Coverage
from market.gpu import Catalogue
from market.offer import Offer
from market.rule import Rule
from market.snapshot import Snapshot

Now = Callable[[], datetime]
"""Aware UTC."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What one account may ask. `rows_per_day` None: rows are not charged."""

    requests_per_minute: float
    rows_per_day: int | None = None
    rows_per_answer: int | None = None
    """The most rows one answer can hold; also what is set aside before a query is sent."""


class Marketplace(Protocol):
    """One marketplace, ready to be asked. The pure methods never wait; `scan` alone does I/O."""

    name: str
    limits: Limits

    def probes(self, rule: Rule) -> tuple[Coverage, ...]:
        """The queries that find what a rule matches, with the rule's own filters; empty if the rule excludes it."""

    def opening(self, rule: Rule) -> Coverage | None:
        """One query that shows whatever all of `probes` would, at the price of more rows: a new rule with many queries
        is checked by it first. None where it would save nothing."""

    def census(self, cards: Sequence[str]) -> tuple[Coverage, ...]:
        """The queries for the full picture of these cards; no cards: of the whole verified rentable book."""

    def confirm(self, offers: Sequence[Offer]) -> tuple[Coverage, ...]:
        """The queries that tell whether these offers still exist and what they cost now, without a ceiling."""

    def heartbeat(self) -> Coverage:
        """The cheapest query that proves the market answers, for when nobody watches anything."""

    async def scan(self, coverage: Coverage, *, row_limit: int | None = None) -> Snapshot:
        """Ask one query; every filter is applied again here. Raises ScanError."""

    def rest_s(self) -> float:
        """Seconds for which the service asked, in its last answer, to be left alone; 0 when it said nothing."""

    def link(self, offer: Offer) -> str:
        """A page where a person finds the offer."""

    def remarks(self) -> tuple[str, ...]:
        """What a person should know at start, such as what is lost without a key."""


Build = Callable[[Any, httpx.AsyncClient, Catalogue, Now], Marketplace]
"""`build(settings, client, catalogue, now)`; `settings` is an instance of the module's own `Settings`."""


def modules() -> dict[str, Any]:
    """Every marketplace module by name, in the order of the alphabet."""
    found = {}
    for info in sorted(pkgutil.iter_modules(scanners.markets.__path__), key=lambda info: info.name):
        if not info.name.startswith("_"):
            found[info.name] = importlib.import_module(f"scanners.markets.{info.name}")
    return found

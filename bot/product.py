"""The composition root: the one place that builds things and joins them.

Everything is built from the settings and a clock; nothing is global, nothing starts here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from bot.clock import Clock
from bot.judging import Judge
from bot.settings import Settings
from bot.version import product_version
from market.gpu import CATALOGUE, Catalogue
from market.grammar import read_rule, write_rule
from market.offer import Offer
from market.rule import Rule
from scanners import registry
from scanners.client import open_client
from scanners.registry import Marketplace
from storage.outbox import Outbox
from storage.record import Recorder
from storage.rules import RuleShelf
from storage.store import Store, open_store
from storage.usage import Usage
from storage.watches import Watches


class Rules:
    """The grammar with every card name ever seen in an answer."""

    def __init__(self, seen: Callable[[], frozenset[str]], today: Callable[[], datetime]) -> None:
        self._seen = seen
        self._today = today
        self._names: frozenset[str] = frozenset()
        self._catalogue = CATALOGUE

    def catalogue(self) -> Catalogue:
        """The catalogue and the unknown names that markets have used."""
        names = self._seen()
        if names != self._names:
            self._catalogue, self._names = CATALOGUE.with_seen(names), names
        return self._catalogue

    def read(self, text: str) -> Rule:
        """The rule of a text that a person wrote now. Raises RuleError."""
        return read_rule(text, catalogue=self.catalogue(), today=self._today().date())

    def stored(self, text: str) -> Rule:
        """The rule of a stored text: a last day that has passed meanwhile is no mistake. Raises RuleError."""
        return read_rule(text, catalogue=self.catalogue(), today=datetime.min.date())

    def write(self, rule: Rule) -> str:
        """The canonical text."""
        return write_rule(rule, catalogue=self.catalogue())


@dataclass(frozen=True, kw_only=True)
class Product:
    """The parts, joined."""

    settings: Settings
    clock: Clock
    store: Store
    rules: Rules
    client: httpx.AsyncClient
    markets: Mapping[str, Marketplace]
    recorder: Recorder
    watches: Watches
    outbox: Outbox
    usage: Usage
    judge: Judge

    @property
    def links(self) -> Mapping[str, Callable[[Offer], str]]:
        """Market to the function that makes an offer's link."""
        return {name: market.link for name, market in self.markets.items()}

    @property
    def zone(self) -> ZoneInfo:
        """The default time zone."""
        return ZoneInfo(self.settings.timezone)

    def market_settings(self, name: str) -> Any:
        """The settings of one marketplace."""
        return getattr(self.settings.marketplaces, name)

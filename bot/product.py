"""The composition root: the one place that builds things and joins them.

Everything is built from the settings and a clock; nothing is global, nothing starts here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from bot.clock import Clock
from bot.judging import Judge
from bot.settings import ConfigError, Settings
from bot.version import product_version
from market.gpu import CATALOGUE, Catalogue
from market.grammar import read_card, read_rule, write_rule
from market.offer import Offer
from market.rule import CardChoice, Rule, RuleError
from scanners import registry
from scanners.client import open_client
from scanners.registry import Marketplace
from storage.alertlog import AlertLog
from storage.chats import Chats
from storage.offers import seen_cards
from storage.outbox import Outbox
from storage.record import Recorder
from storage.rules import RuleShelf
from storage.store import Store, open_store
from storage.usage import Usage
from storage.watches import Watches

CENSUS_MINUTES = 30.0
"""Where a market's settings leave the pace of full pictures open."""


class Rules:
    """The grammar with every card name ever seen in an answer."""

    def __init__(self, seen: Callable[[], frozenset[str]], today: Callable[[], date]) -> None:
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
        return read_rule(text, catalogue=self.catalogue(), today=self._today())

    def stored(self, text: str) -> Rule:
        """The rule of a stored text: a last day that has passed meanwhile is no mistake. Raises RuleError."""
        return read_rule(text, catalogue=self.catalogue(), today=date.min)

    def card(self, text: str) -> CardChoice:
        """The card or family that a text names. Raises RuleError."""
        return read_card(text, catalogue=self.catalogue())

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
    markets: Mapping[str, Marketplace]
    recorder: Recorder
    watches: Watches
    chats: Chats
    outbox: Outbox
    alert_log: AlertLog
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

    def census_s(self, market: str) -> float:
        """How often the full picture of a recorded card is wanted of a market, seconds."""
        minutes: float = getattr(self.market_settings(market), "census_minutes", CENSUS_MINUTES)
        return minutes * 60

    def today(self) -> date:
        """The date in the default time zone."""
        return self.clock.now().astimezone(self.zone).date()


@asynccontextmanager
async def assembled(settings: Settings, clock: Clock) -> AsyncIterator[Product]:
    """The product, joined for as long as the block lasts. Raises StoreError, UnusableProxyError, ConfigError."""
    store = open_store(settings.storage.url, now=clock.now())
    try:
        async with open_client(product_version()) as client:
            yield _joined(settings, clock, store, client)
    finally:
        store.close()


def _recorded(names: Sequence[str], catalogue: Catalogue) -> frozenset[str]:
    try:
        return frozenset().union(*(read_card(name, catalogue=catalogue).cards for name in names))
    except RuleError as error:
        raise ConfigError(f"history.cards: {error}") from error


def _joined(settings: Settings, clock: Clock, store: Store, client: httpx.AsyncClient) -> Product:
    zone = ZoneInfo(settings.timezone)
    rules = Rules(lambda: seen_cards(store), lambda: clock.now().astimezone(zone).date())
    shelf = RuleShelf(rules.stored)
    modules = registry.modules()
    markets: dict[str, Marketplace] = {
        name: module.build(getattr(settings.marketplaces, name), client, CATALOGUE, clock.now)
        for name, module in modules.items()
        if getattr(settings.marketplaces, name).enabled
    }
    recorded = _recorded(settings.history.cards, rules.catalogue())
    return Product(
        settings=settings,
        clock=clock,
        store=store,
        rules=rules,
        markets=markets,
        recorder=Recorder(store, shelf),
        watches=Watches(store, shelf),
        chats=Chats(store),
        outbox=Outbox(store, shelf),
        alert_log=AlertLog(store),
        usage=Usage(store, {name: market.limits.rows_per_day for name, market in markets.items()}),
        judge=Judge(policy=settings.alerts.policy(), markets=markets, recorded=tuple(sorted(recorded))),
    )

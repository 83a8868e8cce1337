"""The composition root: the one place that builds things and joins them.

Everything is built from the settings and a clock; nothing is global, nothing starts here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from bot.clock import Clock
from bot.judging import Judge
from bot.settings import Settings
from bot.version import product_version
from market.gpu import CATALOGUE, Catalogue
from market.grammar import read_card, read_rule, write_rule
from market.offer import Offer
from market.rule import CardChoice, Rule
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

    def today(self) -> date:
        """The date in the default time zone."""
        return self.clock.now().astimezone(self.zone).date()


@asynccontextmanager
async def assembled(settings: Settings, clock: Clock) -> AsyncIterator[Product]:
    """The product, joined for as long as the block lasts. Raises StoreError, UnusableProxyError, RuleError."""
    store = open_store(settings.storage.url, now=clock.now())
    try:
        async with open_client(product_version()) as client:
            yield _joined(settings, clock, store, client)
    finally:
        store.close()


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
    recorded = frozenset().union(
        *(read_card(text, catalogue=rules.catalogue()).cards for text in settings.history.cards)
    )
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

"""Vast.ai: machines of many hosts, each with its own price, reliability and disk.

A search costs rows of the account's daily quota, so queries are narrow. Without a key every answer is cut to 64 rows.
This module reads the market only; it cannot rent anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import httpx

from market.coverage import Coverage
from market.gpu import Catalogue
from market.offer import Offer
from market.rule import Rule
from market.snapshot import Snapshot
from scanners.client import fetch
from scanners.markets.vast import link, queries, question
from scanners.markets.vast.ask import NAME
from scanners.markets.vast.offers import KEYLESS_CAP, ROW_CAP, parse
from scanners.markets.vast.refusals import hidden_refusal, refusal
from scanners.registry import Limits, Now
from scanners.settings import MarketSettings, Minutes, RequestsPerMinute, RowsPerDay

__all__ = ["Settings", "Vast", "build", "parse"]


class Settings(MarketSettings):
    """`[marketplaces.vast]` of the configuration."""

    url: str = "https://console.vast.ai"
    rows_per_day: RowsPerDay = 20_000
    requests_per_minute: RequestsPerMinute = 10
    census_minutes: Minutes = 30


class Vast:
    """The marketplace, ready to be asked."""

    name = NAME

    def __init__(self, settings: Settings, client: httpx.AsyncClient, catalogue: Catalogue, now: Now) -> None:
        self._settings = settings
        self._client = client
        self._catalogue = catalogue
        self._now = now
        self.limits = Limits(
            requests_per_minute=settings.requests_per_minute,
            rows_per_day=settings.rows_per_day,
            rows_per_answer=ROW_CAP,
        )

    def probes(self, rule: Rule) -> tuple[Coverage, ...]:
        """Queries with the rule's own filters."""
        return queries.probes(rule)

    def opening(self, rule: Rule) -> Coverage | None:
        """One broad query for a rule with many."""
        return queries.opening(rule)

    def census(self, cards: Sequence[str]) -> tuple[Coverage, ...]:
        """The full picture of each card, one query a card."""
        return queries.census(cards)

    def confirm(self, offers: Sequence[Offer]) -> tuple[Coverage, ...]:
        """Queries for single machines, without a ceiling."""
        return queries.confirm(offers)

    def heartbeat(self) -> Coverage:
        """A query that returns hardly a row."""
        return queries.heartbeat()

    async def scan(self, coverage: Coverage, *, row_limit: int | None = None) -> Snapshot:
        """Ask one query. Raises ScanError."""
        limit = ROW_CAP if row_limit is None else max(1, min(ROW_CAP, row_limit))
        answer = await fetch(
            self._client,
            NAME,
            "POST",
            f"{self._settings.url}/api/v0/bundles/",
            key=self._settings.api_key,
            json=question.body(coverage, self._catalogue, limit),
        )
        if answer.status != 200 or answer.is_html or b'"offers"' not in answer.body:
            raise refusal(answer, self._now())
        snapshot = parse(
            answer.body,
            coverage=coverage,
            catalogue=self._catalogue,
            taken_at=self._now(),
            row_limit=limit,
            keyless=self._settings.api_key is None,
        )
        hidden = None if snapshot.rows else hidden_refusal(answer, self._now())
        if hidden is not None:
            raise hidden
        return snapshot

    def rest_s(self) -> float:
        """Its answers do not tell."""
        return 0.0

    def link(self, offer: Offer) -> str:
        """A search page narrowed to the offer."""
        return link.link(offer)

    def remarks(self) -> tuple[str, ...]:
        """What is lost without a key."""
        if self._settings.api_key:
            return ()
        remark = (
            f"Vast.ai without an API key: every answer is cut to {KEYLESS_CAP} rows, so offers will be missed. "
            "A key with only the permission `misc` is enough."
        )
        return (remark,)


def build(settings: Settings, client: httpx.AsyncClient, catalogue: Catalogue, now: Now) -> Vast:
    """The marketplace for these settings."""
    return Vast(settings, client, catalogue, now)

"""RunPod: GPU types with list prices and a stock level, in Secure Cloud and Community Cloud.

With a key it is asked through REST v2, without one through the public GraphQL catalogue. RunPod publishes no figure
of reliability, no host and no interruptible price any more, so none is invented here. It cannot rent anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

import httpx
from pydantic import BeforeValidator, Field

from market.coverage import Coverage
from market.gpu import Catalogue
from market.offer import Offer, Tier
from market.rule import Rule
from market.snapshot import Snapshot
from scanners.markets.runpod import graphql, rest
from scanners.markets.runpod.account import Account
from scanners.markets.runpod.listing import Listing
from scanners.markets.runpod.memory import Memory
from scanners.markets.runpod.offers import snapshot
from scanners.markets.runpod.quota import Quota
from scanners.markets.runpod.sizes import sizes
from scanners.markets.runpod.whereabouts import Whereabouts
from scanners.markets.runpod.wire import NAME
from scanners.registry import Limits, Now
from scanners.settings import MarketSettings, RequestsPerMinute

__all__ = ["RunPod", "Settings", "build"]

DEPLOY = "https://console.runpod.io/deploy"

PodSize = Annotated[int, Field(ge=1, le=16)]


def _listed(value: object) -> object:
    """A list, as a configuration file has it, is as good as a tuple."""
    return tuple(value) if isinstance(value, list) else value


class Settings(MarketSettings):
    """`[marketplaces.runpod]` of the configuration."""

    url: str = "https://api.runpod.io"
    requests_per_minute: RequestsPerMinute = 30
    gpu_counts: Annotated[tuple[PodSize, ...], BeforeValidator(_listed)] = (1,)
    """Pod sizes that are asked for besides those that rules need."""


class RunPod:
    """The marketplace, ready to be asked."""

    name = NAME

    def __init__(self, settings: Settings, client: httpx.AsyncClient, catalogue: Catalogue, now: Now) -> None:
        self._settings = settings
        self._client = client
        self._catalogue = catalogue
        self._now = now
        self._memory = Memory()
        self._whereabouts = Whereabouts()
        self._quota = Quota(60 / settings.requests_per_minute, now)
        key = settings.api_key
        self._account = Account(client, settings.url, key, self._quota) if key is not None else None
        self.limits = Limits(requests_per_minute=settings.requests_per_minute)

    def probes(self, rule: Rule) -> tuple[Coverage, ...]:
        """One query for each cloud and pod size; none for what RunPod does not have or does not tell."""
        untold = (rule.min_down_mbps, rule.min_ram_gb, rule.min_duration_s)
        if rule.terms == "interruptible" or any(wanted is not None for wanted in untold):
            return ()
        self._whereabouts.want(rule)
        return tuple(_query(tier, count) for tier in sorted(rule.tiers(NAME)) for count in sizes(rule.counts))

    def opening(self, rule: Rule) -> Coverage | None:
        """None: no query here shows several pod sizes."""
        return None

    def census(self, cards: Sequence[str]) -> tuple[Coverage, ...]:
        """Both clouds at every recorded pod size: each answer shows all cards."""
        tiers: tuple[Tier, ...] = ("secure", "community")
        return tuple(_query(tier, count) for count in sorted(set(self._settings.gpu_counts)) for tier in tiers)

    def confirm(self, offers: Sequence[Offer]) -> tuple[Coverage, ...]:
        """Nothing: no query of RunPod hides anything, so each of them confirms."""
        return ()

    def heartbeat(self) -> Coverage:
        """The ordinary query; rows cost nothing here."""
        return _query("secure", 1)

    async def scan(self, coverage: Coverage, *, row_limit: int | None = None) -> Snapshot:
        """Ask one query; `row_limit` means nothing here. Raises ScanError."""
        (tier,), count = coverage.tiers, coverage.counts[0]
        complaint = remark = None
        if self._account is not None:
            answer = await rest.ask(self._account, tier, count)
            at = self._now()
            listings, skipped = rest.read(answer, tier)
            remark = await self._look_around(self._account, listings, count, at)
            listings = self._whereabouts.filled(listings, count, at)
        else:
            answer = await graphql.ask(self._client, self._settings.url, tier, count)
            at = self._now()
            listings, skipped, complaint = graphql.read(answer, tier)
        return snapshot(
            listings,
            coverage=coverage,
            catalogue=self._catalogue,
            memory=self._memory,
            taken_at=at,
            skipped=skipped,
            complaint=complaint,
            remark=remark,
        )

    async def _look_around(self, account: Account, listings: Sequence[Listing], count: int, at: datetime) -> str | None:
        """Read the data centres too, where that helps a rule and there is room for it; what went wrong."""
        if not self._quota.has_spare() or not self._whereabouts.due(listings, count, at):
            return None
        if not self._quota.has_turn():
            self._quota.save_turn()
            return None
        remark = await self._whereabouts.look(account, at)
        self._quota.save_turn()
        return remark

    def rest_s(self) -> float:
        """What the headers of the last answer ask for, or a turn left out for the data centres; 0 without a key."""
        return self._quota.rest_s()

    def link(self, offer: Offer) -> str:
        """The page to deploy such a pod."""
        return f"{DEPLOY}?{urlencode({'gpu': offer.spelling, 'count': offer.gpu_count})}"

    def remarks(self) -> tuple[str, ...]:
        """What is lost without a key."""
        if self._settings.api_key:
            return ()
        remark = (
            "RunPod without an API key: the public GraphQL catalogue is used, which tells no data centres and is to be "
            "retired in early 2027. A read-only key is enough."
        )
        return (remark,)


def _query(tier: Tier, gpu_count: int) -> Coverage:
    return Coverage(market=NAME, tiers=frozenset({tier}), counts=(gpu_count, gpu_count))


def build(settings: Settings, client: httpx.AsyncClient, catalogue: Catalogue, now: Now) -> RunPod:
    """The marketplace for these settings."""
    return RunPod(settings, client, catalogue, now)

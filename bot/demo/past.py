"""Four weeks of simulated history, laid down through the real marketplace modules before the demo begins.

The simulated services are asked inside this process and without their limits: years of questions in seconds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import httpx

from bot.product import Product
from market.alerting import Decision
from market.coverage import Coverage
from market.gpu import CATALOGUE
from scanners import registry
from scanners.simulator.exchange import Asked
from scanners.simulator.limits import Window
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.runpod import RunPodPolicy, RunPodService
from scanners.simulator.server import RUNPOD_KEY, VAST_KEY
from scanners.simulator.vast import VastPolicy, VastService

BOUNDLESS = 10**9


class _InProcess(httpx.AsyncBaseTransport):
    """Carries requests straight to the simulated services, at the market's own time."""

    def __init__(self, market: SimulatedMarket) -> None:
        self._market = market
        policy = VastPolicy(requests_per_minute=None, rows_per_day=BOUNDLESS)
        self._vast = VastService(market.vast, keys=(VAST_KEY,), policy=policy, chance=Random("vast past"))
        windows = (Window(name="day", quota=BOUNDLESS, seconds=86_400),)
        self._runpod = RunPodService(
            market.runpod,
            keys=(RUNPOD_KEY,),
            scopeless=(),
            policy=RunPodPolicy(windows=windows),
            chance=Random("runpod past"),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer at once."""
        asked = Asked(
            method=request.method,
            path=request.url.path,
            query=dict(request.url.params),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.aread(),
            address="past",
            at=self._market.now,
        )
        service = self._runpod if asked.path.startswith("/v2/") else self._vast
        answer = service.answer(asked)
        return httpx.Response(
            answer.status,
            stream=httpx.ByteStream(answer.body),
            headers={**answer.headers, "Content-Type": answer.content_type},
        )


async def lay_past(
    product: Product, market: SimulatedMarket, *, until: datetime, every: timedelta, cards: Sequence[str]
) -> AsyncIterator[float]:
    """Record the cards at regular moments from the market's time up to `until`; yields the share that is done.

    In between nothing changes, and the markets are put down as asked at the slowest pace allowed.
    """
    start = market.now
    pace = timedelta(seconds=product.settings.scan.slowest_seconds)
    async with httpx.AsyncClient(transport=_InProcess(market)) as client:
        modules = registry.modules()
        marketplaces = [
            modules[name].build(product.market_settings(name), client, CATALOGUE, lambda: market.now)
            for name in product.markets
        ]
        moment = start
        while moment < until:
            market.advance(moment)
            repeats = _moments(moment + pace, min(moment + every, until), pace)
            for marketplace in marketplaces:
                for coverage in _together(marketplace.census(cards)):
                    snapshot = await marketplace.scan(coverage)
                    product.recorder.record(snapshot, took_ms=0, decide=lambda recording: Decision())
                    product.recorder.record_repeats(coverage, repeats)
            yield (moment - start) / (until - start)
            moment += every
    market.advance(until)
    yield 1.0


def _together(coverages: Sequence[Coverage]) -> list[Coverage]:
    """Queries that differ in their card alone, as one: with no quota to care for, that is a third of the work."""
    cards = frozenset().union(*(each.cards or () for each in coverages))
    return list(dict.fromkeys(replace(each, cards=cards) if each.cards else each for each in coverages))


def _moments(first: datetime, end: datetime, step: timedelta) -> list[datetime]:
    """Regular moments before the end."""
    return [first + number * step for number in range(max(-((first - end) // step), 0))]

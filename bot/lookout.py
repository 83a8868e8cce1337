"""Keeps an eye on the scanners themselves: judges how each market stands, keeps that, and tells whom it concerns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.notice import Notice
from bot.outages import Outlook, Turn, Verdict, blip_s, judge_silence, judge_turn
from bot.product import Product
from bot.questions import freshness_of
from bot.render.outages import notice_text
from market.alert import Alert
from market.blindness import Blindness
from market.watch import Watch
from scanners.poller import Pace
from storage.outages import OutageBook, Sight

log = logging.getLogger(__name__)

LOOK_EACH_S = 10.0


class Lookout:
    """`notice` says a word to the owner, `alerted` that something was put into the outbox."""

    def __init__(self, product: Product, *, notice: Callable[[Notice], None], alerted: Callable[[], None]) -> None:
        self._product = product
        self._notice = notice
        self._alerted = alerted
        self._book = OutageBook(product.store)
        self._outlooks: dict[str, Outlook] = {}

    async def begin(self) -> None:
        """Take up what an earlier run has kept."""
        for market in self._product.markets:
            await asyncio.to_thread(self._outlook, market)

    async def after_turn(self, market: str, pace: Pace) -> None:
        """Judge how a market stands after a turn."""
        verdict, queued = await asyncio.to_thread(self._judge_turn, market, pace)
        self._tell(verdict)
        if queued:
            self._alerted()

    async def look(self) -> float:
        """Notice scanners from which nothing is heard any more; the seconds until the next look."""
        clock = self._product.clock
        for market, outlook in list(self._outlooks.items()):
            verdict = judge_silence(outlook, clock.monotonic())
            self._outlooks[market] = verdict.outlook
            if verdict.notice is not None:
                log.error("the scanner of %s has stopped; start atalaia again", market)
                await asyncio.to_thread(self._keep, verdict, clock.now())
                self._tell(verdict)
        return LOOK_EACH_S

    def _judge_turn(self, market: str, pace: Pace) -> tuple[Verdict, bool]:
        clock = self._product.clock
        before, now = self._outlook(market), clock.now()
        turn = Turn(
            at=now,
            elapsed_s=clock.monotonic(),
            ok_at=freshness_of(self._product, market).last_ok_at,
            failures=pace.failures,
            error=pace.error,
            wait_s=pace.wait_s,
            reason=pace.reason,
        )
        verdict = judge_turn(before, turn)
        after, queued = verdict.outlook, False
        if (after.ok_at, after.owner_knows) != (before.ok_at, before.owner_knows):
            queued = self._keep(verdict, now)
        self._outlooks[market] = after
        return verdict, queued

    def _outlook(self, market: str) -> Outlook:
        if market not in self._outlooks:
            product, sight = self._product, self._book.read(market)
            limits = product.markets[market].limits
            elapsed_s = product.clock.monotonic()
            self._outlooks[market] = Outlook(
                market=market,
                gap_s=max(60.0 / limits.requests_per_minute, product.settings.scan.slowest_seconds),
                ok_at=sight.ok_at,
                owner_knows=sight.owner_knows,
                good_s=elapsed_s,
                looked_s=elapsed_s,
            )
        return self._outlooks[market]

    def _keep(self, verdict: Verdict, at: datetime) -> bool:
        outlook = verdict.outlook
        sight = Sight(ok_at=outlook.ok_at, owner_knows=outlook.owner_knows)
        alerts = self._alerts(verdict.blindness, blip_s(outlook.gap_s)) if verdict.blindness is not None else []
        return self._book.keep(outlook.market, sight, at=at, alerts=alerts)

    def _alerts(self, blindness: Blindness, shortest_s: float) -> list[Alert]:
        """One for each chat whose rules were blind for long enough; a rule that was made meanwhile, since then."""
        market = self._product.markets[blindness.market]
        first: dict[str, Watch] = {}
        for watch in self._product.watches.running().values():
            if watch.state == "active" and market.probes(watch.rule):
                known = first.setdefault(watch.chat, watch)
                if watch.set_at < known.set_at:
                    first[watch.chat] = watch
        alerts = []
        for chat, watch in first.items():
            since = max(blindness.since, watch.set_at)
            if blindness.until - since > timedelta(seconds=shortest_s):
                blind = Blindness(market=blindness.market, since=since, until=blindness.until)
                alerts.append(blind.alert(chat, watch.topic))
        return alerts

    def _tell(self, verdict: Verdict) -> None:
        if verdict.notice is not None:
            word, now = verdict.notice, self._product.clock.now()
            self._notice(lambda speech, zone: notice_text(word, speech=speech, zone=zone, now=now))

"""The running product: pollers on a schedule, delivery beside them, rules taken up as they change, a clean stop.

Scanning starts first and depends on nobody: a channel that is away must not cost a single answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random

from bot.aftermath import Aftermath
from bot.channels import Channel
from bot.delivery import Deliverer
from bot.ending import end_expired
from bot.jobs import Schedule
from bot.known import KnownNow
from bot.lookout import LOOK_EACH_S, Lookout
from bot.notice import Notice
from bot.pace import note_pace
from bot.product import Product
from bot.scribe import Scribe
from bot.timekeeper import CLOCK_EACH_S, Timekeeper
from bot.upkeep import Upkeep
from market.gpu import CATALOGUE
from market.offer import Offer
from scanners.agenda import Agenda
from scanners.poller import Poller
from storage.asked import asked_lately
from storage.offers import current

log = logging.getLogger(__name__)

TAKE_UP_S = 1.0
"""Real seconds between two looks at whether a rule was changed by another process."""
ENDING_S = 30.0
AFTERMATH_S = 1.0
UPKEEP_S = 60.0
"""After the start, when the first scans are done."""
DRAIN_S = 3.0
"""How long running jobs may go on after the signal to stop."""


class Running:
    """One run of the product. `serve` goes on until the event is set."""

    def __init__(
        self, product: Product, *, channel_of: Callable[[str], Channel], notice: Callable[[Notice], None]
    ) -> None:
        self._product = product
        self._wake = asyncio.Event()
        self._schedule = Schedule(lambda: product.clock.real_seconds(product.clock.monotonic()))
        self._generation = -1
        self._rules: frozenset[tuple[int, str]] = frozenset()
        clock = product.clock
        scribe = Scribe(
            recorder=product.recorder,
            judge=product.judge,
            catalogue=CATALOGUE,
            now=clock.now,
            alerted=self.wake,
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self.pollers = {name: self._poller(name, scribe) for name in product.markets}
        self._aftermath = Aftermath(product, channel_of)
        self._lookout = Lookout(product, notice=notice, alerted=self.wake)
        self._timekeeper = Timekeeper(product)
        self._deliverer = Deliverer(
            outbox=product.outbox,
            known=KnownNow(product.store, product.watches),
            channel_of=channel_of,
            clock=clock,
            policy=product.settings.alerts.policy(),
            look_again=self._look_again,
        )

    def wake(self) -> None:
        """Something may be due for sending."""
        self._wake.set()

    @property
    def faults(self) -> dict[str, str]:
        """Jobs whose last run broke, and how."""
        return self._schedule.faults

    async def serve(self, stop: asyncio.Event) -> None:
        """Run until `stop`, then end what is under way and leave nothing half done."""
        await self._timekeeper.begin()
        await asyncio.to_thread(self._product.outbox.release_leases)
        await self._lookout.begin()
        await asyncio.to_thread(self._recall)
        await self._take_up()
        self._schedule.repeat("rules", self._take_up, after_s=TAKE_UP_S)
        self._schedule.repeat("endings", self._end_expired)
        self._schedule.repeat("aftermath", self._follow_up, after_s=AFTERMATH_S)
        self._schedule.repeat("lookout", self._lookout.look, after_s=LOOK_EACH_S)
        self._schedule.repeat("clock", self._timekeeper.look, after_s=CLOCK_EACH_S)
        self._schedule.repeat("upkeep", Upkeep(self._product).step, after_s=UPKEEP_S)
        for name, poller in self.pollers.items():
            self._schedule.repeat(f"poll:{name}", self._turn_of(name, poller))
        self._schedule.start()
        delivery = asyncio.create_task(self._deliverer.run(self._wake, stop), name="delivery")
        stopping = asyncio.create_task(stop.wait(), name="stop")
        try:
            await asyncio.wait({delivery, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            stop.set()
            self._wake.set()
            await asyncio.gather(self._schedule.drain(DRAIN_S), delivery)

    def _recall(self) -> None:
        product = self._product
        offers = ((each.offer, each.seen_at) for each in current(product.store))
        product.judge.recall(offers, product.clock.now())

    def _poller(self, name: str, scribe: Scribe) -> Poller:
        product, clock = self._product, self._product.clock

        async def agenda() -> Agenda:
            return replace(product.judge.agenda(name), told=self._aftermath.told.get(name, ()))

        return Poller(
            market=product.markets[name],
            ledger=product.usage,
            sink=scribe,
            agenda=agenda,
            now=clock.now,
            monotonic=clock.monotonic,
            chance=Random(),  # noqa: S311 - it spreads retries and guards nothing
            slowest_s=product.settings.scan.slowest_seconds,
            census_s=product.census_s(name),
            crowded=lambda: product.judge.narrow(name),
            earlier=asked_lately(product.store, name, clock.now()),
        )

    def _turn_of(self, name: str, poller: Poller) -> Callable[[], Awaitable[float]]:
        product = self._product

        async def turn() -> float:
            wait = await poller.turn()
            await asyncio.to_thread(note_pace, product.chats, name, poller.pace, product.clock.now())
            await self._lookout.after_turn(name, poller.pace)
            return product.clock.real_seconds(wait)

        return turn

    async def _take_up(self) -> float:
        """Look whether rules have changed, here or in another process; new ones are asked for at once."""
        watches = self._product.watches
        generation, due = await asyncio.to_thread(self._news)
        if due is not None and due <= self._product.clock.now():
            self._wake.set()  # perhaps another process has found it
        if generation != self._generation:
            self._generation = generation
            running = await asyncio.to_thread(watches.running)
            rules = frozenset((watch.id, watch.text) for watch in running.values())
            if rules != self._rules:
                self._product.judge.take_up(running.values())
                if rules - self._rules:
                    self._hurry()
                self._rules = rules
            self._wake.set()
        return TAKE_UP_S

    def _news(self) -> tuple[int, datetime | None]:
        """What other processes may have changed."""
        return self._product.watches.generation(), self._product.outbox.next_due()

    def _look_again(self, offers: Sequence[Offer]) -> bool:
        """Have offers asked for with the next turns of their markets, where these answer."""
        markets = {offer.market for offer in offers if offer.market in self.pollers}
        answering = {name for name in markets if self.pollers[name].pace.error is None}
        self._product.judge.look_again(offer for offer in offers if offer.market in answering)
        for name in answering:
            self._schedule.soon(f"poll:{name}", self._product.clock.real_seconds(self.pollers[name].hurry()))
        return bool(answering)

    def _hurry(self) -> None:
        for name, poller in self.pollers.items():
            self._schedule.soon(f"poll:{name}", self._product.clock.real_seconds(poller.hurry()))

    async def _follow_up(self) -> float:
        await self._aftermath.round()
        return AFTERMATH_S

    async def _end_expired(self) -> float:
        await asyncio.to_thread(end_expired, self._product)
        return ENDING_S

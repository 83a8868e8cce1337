"""What became of the offers that people were told of: they are looked at again, and the message says when they went.

A message is edited once, when the last offer it showed has gone or has become dearer than its rule: no new sound.
"Gone" means gone for the episode, not a single absence.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

from bot.channels import Channel, DeliveryError
from bot.language import speech_for
from bot.product import Product
from bot.render.chat.aftermath import Dearer, Fate, Gone, aftermath_html
from market.alert import SHOWN, Alert, Part, price_per_gpu
from market.offer import Offer, Terms
from market.verdict import matches
from market.watch import Memory
from storage.admission import barred
from storage.alertlog import Standing
from storage.memory import load_memory
from storage.offers import current, last_closed

log = logging.getLogger(__name__)

LOOK_BACK = timedelta(hours=24)
"""Messages older than this stay as they are."""
CLOSELY_FOR = timedelta(minutes=15)
CLOSELY_EACH_S = 60.0

Fates = dict[tuple[str, Terms], Fate]


class Aftermath:
    """Follows up on sent alerts."""

    def __init__(self, product: Product, channel_of: Callable[[str], Channel]) -> None:
        self._product = product
        self._channel_of = channel_of
        self.told: dict[str, tuple[tuple[Offer, float], ...]] = {}
        """By market, the offers to look at again and the seconds between two looks."""

    async def round(self) -> None:
        """Edit every message whose offers have all gone, and plan what to look at."""
        standing = await asyncio.to_thread(self._standing)
        self._plan(standing)
        if not standing:
            return
        for each, fates in await asyncio.to_thread(self._ended, standing):
            if not fates or await self._told(each, fates):
                await asyncio.to_thread(self._product.alert_log.ended, each.id, self._product.clock.now())

    async def _told(self, each: Standing, fates: Fates) -> bool:
        """Edit the message; whether that is settled, one way or the other."""
        product = self._product
        chat = await asyncio.to_thread(product.chats.get, each.chat)
        html = aftermath_html(
            _alert_of(each),
            fates,
            number=each.id,
            now=product.clock.now(),
            speech=speech_for(chat.language if chat and chat.language else product.settings.language),
            zone=ZoneInfo(chat.timezone) if chat and chat.timezone else product.zone,
            links=product.links,
        )
        try:
            await self._channel_of(each.chat).edit(each.chat, each.message_id, html)
        except DeliveryError as error:
            log.info("the message of alert %d was not edited: %s", each.id, error)
            return error.permanent
        return True

    def _standing(self) -> list[Standing]:
        since = self._product.clock.now() - LOOK_BACK
        resting = barred(self._product.store)
        return [
            each
            for each in self._product.alert_log.standing(since)
            if each.ended_at is None and not all(part.watch_id in resting for part in each.parts)
        ]

    def _plan(self, standing: list[Standing]) -> None:
        now = self._product.clock.now()
        slowly = self._product.settings.scan.slowest_seconds
        told: dict[str, dict[str, tuple[Offer, float]]] = {}
        for each in standing:
            pace = min(CLOSELY_EACH_S, slowly) if now - each.sent_at <= CLOSELY_FOR else slowly
            for part in each.parts:
                for offer in part.offers[:SHOWN]:
                    told.setdefault(offer.market, {})[offer.key] = (offer, pace)
        self.told = {market: tuple(offers.values()) for market, offers in told.items()}

    def _ended(self, standing: list[Standing]) -> list[tuple[Standing, Fates]]:
        """Messages to be closed, with what became of their offers; no fates where the rule is gone and nothing is
        to be said."""
        if not standing:
            return []
        with self._product.store.read() as connection:
            memory = load_memory(connection)
        offers = {each.offer.key: each.offer for each in current(self._product.store)}
        ended = []
        for each in standing:
            fates: Fates = {}
            open_ended = False
            for part in each.parts:
                for offer in part.offers:
                    fate = self._fate(each, part, offer, memory, offers)
                    if fate is None:
                        open_ended = True
                    else:
                        fates[offer.key, part.terms] = fate
            if not open_ended:
                ended.append((each, fates))
        return ended

    def _fate(
        self, standing: Standing, part: Part, offer: Offer, memory: Memory, offers: dict[str, Offer]
    ) -> Fate | None:
        """What became of an offer; None while it may still be had, or nobody knows."""
        episode = memory.episodes.get((part.watch_id, offer.gpu))
        if episode is not None and offer.key in episode.members:
            return None
        now = self._product.clock.now()
        there = offers.get(offer.key)
        if there is None:
            gone_at = last_closed(self._product.store, offer.key) or now
            return Gone(after_s=max((gone_at - standing.seen_at).total_seconds(), 0.0))
        watch = self._product.watches.by_id(part.watch_id)
        if watch is None or matches(watch.rule, there, now):
            return None
        price = price_per_gpu(there, part.terms, part.disk_gb)
        if price <= price_per_gpu(offer, part.terms, part.disk_gb):
            return None
        return Dearer(price=price, after_s=max((now - standing.seen_at).total_seconds(), 0.0))


def _alert_of(standing: Standing) -> Alert:
    return Alert(
        kind=standing.kind,
        chat=standing.chat,
        parts=standing.parts,
        seen_at=standing.seen_at,
        dedup_key=f"sent:{standing.id}",
        reason="sent",
    )

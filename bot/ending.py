"""Rules that were wanted until a day: they end when that day is over in the zone of their chat."""

from __future__ import annotations

import logging
from zoneinfo import ZoneInfo

from bot.product import Product

log = logging.getLogger(__name__)


def end_expired(product: Product) -> int:
    """End every watch whose last day has passed; how many."""
    now, ended = product.clock.now(), 0
    for watch in product.watches.running().values():
        if watch.rule.until is None:
            continue
        chat = product.chats.get(watch.chat)
        zone = ZoneInfo(chat.timezone) if chat is not None and chat.timezone else product.zone
        if now.astimezone(zone).date() > watch.rule.until and product.watches.end(watch.id):
            log.info("rule %d has ended: its last day was %s", watch.id, watch.rule.until)
            ended += 1
    return ended

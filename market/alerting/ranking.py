"""The order in which a rule sees its matches: by what they cost it."""

from __future__ import annotations

from market.alert import price_per_gpu
from market.offer import Offer
from market.watch import Watch


def ranked(watch: Watch, offers: list[Offer]) -> list[Offer]:
    """Best first. Where a market tells a stock level only, the sizes of one type are one thing on offer, not many."""
    ranked: dict[tuple[str, ...], Offer] = {}
    for offer in sorted(offers, key=lambda offer: (price_of(watch, offer), offer.gpu_count, offer.key)):
        place = (offer.key,) if offer.stock is None else (offer.market, offer.machine, offer.tier)
        ranked.setdefault(place, offer)
    return list(ranked.values())


def cheapest(watch: Watch, offers: list[Offer]) -> Offer:
    return min(offers, key=lambda offer: (price_of(watch, offer), offer.key))


def price_of(watch: Watch, offer: Offer) -> int:
    return price_per_gpu(offer, watch.rule.terms, watch.rule.disk_gb)

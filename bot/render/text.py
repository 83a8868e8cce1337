"""Alerts and offers as plain lines for a terminal. Promises nothing: it says what was seen, and how long ago."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from bot.render.numbers import percent, span, usd
from market.alert import Alert, Part, price_per_gpu
from market.offer import Offer

Links = Mapping[str, Callable[[Offer], str]]
"""Market to the function that makes an offer's link."""

TITLES = {
    "available": "AVAILABLE",
    "cheaper": "CHEAPER",
    "price_drop": "PRICE DROP",
    "new_low": "NEW LOW",
    "shortage_start": "SHORTAGE BEGINS",
    "shortage_end": "SHORTAGE ENDS",
}
MARKETS = {"vast": "Vast.ai", "runpod": "RunPod"}


def alert_text(alert: Alert, *, number: int, now: datetime, links: Links) -> str:
    """An alert as lines of text: the offers of each rule, best first, and how many more there are."""
    part, offer = alert.best()
    age = span((now - alert.seen_at).total_seconds())
    head = f"[{number}] {TITLES[alert.kind]}: {offer.gpu} at {usd(part.price_per_gpu())} per GPU-hour, seen {age} ago"
    lines = [head]
    for each in alert.parts:
        lines.extend(_part_lines(each, links))
    return "\n".join(printable(line) for line in lines)


def _part_lines(part: Part, links: Links) -> list[str]:
    name = f' "{part.name}"' if part.name else ""
    lines = [f"  rule {part.watch_id}{name}: {part.rule}"]
    for offer in part.offers:
        lines.append(f"  - {offer_line(offer, part.terms, part.disk_gb)}")
        lines.extend(f"    {line}" for line in _how_to_rent(offer, part, links))
    hidden = part.count - len(part.offers)
    if hidden > 0:
        lines.append(f"  and {hidden} more ({part.count} offers match in all)")
    return lines


def offer_line(offer: Offer, terms: str = "on_demand", disk_gb: int = 8) -> str:
    """One offer in one line: card, prices with what they include, market, tier, reliability, place, stock."""
    kind = "interruptible" if terms == "interruptible" else "on_demand"
    whole = offer.hourly("interruptible" if terms == "interruptible" else "on_demand", disk_gb) or 0
    each = price_per_gpu(offer, "interruptible" if terms == "interruptible" else "on_demand", disk_gb)
    disk = f"with {disk_gb} GB of disk" if offer.storage_price is not None else "disk not included"
    facts = [
        f"{offer.gpu} x{offer.gpu_count}, {offer.vram_gb} GB each",
        f"{usd(each)} per GPU-hour, {usd(whole)} an hour in total {disk}",
        "interruptible" if kind == "interruptible" else "on demand",
        f"{MARKETS.get(offer.market, offer.market)} {offer.tier}",
        _reliability(offer),
    ]
    if offer.verified is False:
        facts.append("unverified host")
    if offer.place:
        facts.append(offer.place)
    if offer.stock:
        facts.append(f"stock reported {offer.stock}" + (", may be gone on arrival" if offer.stock == "low" else ""))
    if kind == "interruptible" and offer.interruptible_price is not None and whole >= (offer.hourly() or 0):
        facts.append("interruptible is no cheaper than on demand here")
    return " · ".join(facts)


def _reliability(offer: Offer) -> str:
    if offer.reliability_ppm is not None:
        return f"reliability {percent(offer.reliability_ppm)}"
    return "reliability: none published" if offer.market == "runpod" else "reliability unknown"


def _how_to_rent(offer: Offer, part: Part, links: Links) -> list[str]:
    lines = []
    if offer.market == "vast":
        bid = " --bid_price …" if part.terms == "interruptible" else ""
        lines.append(f"vastai create instance {offer.offer_id} --image … --disk {part.disk_gb}{bid}")
    link = links.get(offer.market)
    if link is not None:
        lines.append(link(offer))
    return lines


def printable(line: str) -> str:
    """The line without characters that could move the cursor, hide text or turn it round."""
    return "".join(character if character.isprintable() else " " for character in line)

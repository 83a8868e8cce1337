"""What is said about one offer, in plain words of one language, whatever it is shown in.

Missing is said to be missing. Nothing is promised: stock is what was reported, prices are what was seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.language import Speech
from bot.render.clean import clean
from bot.render.numbers import plain
from market.alert import AlertKind, Part, price_per_gpu
from market.offer import Offer, Terms

MARKETS: Final = {"vast": "Vast.ai", "runpod": "RunPod"}
SOON_S: Final = 24 * 3600
NAME_UNITS: Final = 64
"""The longest name, place or label shown, in UTF-16 units."""
RULE_UNITS: Final = 200
CENTERS: Final = 3
"""Data centres named; the others are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OfferFacts:
    """One offer in words. `None` where there is nothing to say."""

    card: str
    """`1× RTX 4090`."""
    memory: str
    each: str
    """Price per GPU-hour."""
    total: str
    """Price of the whole offer, and the disk in it."""
    terms: str
    market: str
    """Market and tier."""
    reliability: str
    verified: str | None
    place: str
    stock: str | None
    warnings: tuple[str, ...]
    command: str | None
    """The line that rents it; only where one line does."""


def facts_of(offer: Offer, *, terms: Terms, disk_gb: int, speech: Speech, now: datetime | None) -> OfferFacts:
    """The offer in words, on these terms and with this disk; without `now` it is not said whether it ends soon."""
    return OfferFacts(
        card=card(offer),
        memory=_memory(offer, speech),
        each=price_each(offer, terms, disk_gb, speech),
        total=_total(offer, terms, disk_gb, speech),
        terms=speech.text("interruptible") if terms == "interruptible" else speech.text("on demand"),
        market=f"{market_name(offer.market)}, {tier_name(offer, speech)}",
        reliability=reliability(offer, speech),
        verified=_verified(offer, speech),
        place=place(offer, speech),
        stock=_stock(offer, speech),
        warnings=tuple(_warnings(offer, terms, disk_gb, speech, now)),
        command=command(offer, terms, disk_gb),
    )


def title(kind: AlertKind, speech: Speech) -> str:
    """What an alert is about, in a word or two."""
    titles: dict[AlertKind, str] = {
        "available": speech.text("Available"),
        "cheaper": speech.text("Cheaper"),
        "price_drop": speech.text("Price drop"),
        "new_low": speech.text("New low"),
        "shortage_start": speech.text("Shortage begins"),
        "shortage_end": speech.text("Shortage ends"),
    }
    return titles[kind]


def market_name(market: str) -> str:
    """The market as it writes itself; an unknown one keeps its own name."""
    return MARKETS.get(market) or clean(market, NAME_UNITS)


def tier_name(offer: Offer, speech: Speech) -> str:
    """The tier in the market's own words; RunPod's are names and are not translated."""
    if offer.market == "runpod":
        return "Secure Cloud" if offer.tier == "secure" else "Community Cloud"
    return speech.text("data centre") if offer.tier == "datacenter" else speech.text("community host")


def card(offer: Offer) -> str:
    """How many of which card."""
    return f"{offer.gpu_count}× {clean(offer.gpu, NAME_UNITS)}"


def price_each(offer: Offer, terms: Terms, disk_gb: int, speech: Speech) -> str:
    """The price per GPU-hour; said to be unknown where the offer has none on these terms."""
    if offer.hourly(terms, disk_gb) is None:
        return speech.text("price unknown")
    return speech.text("{price} per GPU-hour", price=speech.usd(price_per_gpu(offer, terms, disk_gb)))


def reliability(offer: Offer, speech: Speech) -> str:
    """The published reliability, or that there is none."""
    if offer.reliability_ppm is not None:
        return speech.text("reliability {percent}", percent=speech.percent(offer.reliability_ppm))
    if offer.market == "runpod":
        return speech.text("reliability: none published")
    return speech.text("reliability unknown")


def place(offer: Offer, speech: Speech) -> str:
    """Where it stands: the place, else the data centres, else the country."""
    if offer.place and (named := clean(offer.place, NAME_UNITS)):
        return named
    if offer.data_centers:
        named = ", ".join(clean(center, NAME_UNITS) for center in offer.data_centers[:CENTERS])
        others = len(offer.data_centers) - CENTERS
        return named if others <= 0 else speech.text("{named} and {n} more", named=named, n=speech.count(others))
    return clean(offer.country, NAME_UNITS) if offer.country else speech.text("place unknown")


def command(offer: Offer, terms: Terms, disk_gb: int) -> str | None:
    """The line that rents a Vast.ai offer; None for other markets and for an id that is not a plain number.

    People paste it into a shell, so nothing that a market wrote may stand in it.
    """
    if offer.market != "vast" or not (offer.offer_id.isascii() and offer.offer_id.isdigit()):
        return None
    line = f"vastai create instance {offer.offer_id} --image … --disk {disk_gb}"
    if terms == "interruptible" and offer.interruptible_price is not None:
        line += f" --bid_price {plain(offer.interruptible_price)}"
    return line


def rule_name(part: Part) -> str:
    """What the watch is called: its name as typed, else its number."""
    return clean(part.name or "", NAME_UNITS) or str(part.watch_id)


def rule_text(part: Part) -> str:
    """The rule as understood."""
    return clean(part.rule, RULE_UNITS)


def _memory(offer: Offer, speech: Speech) -> str:
    if offer.gpu_count == 1:
        return f"{offer.vram_gb} GB"
    return speech.text("{gb} GB each", gb=offer.vram_gb)


def _total(offer: Offer, terms: Terms, disk_gb: int, speech: Speech) -> str:
    whole = offer.hourly(terms, disk_gb)
    if whole is None:
        return speech.text("price unknown")
    if offer.storage_price is not None or offer.disk_gb:
        disk = disk_gb if offer.storage_price is not None else offer.disk_gb
        return speech.text("{price} an hour in total, with {gb} GB of disk", price=speech.usd(whole), gb=disk)
    return speech.text("{price} an hour in total, disk not included", price=speech.usd(whole))


def _verified(offer: Offer, speech: Speech) -> str | None:
    if offer.verified is None:
        return speech.text("verification unknown") if offer.market == "vast" else None
    return speech.text("verified host") if offer.verified else speech.text("unverified host")


def _stock(offer: Offer, speech: Speech) -> str | None:
    if offer.stock is None:
        return None
    return {
        "low": speech.text("stock reported low, may be gone on arrival"),
        "medium": speech.text("stock reported medium"),
        "high": speech.text("stock reported high"),
    }[offer.stock]


def _warnings(offer: Offer, terms: Terms, disk_gb: int, speech: Speech, now: datetime | None) -> list[str]:
    found = []
    whole, on_demand = offer.hourly(terms, disk_gb), offer.hourly("on_demand", disk_gb)
    if terms == "interruptible":
        if whole is not None and on_demand is not None and whole >= on_demand:
            found.append(
                speech.text("interruptible is no cheaper here: {price} an hour on demand", price=speech.usd(on_demand))
            )
        found.append(speech.text("lowest bid, others may bid more; without --bid_price it is rented on demand"))
    if now is not None and offer.ends_at is not None and (left := offer.ends_at - now.timestamp()) <= SOON_S:
        found.append(speech.text("ends soon: the host takes it back in {span}", span=speech.span(left)))
    return found

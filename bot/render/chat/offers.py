"""Offers as one line each, and lists of them in pages, with their age and a warning where it is great."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.language import Speech
from bot.render.facts import facts_of, market_name
from bot.render.html import Html, bold, joined, link, pages, phrase, phrases
from bot.render.text import Links
from market.offer import DEFAULT_DISK_GB, Offer, Terms

PAGE: Final = 20
"""The most offers in a message that is turned by buttons."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The offers that match something, from the store, in the order to be shown."""

    offers: Sequence[tuple[Offer, datetime]]
    """Each with the time it was last seen."""
    terms: Terms = "on_demand"
    disk_gb: int = DEFAULT_DISK_GB
    answered: Mapping[str, datetime | None]
    """By market asked: its last good answer; None when there never was one."""
    stale_after_s: float
    """An answer older than this gets a warning."""


def offer_row(
    offer: Offer,
    *,
    speech: Speech,
    links: Links,
    now: datetime,
    terms: Terms = "on_demand",
    disk_gb: int = DEFAULT_DISK_GB,
    seen_at: datetime | None = None,
) -> Html:
    """One offer in one line: price, card (which is the link), market and tier, reliability, place, stock, age."""
    facts = facts_of(offer, terms=terms, disk_gb=disk_gb, speech=speech, now=now)
    make_link = links.get(offer.market)
    age = None if seen_at is None else speech.ago((now - seen_at).total_seconds())
    said = [
        bold(facts.each),
        link(None if make_link is None else make_link(offer), facts.card),
        facts.terms if terms == "interruptible" else None,
        facts.market,
        facts.reliability,
        facts.verified if offer.verified is False else None,
        facts.place,
        facts.stock,
        None if age is None else phrase(speech, "seen {age}", age=age),
    ]
    return joined([each for each in said if each], " · ")


def offers_html(listing: Listing, *, now: datetime, speech: Speech, links: Links) -> list[Html]:
    """The listing as messages; without offers, one message that says what that means."""
    rows = _rows(listing, listing.offers, now, speech, links)
    return pages(rows, head=joined(_head(listing, now, speech)), foot=_disk_note(listing, speech))


def offers_page(listing: Listing, start: int, *, now: datetime, speech: Speech, links: Links) -> tuple[Html, int]:
    """One message of the listing from offer `start` (from 0) on, and where the next message begins."""
    head, foot = joined(_head(listing, now, speech)), _disk_note(listing, speech)
    rows = _rows(listing, listing.offers[start : start + PAGE], now, speech, links)
    shown = len(rows)
    while len(found := pages(rows[:shown], head=head, foot=foot)) > 1:
        shown -= 1
    return found[0], start + shown


def _rows(
    listing: Listing, offers: Sequence[tuple[Offer, datetime]], now: datetime, speech: Speech, links: Links
) -> list[Html]:
    return [
        offer_row(
            offer,
            speech=speech,
            links=links,
            now=now,
            terms=listing.terms,
            disk_gb=listing.disk_gb,
            seen_at=seen_at,
        )
        for offer, seen_at in offers
    ]


def _head(listing: Listing, now: datetime, speech: Speech) -> list[Html]:
    if not any(listing.answered.values()):
        first = phrase(speech, "No marketplace has answered yet. Ask again in a minute.")
    elif listing.offers:
        first = bold(phrases(speech, "{n} offer matches", "{n} offers match", len(listing.offers)))
    else:
        first = bold(phrase(speech, "Nothing matches at present."))
    ages = [
        Age(market=market, answered_at=at, stale_after_s=listing.stale_after_s)
        for market, at in listing.answered.items()
    ]
    return [first, *(age_row(age, now, speech) for age in ages)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Age:
    """How old a market's last good answer is."""

    market: str
    answered_at: datetime | None
    stale_after_s: float
    """An answer older than this gets a warning."""


def age_row(age: Age, now: datetime, speech: Speech) -> Html:
    """The age in words, with a warning where it is great."""
    name = market_name(age.market)
    if age.answered_at is None:
        return phrase(speech, "⚠️ {market} has not answered yet", market=name)
    seconds = (now - age.answered_at).total_seconds()
    said = speech.ago(seconds)
    if seconds > age.stale_after_s:
        return phrase(speech, "⚠️ {market} last answered {age}: this may be out of date", market=name, age=said)
    return phrase(speech, "{market} answered {age}", market=name, age=said)


def _disk_note(listing: Listing, speech: Speech) -> Html:
    inside = {market_name(offer.market): offer.storage_price is not None for offer, _ in listing.offers}
    gb = listing.disk_gb
    return joined(
        [
            phrase(speech, "{market} prices include {gb} GB of disk.", market=name, gb=gb)
            if included
            else phrase(speech, "{market} prices do not include disk.", market=name)
            for name, included in inside.items()
        ]
    )

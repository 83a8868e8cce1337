"""A sent alert as it is edited when its offers change: gone, dearer, or back. An edit makes no sound.

It only words what it is told; whether an offer is gone is decided in the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.language import Speech
from bot.render.chat.alert import headline, rule_rows, seen_row
from bot.render.chat.offers import offer_row
from bot.render.facts import card
from bot.render.html import Html, bold, fitted, joined, phrase, struck
from bot.render.shown import Shown, shown_offers
from bot.render.text import Links
from market.alert import Alert
from market.offer import Terms


@dataclass(frozen=True, kw_only=True, slots=True)
class Gone:
    """No longer on offer, so many seconds after it was seen."""

    after_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Dearer:
    """Still on offer, at a price (micro-dollars per GPU-hour) that the rule no longer takes."""

    price: int
    after_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Back:
    """It had gone and has come back."""

    since: datetime


Fate = Gone | Dearer | Back
Fates = Mapping[tuple[str, Terms], Fate]
"""What became of an offer, by its key and the terms it was told on: each of its prices moves alone."""


def aftermath_html(
    alert: Alert,
    fates: Fates,
    *,
    number: int,
    now: datetime,
    speech: Speech,
    zone: tzinfo,
    links: Links,
) -> Html:
    """The alert with what became of its offers; an offer without a fate is still as it was."""
    offers = shown_offers(alert)
    head = [_head(alert, fates, offers, number, speech), seen_row(alert, now, speech, zone)]
    rows = [_row(each, fates.get((each.offer.key, each.terms)), now, speech, zone, links) for each in offers]
    return fitted(head, rows, lambda shown: rule_rows(alert.parts, offers[:shown], speech))


def gone_html(
    alert: Alert, after_s: float, *, number: int, now: datetime, speech: Speech, zone: tzinfo, links: Links
) -> Html:
    """The alert when everything it showed has gone."""
    fates: Fates = {(each.offer.key, each.terms): Gone(after_s=after_s) for each in shown_offers(alert)}
    return aftermath_html(alert, fates, number=number, now=now, speech=speech, zone=zone, links=links)


def _head(alert: Alert, fates: Fates, offers: list[Shown], number: int, speech: Speech) -> Html:
    ends = [fates.get((each.offer.key, each.terms)) for each in offers]
    gone = [end.after_s for end in ends if isinstance(end, Gone)]
    if not gone or len(gone) < len(ends):
        return headline(alert, offers, number, speech)
    said = phrase(speech, "⚪ Gone after {span}: {card}", span=speech.span(max(gone)), card=card(offers[0].offer))
    return joined([bold(said), phrase(speech, "alert {number}", number=number)], " · ")


def _row(shown: Shown, fate: Fate | None, now: datetime, speech: Speech, zone: tzinfo, links: Links) -> Html:
    row = offer_row(shown.offer, speech=speech, links=links, now=now, terms=shown.terms, disk_gb=shown.disk_gb)
    match fate:
        case Gone(after_s=after_s):
            said = phrase(speech, "gone after {span}", span=speech.span(after_s))
            return joined([struck(row), said], " · ")
        case Dearer(price=price, after_s=after_s):
            now_costs = phrase(
                speech,
                "rose to {price} per GPU-hour after {span}",
                price=speech.usd(price),
                span=speech.span(after_s),
            )
            return joined([struck(row), now_costs], " · ")
        case Back(since=since):
            said = phrase(speech, "back since {time}", time=speech.when(since, zone, now=now))
            return joined([row, said], " · ")
        case None:
            return row

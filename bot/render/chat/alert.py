"""An alert as a chat message: everything one needs to decide and to act, and nothing that is a promise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from typing import Final

from bot.language import Speech
from bot.render.facts import OfferFacts, card, facts_of, market_name, rule_name, rule_text, title
from bot.render.html import BLANK, Html, bold, code, escape, fitted, joined, link, phrase, phrases
from bot.render.outages import blindness_text
from bot.render.shown import Shown, shown_offers
from bot.render.text import Links
from market.alert import Alert, Part
from market.blindness import blindness_of

SIGNS: Final = {
    "available": "🟢",
    "cheaper": "🔻",
    "price_drop": "🔻",
    "new_low": "🔻",
    "shortage_start": "🟠",
    "shortage_end": "🔵",
}
OFFERS: Final = 20
"""More blocks than this never fit one message."""
RULES: Final = 8
"""Rules shown in one message; the others are counted."""
OLD_S: Final = 600
"""From this age on, the time itself is given beside it."""


def alert_html(
    alert: Alert,
    *,
    number: int,
    now: datetime,
    speech: Speech,
    zone: tzinfo,
    links: Links,
    notes: Sequence[str] = (),
) -> Html:
    """The message for an alert, `number` being its number in the log of alerts.

    `notes` are further plain lines in the chat's language, such as the context of scarcity. Offers that several rules
    share are shown once; what does not fit is counted.
    """
    if alert.kind == "blind":
        said = escape(blindness_text(blindness_of(alert), speech=speech, zone=zone, now=now))
        return joined([said, *(escape(note) for note in notes)])
    offers = shown_offers(alert)
    blocks = [_block(each, speech, now, links) for each in offers[:OFFERS]]
    head = [
        headline(alert, offers, number, speech),
        seen_row(alert, now, speech, zone),
        *(escape(note) for note in notes),
    ]
    return fitted(head, blocks, lambda shown: rule_rows(alert.parts, offers[:shown], speech))


def headline(alert: Alert, offers: Sequence[Shown], number: int, speech: Speech) -> Html:
    """Kind, best card and number of the alert; without an offer, the first rule stands for the card."""
    subject = card(offers[0].offer) if offers else rule_text(alert.parts[0])
    said = bold(f"{SIGNS[alert.kind]} {title(alert.kind, speech)}: {subject}")
    return joined([said, phrase(speech, "alert {number}", number=number)], " · ")


def seen_row(alert: Alert, now: datetime, speech: Speech, zone: tzinfo) -> Html:
    """How long ago it was seen; when that is long, also at what time."""
    age = (now - alert.seen_at).total_seconds()
    seen = phrase(speech, "seen {age}", age=speech.ago(age))
    return seen if age < OLD_S else joined([seen, speech.when(alert.seen_at, zone, now=now)], " · ")


def rule_rows(parts: Sequence[Part], shown: Iterable[Shown], speech: Speech) -> list[Html]:
    """The rules that an alert is for, and how many more offers each of them has than those shown."""
    seen = set(shown)
    rows: list[Html] = [BLANK]
    for part in parts[:RULES]:
        name, rule = bold(rule_name(part)), rule_text(part)
        rows.append(phrase(speech, "rule {name}: {rule}", name=name, rule=rule))
        hidden = part.count - sum(Shown(offer, part.terms, part.disk_gb) in seen for offer in part.offers)
        if hidden > 0:
            rows.append(phrases(speech, "and {n} more offer", "and {n} more offers", hidden))
    if len(parts) > RULES:
        rows.append(phrases(speech, "and {n} more rule", "and {n} more rules", len(parts) - RULES))
    return rows


def _block(shown: Shown, speech: Speech, now: datetime, links: Links) -> Html:
    offer = shown.offer
    facts = facts_of(offer, terms=shown.terms, disk_gb=shown.disk_gb, speech=speech, now=now)
    make_link = links.get(offer.market)
    url = None if make_link is None else make_link(offer)
    rows = [
        BLANK,
        joined([bold(facts.each), facts.terms], " · "),
        joined([f"{facts.card}, {facts.memory}", facts.total], " · "),
        joined(_where(facts), " · "),
        *(escape(f"⚠️ {warning}") for warning in facts.warnings),
        code(facts.command) if facts.command else "",
        link(url, phrase(speech, "Open on {market}", market=market_name(offer.market))) if url else "",
    ]
    return joined(rows)


def _where(facts: OfferFacts) -> list[str]:
    said = (facts.market, facts.reliability, facts.verified, facts.place, facts.stock)
    return [each for each in said if each]

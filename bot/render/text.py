"""Alerts and offers as plain lines for a terminal. Promises nothing: it says what was seen, and how long ago."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from bot.language import Speech, speech_for
from bot.render.clean import printable
from bot.render.facts import MARKETS, OfferFacts, facts_of, rule_name, rule_text, title
from bot.render.outages import blindness_text
from bot.render.shown import shown_offers
from market.alert import Alert, Part
from market.blindness import blindness_of
from market.offer import DEFAULT_DISK_GB, Offer, Terms

__all__ = ["MARKETS", "Links", "alert_text", "offer_line", "printable"]

Links = Mapping[str, Callable[[Offer], str]]
"""Market to the function that makes an offer's link."""


def alert_text(alert: Alert, *, number: int, now: datetime, links: Links, speech: Speech | None = None) -> str:
    """An alert as lines of text: the offers of each rule, best first, and how many more there are."""
    speech = speech or speech_for("en")
    if alert.kind == "blind":
        return printable(blindness_text(blindness_of(alert), speech=speech, zone=UTC, now=now))
    seen = speech.text("seen {age}", age=speech.ago((now - alert.seen_at).total_seconds()))
    lines = [f"[{number}] {title(alert.kind, speech).upper()}: {_subject(alert, speech, now)}, {seen}"]
    for part in alert.parts:
        lines.extend(_part_lines(part, links, speech, now))
    return "\n".join(printable(line) for line in lines)


def offer_line(
    offer: Offer,
    terms: Terms = "on_demand",
    disk_gb: int = DEFAULT_DISK_GB,
    *,
    now: datetime | None = None,
    speech: Speech | None = None,
) -> str:
    """One offer in one line: card, prices with what they include, market, tier, reliability, place, stock."""
    return _line(facts_of(offer, terms=terms, disk_gb=disk_gb, speech=speech or speech_for("en"), now=now))


def _line(facts: OfferFacts) -> str:
    said = (
        f"{facts.card}, {facts.memory}",
        f"{facts.each}, {facts.total}",
        facts.terms,
        facts.market,
        facts.reliability,
        facts.verified,
        facts.place,
        facts.stock,
        *facts.warnings,
    )
    return printable(" · ".join(each for each in said if each))


def _subject(alert: Alert, speech: Speech, now: datetime) -> str:
    offers = shown_offers(alert)
    if not offers:
        return rule_text(alert.parts[0])
    best = offers[0]
    facts = facts_of(best.offer, terms=best.terms, disk_gb=best.disk_gb, speech=speech, now=now)
    return f"{facts.card}, {facts.each}"


def _part_lines(part: Part, links: Links, speech: Speech, now: datetime) -> list[str]:
    lines = ["  " + speech.text("rule {name}: {rule}", name=rule_name(part), rule=rule_text(part))]
    for offer in part.offers:
        facts = facts_of(offer, terms=part.terms, disk_gb=part.disk_gb, speech=speech, now=now)
        lines.append(f"  - {_line(facts)}")
        link = links.get(offer.market)
        lines.extend(f"    {line}" for line in (facts.command, link and link(offer)) if line)
    hidden = part.count - len(part.offers)
    if hidden > 0:
        lines.append("  " + speech.plural("and {n} more offer", "and {n} more offers", hidden))
    return lines

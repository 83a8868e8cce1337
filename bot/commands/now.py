"""/now: what is on offer as far as is known, with its age, a message at a time. It never asks a marketplace."""

from __future__ import annotations

from bot.commands.command import Command, Words
from bot.commands.keys import key
from bot.commands.own_rules import absent, find
from bot.commands.refusal import refused
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Reply
from bot.language import Speech
from bot.questions import offers_now
from bot.render.chat.offers import PAGE, Listing, offers_page
from bot.render.chat.rules import excluded_rows
from bot.render.html import Html, code, fits, joined
from market.rule import Rule, RuleError


def answer(visit: Visit, argument: str) -> Outcome:
    """What matches a rule, one of this chat's by `#number`, or everything verified."""
    text = argument.strip()
    if text.startswith("#"):
        watch = find(visit, text)
        if watch is None:
            return absent(visit, text)
        text = watch.text
    return page_of(visit, text, 0)


def page_of(visit: Visit, text: str, start: int, *, draft: int | None = None, edits: bool = False) -> Outcome:
    """The offers of a rule's text from number `start` on; `draft` is where the text is kept already."""
    try:
        rule = visit.rule(text) if text else None
    except RuleError as error:
        return refused(visit, error, "now", text, edits=edits)
    html, end, total = offers_of(visit, rule, start)
    start = start if start < total else 0
    keys: tuple[tuple[Key, ...], ...] = ()
    if start > 0 or end < total:
        kept = visit.draft("now", text) if draft is None else draft
        keys = (_turning(visit, kept, start, end, total),)
    return Outcome(replies=(Reply(html=_under_rule(visit, rule, html), keys=keys, edits=edits),))


def offers_of(visit: Visit, rule: Rule | None, start: int) -> tuple[Html, int, int]:
    """A page of the offers of a rule from number `start` on, where the next page begins, and how many there are."""
    found = offers_now(visit.product, rule)
    offers = [(each.offer, each.seen_at) for each in found.offers]
    listing = Listing(
        offers=offers,
        terms=found.terms,
        disk_gb=found.disk_gb,
        answered={name: fresh.last_ok_at for name, fresh in found.freshness.items() if _asked(rule, name)},
        stale_after_s=visit.stale_after_s,
    )
    start = start if start < len(offers) else 0
    html, end = offers_page(listing, start, now=visit.now, speech=visit.speech, links=visit.product.links)
    return html, end, len(offers)


def _asked(rule: Rule | None, market: str) -> bool:
    return rule is None or bool(rule.tiers(market))


def _under_rule(visit: Visit, rule: Rule | None, html: Html) -> Html:
    """The listing under the rule as it was understood, where there is room for both."""
    if rule is None:
        return html
    off = sorted({name for name, _ in rule.places} - visit.product.markets.keys())
    excluded = excluded_rows(rule, off, visit.speech)
    whole = joined([code(visit.product.rules.write(rule)), *excluded, html])
    return whole if fits(whole) else html


def _turning(visit: Visit, draft: int, start: int, end: int, total: int) -> tuple[Key, ...]:
    speech, turns = visit.speech, []
    if start > 0:
        turns.append(key(f"◀️ {speech.count(max(start - PAGE, 0) + 1)}", "page", draft, str(max(start - PAGE, 0))))
    if end < total:
        turns.append(key(f"{speech.count(end + 1)} / {speech.count(total)} ▶️", "page", draft, str(end)))
    return tuple(turns)


def _words(speech: Speech) -> Words:
    return Words(
        usage=f"[{speech.text('RULE')}]",
        summary=speech.text("what is on offer now, and how old that is"),
        details=speech.text(
            "Shows what was last seen, cheapest first, and asks nobody. With # and a number it takes one of your rules."
        ),
    )


NOW = Command(name="now", words=_words, example="4090 <=0.40", answer=answer)

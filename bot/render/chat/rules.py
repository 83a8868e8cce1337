"""Rules as the chat shows them: repeated as understood, with what they leave out and what matches them now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.language import Speech
from bot.render.chat.offers import offer_row
from bot.render.chat.problems import reason_text
from bot.render.clean import clean
from bot.render.effort import cost_lines, warnings
from bot.render.facts import NAME_UNITS, RULE_UNITS, market_name
from bot.render.html import BLANK, Html, bold, code, escape, fitted, joined, phrase, phrases
from bot.render.text import Links
from market.alert import Part
from market.effort import Effort
from market.rule import Rule
from market.verdict import unsatisfiable
from market.watch import Watch, WatchState


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What is known of a rule at the moment it is made."""

    part: Part | None
    """What matches now and is told by showing it; None when nothing does."""
    known: Mapping[str, datetime]
    """Markets whose stored answers speak for the rule, and when each last answered."""
    unknown: Sequence[str] = ()
    """Markets of the rule that have not been asked for it yet."""
    off: Sequence[str] = field(default=())
    """Markets of the rule that are switched off."""


def made_html(
    headline: Html,
    watch: Watch,
    standing: Standing,
    efforts: Mapping[str, Effort],
    *,
    now: datetime,
    speech: Speech,
    links: Links,
) -> Html:
    """The answer to a new or edited rule."""
    costs = effort_rows(efforts, speech)
    head = [headline, code(watch.text), *limits_rows(watch.rule, standing.off, speech), BLANK]
    part = standing.part
    if part is None:
        return joined([*head, *_nothing(standing, now, speech), *costs])
    rows = [
        offer_row(offer, speech=speech, links=links, now=now, terms=part.terms, disk_gb=part.disk_gb)
        for offer in part.offers
    ]
    head.append(bold(phrases(speech, "{n} offer matches now:", "{n} offers match now; the best:", part.count)))

    def tail(shown: int) -> list[Html]:
        hidden = part.count - shown
        more = phrases(speech, "and {n} more offer", "and {n} more offers", hidden) if hidden > 0 else Html()
        next_ = phrase(speech, "That counts as told. You hear from me when something new or clearly cheaper turns up.")
        return [more, BLANK, *_ages(standing, now, speech), next_, *_first_checks(standing, speech), *costs]

    return fitted(head, rows, tail)


def effort_rows(efforts: Mapping[str, Effort], speech: Speech) -> list[Html]:
    """What a rule costs, and what it makes too much."""
    lines = [*cost_lines(efforts, speech), *(f"⚠️ {each}" for each in warnings(efforts, speech))]
    return [BLANK, *map(escape, lines)] if lines else []


def limits_rows(rule: Rule, off: Sequence[str], speech: Speech) -> list[Html]:
    """What a rule leaves out, and what its prices leave out."""
    return [*excluded_rows(rule, off, speech), *_disk_rows(rule, off, speech)]


def excluded_rows(rule: Rule, off: Sequence[str], speech: Speech) -> list[Html]:
    """The marketplaces that can never satisfy a rule, or are not asked, with the reason."""
    rows = []
    for place, reason in unsatisfiable(rule).items():
        market, _, tier = place.partition(" ")
        name = f"{market_name(market)} {tier.capitalize()}".strip()
        rows.append(phrase(speech, "Excluded: {place} ({reason}).", place=name, reason=reason_text(reason, speech)))
    rows += [phrase(speech, "Excluded: {place} (switched off here).", place=market_name(market)) for market in off]
    return rows


def _disk_rows(rule: Rule, off: Sequence[str], speech: Speech) -> list[Html]:
    if not rule.tiers("runpod") or "runpod" in {*unsatisfiable(rule), *off}:
        return []
    return [phrase(speech, "{market} prices do not include disk.", market=market_name("runpod"))]


def watch_row(watch: Watch, matching: int | None, speech: Speech) -> Html:
    """One rule of a list: state, number, name, rule, how many offers match now (None: that is not to be said)."""
    said = [
        joined(
            [
                BARRED_SIGN if watch.barred else STATE_SIGNS[watch.state],
                bold(f"{watch.id} {clean(watch.name or '', NAME_UNITS)}".strip()),
            ],
            " ",
        ),
        code(clean(watch.text, RULE_UNITS)),
        _state(watch.state, speech),
        phrase(speech, "no longer allowed: not on the bot's list") if watch.barred else Html(),
        Html() if matching is None else phrases(speech, "{n} offer matches now", "{n} offers match now", matching),
        phrase(speech, "kept in the configuration file") if watch.origin == "file" else Html(),
    ]
    return joined(said, " · ")


BARRED_SIGN = "⛔"
STATE_SIGNS: Mapping[WatchState, str] = {
    "active": "🟢",
    "paused": "⏸",
    "snoozed": "💤",
    "done": "✅",
    "ended": "🏁",
}


def _state(state: WatchState, speech: Speech) -> Html:
    words: dict[WatchState, str] = {
        "paused": speech.text("paused"),
        "snoozed": speech.text("snoozed"),
        "done": speech.text("done: it wanted one alert"),
        "ended": speech.text("ended: its last day is over"),
    }
    return escape(words.get(state, ""))


def _nothing(standing: Standing, now: datetime, speech: Speech) -> list[Html]:
    if not standing.known:
        return _first_checks(standing, speech)
    nothing = phrase(speech, "Nothing matches at present. You hear from me the moment something does.")
    return [nothing, *_ages(standing, now, speech), *_first_checks(standing, speech)]


def _ages(standing: Standing, now: datetime, speech: Speech) -> list[Html]:
    return [
        phrase(
            speech, "{market} answered {age}", market=market_name(market), age=speech.ago((now - at).total_seconds())
        )
        for market, at in standing.known.items()
    ]


def _first_checks(standing: Standing, speech: Speech) -> list[Html]:
    return [
        phrase(
            speech,
            "{market} has not been asked for this yet; what its first check finds comes as one message, unless "
            "something better was told already.",
            market=market_name(market),
        )
        for market in standing.unknown
    ]

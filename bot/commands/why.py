"""/why: why a rule is silent. Whether it is asked for, what comes nearest and by how little it misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.commands.command import Command, Words
from bot.commands.keys import key, rows
from bot.commands.own_rules import absent, by_id, find, none_yet, own
from bot.commands.queries import Answered, answered_since
from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.known import KnownNow
from bot.language import Speech
from bot.questions import each_price, freshness_of
from bot.render.chat.misses import misses_row
from bot.render.chat.offers import offer_row
from bot.render.chat.rules import BARRED_SIGN, STATE_SIGNS, limits_rows
from bot.render.clean import clean
from bot.render.facts import market_name
from bot.render.html import BLANK, Html, bold, code, fitted, joined, phrase, phrases
from bot.render.scan_problems import problem_said
from market.probing import serves
from market.verdict import Miss, judge
from market.watch import Watch
from storage.offers import Current, current

NEAREST: Final = 3
ASKED_WITHIN: Final = timedelta(hours=1)
LOGGED_WITHIN: Final = timedelta(days=30)
OFFERED: Final = 10


def answer(visit: Visit, argument: str) -> Outcome:
    """Explain a rule; without a number, the only one, or ask which."""
    word = argument.strip()
    if word:
        watch = find(visit, word)
        return absent(visit, word) if watch is None else explained(visit, watch)
    watches = own(visit)
    if not watches:
        return none_yet(visit)
    if len(watches) == 1:
        return explained(visit, watches[0])
    question = bold(phrase(visit.speech, "Which rule?"))
    keys = [key(f"{each.id} {clean(each.name or each.text, 24)}", "why", each.id) for each in watches[:OFFERED]]
    return Outcome(replies=(Reply(html=question, keys=rows(keys, 2)),))


def pressed(visit: Visit, watch_id: int) -> Outcome:
    """Explain the rule of a button."""
    watch = by_id(visit, watch_id)
    if watch is None:
        return Outcome(notice=visit.speech.text("This rule is gone already."))
    return explained(visit, watch)


@dataclass(frozen=True, slots=True)
class _Near:
    """An offer of the rule's cards, and what keeps it from matching."""

    current: Current
    misses: tuple[Miss, ...]


def explained(visit: Visit, watch: Watch) -> Outcome:
    """Everything that is known about a rule's silence."""
    speech = visit.speech
    off = sorted({name for name, _ in watch.rule.places} - visit.product.markets.keys())
    near = _nearest(visit, watch)
    matching = sum(not each.misses for each in near)
    head = [
        bold(
            phrase(
                speech, "{sign} Rule {id}", sign=BARRED_SIGN if watch.barred else STATE_SIGNS[watch.state], id=watch.id
            )
        ),
        code(watch.text),
        *limits_rows(watch.rule, off, speech),
        *_state(visit, watch),
        *_asking(visit, watch),
        *_telling(visit, watch),
        BLANK,
    ]
    if matching:
        head.append(bold(phrases(speech, "{n} offer matches now", "{n} offers match now", matching)))
    elif near:
        head.append(bold(phrase(speech, "Nothing matches now. What comes nearest:")))
    else:
        head.append(bold(phrase(speech, "No offer of such a card is known at present.")))
    shown = [_near_row(visit, watch, each) for each in near[:NEAREST]]
    return Outcome(replies=(Reply(html=fitted(head, shown, lambda fit: [])),))


def _state(visit: Visit, watch: Watch) -> list[Html]:
    speech = visit.speech
    resume = f"{visit.slash('resume')} {watch.id}"
    if watch.barred:
        return [phrase(speech, "It rests: who made it is not on the bot's list any more. The owner can change that.")]
    if watch.state == "paused":
        return [phrase(speech, "It is paused: nothing is looked for. {command} ends that.", command=resume)]
    if watch.state == "done":
        return [phrase(speech, "It wanted one alert and has had it. {command} begins again.", command=resume)]
    if watch.state == "ended":
        return [phrase(speech, "Its last day is over.")]
    if watch.state == "snoozed":
        return [phrase(speech, "It is snoozed: what it finds is told later.")]
    return []


def _asking(visit: Visit, watch: Watch) -> list[Html]:
    """For each market of the rule, how its questions are doing."""
    return [_asked(visit, watch, name) for name, market in visit.product.markets.items() if market.probes(watch.rule)]


def _asked(visit: Visit, watch: Watch, name: str) -> Html:
    speech, market = visit.speech, visit.product.markets[name]
    probes = market.probes(watch.rule)
    cards = watch.rule.card_names() or frozenset()
    found = answered_since(visit.product, name, cards, visit.now - ASKED_WITHIN)
    own_answers = [each for each in found if any(serves(each.coverage, probe) for probe in probes)]
    fresh = freshness_of(visit.product, name)
    said = [bold(market_name(name))]
    if own_answers:
        said.append(_answered(own_answers, fresh.last_ok_at, visit.now, speech))
    else:
        said.append(phrase(speech, "no question of this rule was answered in the last hour"))
    if watch.state == "active" and name not in watch.passed:
        said.append(phrase(speech, "its first check is not over"))
    if fresh.failures_in_a_row:
        said.append(phrase(speech, "failing now: {error}", error=problem_said(fresh.error or "", speech)))
    return joined(said, " · ")


def _answered(found: Sequence[Answered], last_ok_at: datetime | None, now: datetime, speech: Speech) -> Html:
    latest = max(each.at for each in found)
    age = speech.ago((now - min(latest, last_ok_at or latest)).total_seconds())
    times = sum(each.times for each in found)
    return phrases(
        speech,
        "answered {n} question for this rule in the last hour, the latest {age}",
        "answered {n} questions for this rule in the last hour, the latest {age}",
        times,
        age=age,
    )


def _telling(visit: Visit, watch: Watch) -> list[Html]:
    """When it last spoke, and what it keeps back."""
    speech = visit.speech
    memory = KnownNow(visit.product.store, visit.product.watches).told()
    told = [each.told_at for (watch_id, _), each in memory.items() if watch_id == watch.id]
    logged = [
        each
        for each in visit.product.alert_log.since(visit.now - LOGGED_WITHIN)
        if watch.id in each.watch_ids and each.chat == watch.chat
    ]
    sent = [each.sent_at for each in logged if each.sent_at is not None]
    said = [_last(visit, max((*told, *sent), default=None))]
    waiting = sum(each.state in ("queued", "held") for each in logged)
    if waiting:
        said.append(phrases(speech, "{n} alert waits to be sent", "{n} alerts wait to be sent", waiting))
    return said


def _last(visit: Visit, at: datetime | None) -> Html:
    if at is None:
        return phrase(visit.speech, "It has not told anything yet.")
    age = visit.speech.ago((visit.now - at).total_seconds())
    return phrase(visit.speech, "It last told something {age}; more of the same stays silent while it lasts.", age=age)


def _nearest(visit: Visit, watch: Watch) -> list[_Near]:
    """The known offers of the rule's cards, fewest misses first, then cheapest."""
    rule, cards, markets = watch.rule, watch.rule.card_names(), visit.product.markets
    found = [
        _Near(each, judge(rule, each.offer, visit.now).misses)
        for each in current(visit.product.store)
        if each.offer.market in markets and (cards is None or each.offer.gpu in cards)
    ]
    return sorted(
        found,
        key=lambda near: (
            len(near.misses),
            each_price(near.current.offer, rule.terms, rule.disk_gb),
            near.current.offer.key,
        ),
    )


def _near_row(visit: Visit, watch: Watch, near: _Near) -> Html:
    row = offer_row(
        near.current.offer,
        speech=visit.speech,
        links=visit.product.links,
        now=visit.now,
        terms=watch.rule.terms,
        disk_gb=watch.rule.disk_gb,
        seen_at=near.current.seen_at,
    )
    misses = misses_row(near.misses, visit.speech, total=watch.rule.ceiling_is_total)
    return joined([row, joined(["→", misses], " ") if near.misses else Html()])


def _words(speech: Speech) -> Words:
    return Words(
        usage="[ID]",
        summary=speech.text("why a rule is silent, and what comes nearest to it"),
        details=speech.text(
            "Says how the rule's questions are answered, when it last told something, and what each of the nearest "
            "offers misses."
        ),
    )


WHY = Command(name="why", words=_words, example="3", answer=answer)

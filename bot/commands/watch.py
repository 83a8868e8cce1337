"""/watch: a new rule, repeated as it was understood, with what matches it now."""

from __future__ import annotations

from bot.commands.command import Command, Words
from bot.commands.foreknowledge import Foreknowledge
from bot.commands.keys import key
from bot.commands.own_rules import own
from bot.commands.pause import SAID
from bot.commands.refusal import refused
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Reply
from bot.effort import efforts
from bot.language import Speech
from bot.namesake import namesake
from bot.render.chat.rules import Standing, made_html
from bot.render.html import BLANK, bold, code, joined, phrase
from market.alert import SHOWN
from market.rule import RuleError
from market.watch import Watch

EXAMPLE = "RTX 4090 <=0.40"


def answer(visit: Visit, argument: str) -> Outcome:
    """Watch a rule; without one, say how it is written."""
    return make(visit, argument) if argument.strip() else _how(visit)


def make(visit: Visit, text: str, *, edits: bool = False) -> Outcome:
    """Watch what a text says, unless it says no rule, or one that is watched here already."""
    try:
        rule = visit.rule(text)
    except RuleError as error:
        return refused(visit, error, "watch", text, edits=edits)
    canonical = visit.product.rules.write(rule)
    topic = visit.speaker.topic
    here = [watch for watch in own(visit) if watch.topic == topic and watch.state in _LIVING and not watch.barred]
    twin = next((watch for watch in here if watch.text == canonical), None)
    if twin is not None:
        if twin.state != "active" or not edits:
            return _known_already(visit, twin, edits=edits)
        again = Foreknowledge(visit, rule)
        again(twin)
        return _made(visit, twin, again, edits=True)  # a button pressed twice says the same twice
    bearer = namesake(own(visit), rule.name)
    if bearer is not None:
        return name_taken(visit, bearer, edits=edits)
    foreknowledge = Foreknowledge(visit, rule)
    watch = visit.product.watches.add(
        chat=visit.chat,
        topic=topic,
        author=visit.speaker.user or None,
        text=canonical,
        now=visit.now,
        name=rule.name,
        answer=foreknowledge,
    )
    return _made(visit, watch, foreknowledge, edits=edits)


def _made(visit: Visit, watch: Watch, foreknowledge: Foreknowledge, *, edits: bool) -> Outcome:
    speech = visit.speech
    headline = bold(phrase(speech, "👁 Watching, rule {id}:", id=watch.id))
    html = made_html(
        headline,
        watch,
        foreknowledge.standing,
        efforts(visit.product, watch),
        now=visit.now,
        speech=speech,
        links=visit.product.links,
    )
    return Outcome(replies=(Reply(html=html, keys=made_keys(visit, watch, foreknowledge.standing), edits=edits),))


def made_keys(visit: Visit, watch: Watch, standing: Standing) -> tuple[tuple[Key, ...], ...]:
    """A button for the offers that the reply to a rule only counts."""
    if standing.part is None or standing.part.count <= SHOWN:
        return ()
    draft = visit.draft("now", watch.text)
    return ((key(visit.speech.text("Show all"), "page", draft),),)


_LIVING = ("active", "paused", "snoozed")


def _known_already(visit: Visit, watch: Watch, *, edits: bool) -> Outcome:
    speech = visit.speech
    said = [phrase(speech, "This is watched here already, as rule {id}.", id=bold(str(watch.id))), code(watch.text)]
    keys: tuple[tuple[Key, ...], ...] = ()
    if watch.state == "paused":
        said.append(phrase(speech, "It is paused."))
        keys = ((key(speech.text("Resume"), "resume", watch.id, SAID),),)
    return Outcome(replies=(Reply(html=joined(said), keys=keys, edits=edits),))


def name_taken(visit: Visit, bearer: Watch, *, edits: bool) -> Outcome:
    """The answer to a rule whose name another rule of the chat bears."""
    said = phrase(
        visit.speech,
        "The name {name} is taken by rule {id}. Choose another, or change that rule.",
        name=bold(bearer.name or ""),
        id=bold(str(bearer.id)),
    )
    return Outcome(replies=(Reply(html=joined([said, code(bearer.text)]), edits=edits),))


def _how(visit: Visit) -> Outcome:
    speech, slash = visit.speech, visit.slash("watch")
    help_on_rules = f"{visit.slash('help')} {slash.removeprefix('/')}"
    said = [
        phrase(
            speech, "What should I watch? A card, the most you would pay per GPU-hour in US$, and what else matters:"
        ),
        code(f"{slash} {EXAMPLE}"),
        code(f"{slash} H100, A100 80GB max 1.60 x2 secure"),
        code(f"{slash} any vram>=48 <=0.60 rel>=98 not:CN name:big"),
        BLANK,
        phrase(speech, "{command} explains every part.", command=help_on_rules),
    ]
    return Outcome(replies=(Reply(html=joined(said)),))


def _words(speech: Speech) -> Words:
    return Words(
        usage=speech.text("RULE"),
        summary=speech.text("watch for a card and tell me when it can be had"),
        details=speech.text(
            "The answer repeats the rule as understood and shows what matches now; that counts as told. Later you "
            "hear of new offers and of clearly cheaper ones."
        ),
    )


WATCH = Command(name="watch", words=_words, example=EXAMPLE, answer=answer)

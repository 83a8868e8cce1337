"""/edit: another rule in the place of one, which starts afresh."""

from __future__ import annotations

from bot.commands.command import Command, Words
from bot.commands.foreknowledge import Foreknowledge
from bot.commands.own_rules import absent, find, none_yet, own
from bot.commands.refusal import refused
from bot.commands.visit import Visit
from bot.commands.watch import made_keys, name_taken
from bot.conversation import Outcome, Reply
from bot.effort import efforts
from bot.language import Speech
from bot.namesake import namesake
from bot.render.chat.rules import made_html
from bot.render.html import Html, bold, code, joined, phrase
from market.rule import RuleError
from market.watch import Watch


def answer(visit: Visit, argument: str) -> Outcome:
    """Change a rule; without a new text, show the old one to be changed and sent back."""
    word, text = (*argument.split(maxsplit=1), "", "")[:2]
    if not word:
        return _which(visit)
    watch = find(visit, word)
    if watch is None:
        return absent(visit, word)
    return change(visit, watch, text) if text.strip() else hint(visit, watch)


def change(visit: Visit, watch: Watch, text: str, *, edits: bool = False) -> Outcome:
    """Give a rule of this chat another text."""
    if watch.origin == "file":
        return Outcome(replies=(Reply(html=in_the_file(visit, watch), edits=edits),))
    try:
        rule = visit.rule(text)
    except RuleError as error:
        return refused(visit, error, "edit", text, watch_id=watch.id, edits=edits)
    canonical = visit.product.rules.write(rule)
    bearer = namesake(own(visit), rule.name, besides=watch.id)
    if bearer is not None:
        return name_taken(visit, bearer, edits=edits)
    foreknowledge = Foreknowledge(visit, rule)
    # a name that was not part of the rule's text stays
    name = rule.name or (watch.name if watch.rule.name is None else None)
    after = visit.product.watches.edit(watch.id, text=canonical, now=visit.now, name=name, answer=foreknowledge)
    if after is None:
        return absent(visit, str(watch.id))
    speech = visit.speech
    headline = bold(phrase(speech, "✏️ Rule {id} is now:", id=watch.id))
    html = made_html(
        headline,
        after,
        foreknowledge.standing,
        efforts(visit.product, after),
        now=visit.now,
        speech=speech,
        links=visit.product.links,
    )
    return Outcome(replies=(Reply(html=html, keys=made_keys(visit, after, foreknowledge.standing), edits=edits),))


def hint(visit: Visit, watch: Watch) -> Outcome:
    """The command that would set the rule as it is, to be copied, changed and sent."""
    if watch.origin == "file":
        return Outcome(replies=(Reply(html=in_the_file(visit, watch)),))
    said = [
        phrase(visit.speech, "Copy this, change it and send it:"),
        code(f"{visit.slash('edit')} {watch.id} {watch.text}"),
    ]
    return Outcome(replies=(Reply(html=joined(said)),))


def in_the_file(visit: Visit, watch: Watch) -> Html:
    """Why a rule of the file is not changed here."""
    return phrase(
        visit.speech,
        "Rule {id} is kept in the configuration file, under the name {name}. Change or remove it there.",
        id=bold(str(watch.id)),
        name=bold(watch.name or ""),
    )


def _which(visit: Visit) -> Outcome:
    watches = own(visit)
    if not watches:
        return none_yet(visit)
    said = [
        phrase(visit.speech, "Which rule? Write its number and the new rule:"),
        code(f"{visit.slash('edit')} {watches[0].id} {watches[0].text}"),
        phrase(visit.speech, "{command} lists your rules.", command=visit.slash("watches")),
    ]
    return Outcome(replies=(Reply(html=joined(said)),))


def _words(speech: Speech) -> Words:
    return Words(
        usage=f"ID {speech.text('RULE')}",
        summary=speech.text("change a rule"),
        details=speech.text(
            "The changed rule starts afresh: what matches now is in the answer, and alerts on their way are judged by "
            "the new rule."
        ),
    )


EDIT = Command(name="edit", words=_words, example="3 RTX 4090 <=0.35", answer=answer)

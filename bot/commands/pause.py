"""/pause and /resume: a rule rests, or is watched again as if it were new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from bot.commands.command import Command, Words
from bot.commands.keys import key, rows
from bot.commands.own_rules import absent, by_id, find, none_yet, own
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Reply
from bot.language import Speech
from bot.render.clean import clean
from bot.render.html import Html, bold, code, escape, joined, phrase, phrases
from market.watch import Watch

Switch = Literal["pause", "resume"]

EVERY: Final = 0
"""Stands for every rule of the chat in a button: no rule has this number."""
ASKED: Final = 10
_ALL: Final = frozenset({"all", "todas", "todos", "tudo"})
_STATES: Final = {"pause": ("active", "snoozed"), "resume": ("paused", "done")}


def pause(visit: Visit, argument: str) -> Outcome:
    """Pause a rule; without a number, the only one, or ask which."""
    return _answer(visit, argument, "pause")


def resume(visit: Visit, argument: str) -> Outcome:
    """Resume a rule; without a number, the only one, or ask which."""
    return _answer(visit, argument, "resume")


def switched(visit: Visit, watch_id: int, switch: Switch) -> Outcome:
    """Answer a button that pauses or resumes a rule, or every rule of the chat."""
    if watch_id == EVERY:
        return _every(visit, switch)
    watch = by_id(visit, watch_id)
    return (
        Outcome(notice=visit.speech.text("This rule is gone already.")) if watch is None else _do(visit, watch, switch)
    )


def turn(visit: Visit, watch: Watch, switch: Switch) -> bool:
    """Pause or resume a rule; whether that changed anything."""
    watches = visit.product.watches
    return watches.pause(watch.id) if switch == "pause" else watches.resume(watch.id, visit.now)


def said(visit: Visit, watch_id: int, switch: Switch, *, changed: bool = True) -> str:
    """What became of a rule, short enough for a notice."""
    speech = visit.speech
    if not changed:
        return speech.text("Nothing changes: rule {id} was like that already.", id=watch_id)
    if switch == "pause":
        return speech.text("Rule {id} is paused.", id=watch_id)
    return speech.text("Rule {id} is watched again.", id=watch_id)


def _answer(visit: Visit, argument: str, switch: Switch) -> Outcome:
    word = argument.strip()
    if word.casefold() in _ALL:
        return _every(visit, switch)
    if word:
        watch = find(visit, word)
        return absent(visit, word) if watch is None else _do(visit, watch, switch)
    watches = own(visit)
    if not watches:
        return none_yet(visit)
    open_to_it = [watch for watch in watches if watch.state in _STATES[switch]]
    if not open_to_it:
        return Outcome(replies=(Reply(html=_none_left(visit, switch)),))
    return _do(visit, open_to_it[0], switch) if len(open_to_it) == 1 else _ask(visit, open_to_it, switch)


def _do(visit: Visit, watch: Watch, switch: Switch) -> Outcome:
    if switch == "resume" and watch.state == "ended":
        slash = f"{visit.slash('edit')} {watch.id}"
        over = phrase(
            visit.speech, "The last day of rule {id} is over; {command} gives it another.", id=watch.id, command=slash
        )
        return Outcome(replies=(Reply(html=over),))
    notice = said(visit, watch.id, switch, changed=turn(visit, watch, switch))
    html = joined([escape(notice), code(watch.text)])
    return Outcome(replies=(Reply(html=html, keys=((_back(visit, watch.id, switch),),), silent=True),), notice=notice)


def _back(visit: Visit, watch_id: int, switch: Switch) -> Key:
    """The button that undoes it."""
    speech = visit.speech
    if switch == "pause":
        return key(speech.text("Resume"), "resume", watch_id)
    return key(speech.text("Pause"), "pause", watch_id)


def _every(visit: Visit, switch: Switch) -> Outcome:
    speech = visit.speech
    changed = sum(turn(visit, watch, switch) for watch in own(visit) if watch.state in _STATES[switch])
    if not changed:
        return Outcome(replies=(Reply(html=_none_left(visit, switch)),))
    if switch == "pause":
        html = phrases(speech, "{n} rule is paused.", "{n} rules are paused.", changed)
    else:
        html = phrases(speech, "{n} rule is watched again.", "{n} rules are watched again.", changed)
    return Outcome(replies=(Reply(html=html, keys=((_back(visit, EVERY, switch),),)),))


def _none_left(visit: Visit, switch: Switch) -> Html:
    if switch == "pause":
        return phrase(visit.speech, "No rule is being watched here.")
    return phrase(visit.speech, "No rule is paused here.")


def _ask(visit: Visit, watches: Sequence[Watch], switch: Switch) -> Outcome:
    speech = visit.speech
    question = (
        phrase(speech, "Which rule shall rest?") if switch == "pause" else phrase(speech, "Which rule shall go on?")
    )
    every = key(speech.text("All {n}", n=speech.count(len(watches))), switch, EVERY)
    each = [key(f"{watch.id} {clean(watch.name or watch.text, 24)}", switch, watch.id) for watch in watches[:ASKED]]
    return Outcome(replies=(Reply(html=bold(question), keys=((every,), *rows(each, 2))),))


def _pause_words(speech: Speech) -> Words:
    return Words(
        usage="[ID]",
        summary=speech.text("let a rule rest"),
        details=speech.text("Alerts of the rule that are on their way are not sent. With all, every rule rests."),
    )


def _resume_words(speech: Speech) -> Words:
    return Words(
        usage="[ID]",
        summary=speech.text("watch a paused rule again"),
        details=speech.text("The rule starts afresh: what matches already is told once, as one message."),
    )


PAUSE = Command(name="pause", words=_pause_words, example="3", answer=pause)
RESUME = Command(name="resume", words=_resume_words, example="3", answer=resume)

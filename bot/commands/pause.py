"""/pause and /resume: a rule rests, or is watched again as if it were new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from bot.commands.command import Command, Words
from bot.commands.keys import key, rows
from bot.commands.own_rules import absent, by_id, find, none_yet, own
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Press, Reply
from bot.language import Speech
from bot.render.clean import clean
from bot.render.html import Html, bold, code, escape, joined, phrase, phrases
from market.watch import Watch
from storage.admission import readmit

Switch = Literal["pause", "resume"]

EVERY: Final = 0
"""Stands for every rule of the chat in a button: no rule has this number."""
ASKED: Final = 10
NAME_UNITS: Final = 24
SAID: Final = "said"
"""Marks the buttons under what was said of a rule: pressing one puts what is true then in its place."""
_ALL: Final = frozenset({"all", "todas", "todos", "tudo"})
_STATES: Final = {"pause": ("active", "snoozed"), "resume": ("paused", "done")}


def pause(visit: Visit, argument: str) -> Outcome:
    """Pause a rule; without a number, the only one, or ask which."""
    return _answer(visit, argument, "pause")


def resume(visit: Visit, argument: str) -> Outcome:
    """Resume a rule; without a number, the only one, or ask which."""
    return _answer(visit, argument, "resume")


def switched(visit: Visit, watch_id: int, switch: Switch, press: Press, mark: str) -> Outcome:
    """Answer a button that pauses or resumes a rule, or every rule of the chat: in place, wherever it stands."""
    if watch_id == EVERY:
        return _every(visit, switch, edits=mark == SAID)
    watch = by_id(visit, watch_id)
    if watch is None:
        return Outcome(notice=visit.speech.text("This rule is gone already."))
    hindered = hindrance(visit, watch, switch)
    if hindered is not None or mark == SAID:
        return _do(visit, watch, switch, edits=mark == SAID)
    changed = turn(visit, watch, switch)
    notice = said(visit, watch.id, switch, changed=changed)
    keys = _turned(visit, press, watch, switch)
    if keys:
        return Outcome(replies=(Reply(html="", keys=keys, keys_only=True),), notice=notice)
    return _told(visit, watch, switch, notice) if changed else Outcome(notice=notice)


def turn(visit: Visit, watch: Watch, switch: Switch) -> bool:
    """Pause or resume a rule; whether that changed anything."""
    watches = visit.product.watches
    if switch == "resume" and watch.barred:
        readmit(visit.product.store, watch.id, visit.now)
        watches.resume(watch.id, visit.now)
        return True
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


def _do(visit: Visit, watch: Watch, switch: Switch, *, edits: bool = False) -> Outcome:
    hindered = hindrance(visit, watch, switch)
    if hindered is not None:
        return Outcome(replies=(Reply(html=hindered),))
    notice = said(visit, watch.id, switch, changed=turn(visit, watch, switch))
    return _told(visit, watch, switch, notice, edits=edits)


def _told(visit: Visit, watch: Watch, switch: Switch, notice: str, *, edits: bool = False) -> Outcome:
    html = joined([escape(notice), code(watch.text)])
    back = _back(visit, watch.id, switch)
    return Outcome(replies=(Reply(html=html, keys=(back,), edits=edits, silent=True),), notice=notice)


def hindrance(visit: Visit, watch: Watch, switch: Switch) -> Html | None:
    """Why a rule cannot be watched again; None if it can."""
    if switch == "resume" and watch.barred and not _may_readmit(visit):
        return phrase(visit.speech, "Rule {id} rests: who made it is not on the bot's list any more.", id=watch.id)
    if switch == "resume" and watch.state == "ended":
        slash = f"{visit.slash('edit')} {watch.id}"
        return phrase(
            visit.speech, "The last day of rule {id} is over; {command} gives it another.", id=watch.id, command=slash
        )
    return None


def _may_readmit(visit: Visit) -> bool:
    """Whether who speaks may be served here all the same: an owner may use the bot in any group."""
    return visit.speaker.is_owner and visit.speaker.is_group


def _turned(visit: Visit, press: Press, watch: Watch, switch: Switch) -> tuple[tuple[Key, ...], ...]:
    """The buttons of the message, with the one that was pressed turned round; none where it is not among them."""
    if all(each.data != press.data for row in press.keys for each in row):
        return ()

    def turned(each: Key) -> tuple[Key, ...]:
        if each.data != press.data:
            return (each,)
        return _back(visit, watch.id, switch, mark="", name=_name_on(visit, each, watch))

    return tuple(row for each_row in press.keys if (row := tuple(new for each in each_row for new in turned(each))))


def _name_on(visit: Visit, pressed: Key, watch: Watch) -> str:
    """The name of the rule, where the button bears one."""
    plain = (visit.speech.text("Pause"), visit.speech.text("Resume"))
    return "" if pressed.label in plain else clean(watch.name or watch.text, NAME_UNITS)


def _back(visit: Visit, watch_id: int, switch: Switch, *, mark: str = SAID, name: str = "") -> tuple[Key, ...]:
    """The button that undoes it; none for who may not."""
    speech = visit.speech
    if switch == "resume":
        label = speech.text("Pause {name}", name=name) if name else speech.text("Pause")
        return (key(label, "pause", watch_id, mark),)
    if visit.speaker.leaving:
        return ()
    label = speech.text("Resume {name}", name=name) if name else speech.text("Resume")
    return (key(label, "resume", watch_id, mark),)


def _every(visit: Visit, switch: Switch, *, edits: bool = False) -> Outcome:
    speech = visit.speech
    willing = [each for each in own(visit) if each.state in _STATES[switch] and not hindrance(visit, each, switch)]
    changed = sum(turn(visit, watch, switch) for watch in willing)
    if not changed:
        return Outcome(replies=(Reply(html=_none_left(visit, switch), edits=edits),))
    if switch == "pause":
        html = phrases(speech, "{n} rule is paused.", "{n} rules are paused.", changed)
    else:
        html = phrases(speech, "{n} rule is watched again.", "{n} rules are watched again.", changed)
    return Outcome(replies=(Reply(html=html, keys=(_back(visit, EVERY, switch),), edits=edits),))


def _none_left(visit: Visit, switch: Switch) -> Html:
    if switch == "pause":
        return phrase(visit.speech, "No rule is being watched here.")
    return phrase(visit.speech, "No rule is paused here.")


def _ask(visit: Visit, watches: Sequence[Watch], switch: Switch) -> Outcome:
    speech = visit.speech
    question = (
        phrase(speech, "Which rule shall rest?") if switch == "pause" else phrase(speech, "Which rule shall go on?")
    )
    every = key(speech.text("All {n}", n=speech.count(len(watches))), switch, EVERY, SAID)
    each = [
        key(f"{watch.id} {clean(watch.name or watch.text, NAME_UNITS)}", switch, watch.id, SAID)
        for watch in watches[:ASKED]
    ]
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

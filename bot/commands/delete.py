"""/delete: a rule goes. Typed with its number it goes at once; a button asks first."""

from __future__ import annotations

from bot.commands.command import Command, Words
from bot.commands.edit import in_the_file
from bot.commands.keys import key
from bot.commands.own_rules import absent, by_id, find, none_yet, number_of, own, own_unreadable
from bot.commands.visit import Visit
from bot.commands.watches import listed
from bot.conversation import Outcome, Reply
from bot.language import Speech
from bot.render.html import BLANK, Html, bold, code, joined, phrase
from market.watch import Watch
from storage.watchrows import Unreadable


def answer(visit: Visit, argument: str) -> Outcome:
    """Delete a rule of this chat by number or name."""
    word = argument.strip()
    if not word:
        return listed(visit, 0) if own(visit) or own_unreadable(visit) else none_yet(visit)
    watch = find(visit, word) or _unreadable(visit, number_of(word))
    return absent(visit, word) if watch is None else delete(visit, watch)


def ask(visit: Visit, watch_id: int, mark: str) -> Outcome:
    """Ask in the place of the list whether a rule is to go. `mark` says which page to come back to."""
    watch = by_id(visit, watch_id) or _unreadable(visit, watch_id)
    speech = visit.speech
    if watch is None:
        return Outcome(notice=speech.text("This rule is gone already."))
    if isinstance(watch, Watch) and watch.origin == "file":
        return Outcome(replies=(Reply(html=in_the_file(visit, watch)),))
    html = joined([bold(phrase(speech, "Delete rule {id}?", id=watch.id)), code(watch.text)])
    keys = (
        key(speech.text("Delete"), "confirm", watch.id, mark),
        key(speech.text("Keep it"), "cancel", watch.id, mark),
    )
    return Outcome(replies=(Reply(html=html, keys=(keys,), edits=True),))


def confirm(visit: Visit, watch_id: int) -> Outcome:
    """Delete after all."""
    watch = by_id(visit, watch_id) or _unreadable(visit, watch_id)
    if watch is None:
        return Outcome(notice=visit.speech.text("This rule is gone already."))
    return delete(visit, watch, edits=True)


def delete(visit: Visit, watch: Watch | Unreadable, *, edits: bool = False) -> Outcome:
    """Delete a rule of this chat; the answer holds what would bring it back."""
    speech = visit.speech
    if isinstance(watch, Watch) and watch.origin == "file":
        return Outcome(replies=(Reply(html=in_the_file(visit, watch), edits=edits),))
    visit.product.watches.remove(watch.id)
    said: list[Html] = [phrase(speech, "🗑 Rule {id} is deleted.", id=bold(str(watch.id)))]
    if isinstance(watch, Watch) and not visit.speaker.leaving:
        again = code(f"{visit.slash('watch')} {watch.text}")
        said += [BLANK, phrase(speech, "This would bring it back:"), again]
    return Outcome(replies=(Reply(html=joined(said), edits=edits),))


def _unreadable(visit: Visit, watch_id: int | None) -> Unreadable | None:
    return next((each for each in own_unreadable(visit) if each.id == watch_id), None)


def _words(speech: Speech) -> Words:
    return Words(
        usage="ID",
        summary=speech.text("delete a rule"),
        details=speech.text("Without a number, shows your rules with a button for each; the button asks first."),
    )


DELETE = Command(name="delete", words=_words, example="3", answer=answer)

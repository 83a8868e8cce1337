"""What each button does. Old, foreign and invented presses are harmless: they get a notice and change nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from bot.buttons import Action, Button, decode
from bot.commands import delete, edit, history, more, now, why
from bot.commands.drafts import Draft
from bot.commands.own_rules import by_id
from bot.commands.pause import Switch, hindrance, said, switched, turn
from bot.commands.refusal import mended
from bot.commands.visit import Visit
from bot.commands.watch import make
from bot.commands.watches import IN_LIST, listed
from bot.conversation import Outcome, Press
from market.rule import RuleError


def pressed(visit: Visit, press: Press) -> Outcome:
    """Answer a press."""
    button = decode(press.data)
    act = _ACTS.get(button.action) if button is not None else None
    if button is None or act is None:
        return Outcome(notice=visit.speech.text("This button does nothing here."))
    return act(visit, button, press)


def _switch(visit: Visit, button: Button, press: Press) -> Outcome:
    switch: Switch = "pause" if button.action == "pause" else "resume"
    page = _page_of_list(button)
    if page is None:
        return switched(visit, button.id, switch, press, button.argument)
    watch = by_id(visit, button.id)
    if watch is None:
        return listed(visit, page, edits=True, notice=visit.speech.text("This rule is gone already."))
    if hindrance(visit, watch, switch) is not None:
        return switched(visit, button.id, switch, press, button.argument)
    changed = turn(visit, watch, switch)
    return listed(visit, page, edits=True, notice=said(visit, watch.id, switch, changed=changed))


def _delete(visit: Visit, button: Button, press: Press) -> Outcome:
    return delete.ask(visit, button.id, button.argument)


def _confirm(visit: Visit, button: Button, press: Press) -> Outcome:
    return delete.confirm(visit, button.id)


def _cancel(visit: Visit, button: Button, press: Press) -> Outcome:
    return listed(visit, _page_of_list(button) or 0, edits=True)


def _edit(visit: Visit, button: Button, press: Press) -> Outcome:
    watch = by_id(visit, button.id)
    if watch is None:
        return Outcome(notice=visit.speech.text("This rule is gone already."))
    return edit.hint(visit, watch)


def _why(visit: Visit, button: Button, press: Press) -> Outcome:
    return why.pressed(visit, button.id)


def _history(visit: Visit, button: Button, press: Press) -> Outcome:
    return history.of_alert(visit, button.id)


def _page(visit: Visit, button: Button, press: Press) -> Outcome:
    start = int(button.argument) if button.argument.isdecimal() else 0
    if button.id == 0:
        return listed(visit, start, edits=True)
    draft = visit.drafts.look(button.id, visit.chat, visit.now)
    if draft is None:
        return _too_old(visit)
    # a list is turned in place; one that is only asked for stands under another message, which stays
    return now.page_of(visit, draft.text, start, draft=button.id, edits=bool(button.argument))


def _more(visit: Visit, button: Button, press: Press) -> Outcome:
    return more.all_of(visit, button.id, button.argument)


def _draft(visit: Visit, button: Button, press: Press) -> Outcome:
    draft = visit.drafts.look(button.id, visit.chat, visit.now)
    if draft is None:
        return _too_old(visit)
    return _finished(visit, replace(draft, text=_chosen(visit, draft, button.argument)))


def _chosen(visit: Visit, draft: Draft, argument: str) -> str:
    """The draft's text with a choice in it: where the word stands several times, the place that mends the text."""
    if not (argument.isdecimal() and int(argument) < len(draft.choices)):
        return draft.text
    texts = mended(draft.text, draft.word, draft.choices[int(argument)])
    return next((text for text in texts if _reads(visit, draft, text)), texts[-1] if texts else draft.text)


def _reads(visit: Visit, draft: Draft, text: str) -> bool:
    try:
        if draft.purpose == "history":
            visit.product.rules.card(text)
        else:
            visit.rule(text)
    except RuleError:
        return False
    return True


def _finished(visit: Visit, draft: Draft) -> Outcome:
    """Do what the text was written for, in the place of the question."""
    if draft.purpose == "watch":
        return make(visit, draft.text, edits=True)
    if draft.purpose == "now":
        return now.page_of(visit, draft.text, 0, edits=True)
    if draft.purpose == "history":
        return history.of_text(visit, draft.text, edits=True)
    watch = by_id(visit, draft.watch_id)
    if watch is None:
        return Outcome(notice=visit.speech.text("This rule is gone already."))
    return edit.change(visit, watch, draft.text, edits=True)


def _page_of_list(button: Button) -> int | None:
    """The page of the list that a button stands under; None for one that stands elsewhere."""
    page = button.argument.removeprefix(IN_LIST)
    return int(page) if button.argument.startswith(IN_LIST) and page.isdecimal() else None


def _too_old(visit: Visit) -> Outcome:
    return Outcome(notice=visit.speech.text("This question is too old. Please send the command or the rule once more."))


_ACTS: Final[Mapping[Action, Callable[[Visit, Button, Press], Outcome]]] = {
    "pause": _switch,
    "resume": _switch,
    "delete": _delete,
    "confirm": _confirm,
    "cancel": _cancel,
    "edit": _edit,
    "why": _why,
    "history": _history,
    "page": _page,
    "more": _more,
    "draft": _draft,
}

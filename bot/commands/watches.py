"""/watches: the rules of the chat with what can be done to each, in one message that its buttons keep up to date."""

from __future__ import annotations

from typing import Final

from bot.commands.command import Command, Words
from bot.commands.keys import key
from bot.commands.own_rules import none_yet, own, own_unreadable
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Reply
from bot.language import Speech
from bot.render.chat.rules import watch_row
from bot.render.clean import clean
from bot.render.facts import RULE_UNITS
from bot.render.html import BLANK, Html, bold, code, fitted, phrase
from market.verdict import matches
from market.watch import Watch
from storage.offers import Current, current
from storage.watchrows import Unreadable

AT_ONCE: Final = 8
"""Rules in one message: more would not leave their buttons legible."""
IN_LIST: Final = "list"
"""Marks the buttons under a list, which change the list itself; followed by its page."""


def answer(visit: Visit, argument: str) -> Outcome:
    """The first page."""
    return listed(visit, 0)


def listed(visit: Visit, page: int, *, edits: bool = False, notice: str = "") -> Outcome:
    """A page of the list; one that is not there any more becomes the last one."""
    every: list[Watch | Unreadable] = sorted((*own(visit), *own_unreadable(visit)), key=lambda each: each.id)
    if not every:
        replies = none_yet(visit).replies
        return Outcome(replies=tuple(Reply(html=each.html, edits=edits) for each in replies), notice=notice)
    last = (len(every) - 1) // AT_ONCE
    page = min(page, last)
    shown = every[page * AT_ONCE : (page + 1) * AT_ONCE]
    offers = current(visit.product.store)
    rows = [_row(visit, each, offers) for each in shown]
    keys = [_keys(each, page, leaving=visit.speaker.leaving) for each in shown]
    if last:
        keys.append(_turning(page, last))
    html = fitted([_head(visit, len(every))], rows, lambda fit: _foot(visit, shown, len(rows) - fit))
    return Outcome(replies=(Reply(html=html, keys=tuple(keys), edits=edits),), notice=notice)


def _head(visit: Visit, count: int) -> Html:
    speech = visit.speech
    if count == 1:
        return bold(phrase(speech, "Your rule"))
    return bold(phrase(speech, "Your {n} rules", n=speech.count(count)))


def _row(visit: Visit, watch: Watch | Unreadable, offers: list[Current]) -> Html:
    if isinstance(watch, Unreadable):
        rule = code(clean(watch.text, RULE_UNITS))
        return phrase(
            visit.speech,
            "⚠️ {id} cannot be read by this version and is not watched: {rule}",
            id=bold(str(watch.id)),
            rule=rule,
        )
    return watch_row(watch, None if watch.barred else count_matching(visit, watch, offers), visit.speech)


def count_matching(visit: Visit, watch: Watch, offers: list[Current]) -> int:
    """How many of these offers, of markets that are asked, a rule takes."""
    markets = visit.product.markets
    return sum(each.offer.market in markets and matches(watch.rule, each.offer, visit.now) for each in offers)


def _keys(watch: Watch | Unreadable, page: int, *, leaving: bool) -> tuple[Key, ...]:
    mark, id_ = f"{IN_LIST}{page}", watch.id
    delete = key(f"🗑 {id_}", "delete", id_, mark)
    if isinstance(watch, Unreadable):
        return (delete,)
    running = watch.state in ("active", "snoozed") and (leaving or not watch.barred)
    if leaving:
        pause = (key(f"⏸ {id_}", "pause", id_, mark),) if running else ()
        return pause if watch.origin == "file" else (*pause, delete)
    switch = key(f"⏸ {id_}", "pause", id_, mark) if running else key(f"▶️ {id_}", "resume", id_, mark)
    why = key(f"❓ {id_}", "why", id_)
    return (switch, why) if watch.origin == "file" else (switch, key(f"✏️ {id_}", "edit", id_), delete, why)


def _turning(page: int, last: int) -> tuple[Key, ...]:
    turns = []
    if page > 0:
        turns.append(key(f"◀️ {page}/{last + 1}", "page", 0, str(page - 1)))
    if page < last:
        turns.append(key(f"{page + 2}/{last + 1} ▶️", "page", 0, str(page + 1)))
    return tuple(turns)


def _foot(visit: Visit, shown: list[Watch | Unreadable], hidden: int) -> list[Html]:
    speech = visit.speech
    if visit.speaker.leaving:
        rows = [BLANK, phrase(speech, "⏸ pause · 🗑 delete")]
    else:
        rows = [BLANK, phrase(speech, "⏸ pause · ▶️ resume · ✏️ edit · 🗑 delete · ❓ why it is silent")]
    if any(isinstance(each, Watch) and each.origin == "file" for each in shown):
        rows.append(phrase(speech, "Rules kept in the configuration file are changed there."))
    if hidden:
        rows.insert(0, phrase(speech, "The rest is too long to be shown here."))
    return rows


def _words(speech: Speech) -> Words:
    return Words(
        usage="",
        summary=speech.text("your rules, what matches them now, and buttons for each"),
        details=speech.text("Shows the rules of this chat only."),
    )


WATCHES = Command(name="watches", words=_words, example="", answer=answer)

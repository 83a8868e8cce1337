"""What an alert only counts: all that matches each of its rules now, a page at a time, with a pause for each.

The buttons carry the number of the alert, so that they work for as long as the log of alerts knows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.commands.history import alert_of
from bot.commands.keys import key
from bot.commands.now import offers_of
from bot.commands.own_rules import by_id
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Reply
from bot.render.chat.offers import PAGE
from bot.render.clean import clean
from bot.render.facts import NAME_UNITS, RULE_UNITS
from bot.render.html import bold, code, fits, joined, phrase
from market.watch import Watch

LABEL_UNITS: Final = 24
_PLACE: Final = re.compile(r"(?P<rule>[0-9]{1,6})\.(?P<start>[0-9]{1,6})")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where in an alert: which of its rules, and from which offer on."""

    rule: int = 0
    start: int = 0

    @classmethod
    def of(cls, argument: str) -> Place:
        """The place of a button's argument; the beginning, where there is none."""
        found = _PLACE.fullmatch(argument)
        return cls(rule=int(found["rule"]), start=int(found["start"])) if found else cls()

    def __str__(self) -> str:
        return f"{self.rule}.{self.start}"


def all_of(visit: Visit, alert_id: int, argument: str) -> Outcome:
    """A page. The first one stands under the alert, which stays; turning it changes the page itself."""
    alert = alert_of(visit, alert_id)
    found = [each for watch_id in (alert.watch_ids if alert else ()) if (each := by_id(visit, watch_id))]
    watches = [each for each in found if not each.barred]
    if not watches:
        said = visit.speech.text("This alert is too old; ask with {command}.", command=visit.slash("now"))
        return Outcome(notice=said)
    place = Place.of(argument)
    index = min(place.rule, len(watches) - 1)
    watch = watches[index]
    listing, end, total = offers_of(visit, watch.rule, place.start)
    head = [bold(clean(watch.name, NAME_UNITS))] if watch.name else []
    if len(watches) > 1:
        head.append(phrase(visit.speech, "rule {n} of {total}", n=index + 1, total=len(watches)))
    whole = joined([joined(head, " · "), code(clean(watch.text, RULE_UNITS)), listing])
    html = whole if fits(whole) else listing
    start = place.start if place.start < total else 0
    keys = (
        _pages(visit, alert_id, index, start, end, total),
        _rules(visit, alert_id, index, watches),
        _pause(visit, watch),
    )
    return Outcome(replies=(Reply(html=html, keys=tuple(row for row in keys if row), edits=bool(argument)),))


def _pages(visit: Visit, alert_id: int, rule: int, start: int, end: int, total: int) -> tuple[Key, ...]:
    speech, turns = visit.speech, []
    if start > 0:
        before = max(start - PAGE, 0)
        turns.append(key(f"◀️ {speech.count(before + 1)}", "more", alert_id, str(Place(rule=rule, start=before))))
    if end < total:
        label = f"{speech.count(end + 1)} / {speech.count(total)} ▶️"
        turns.append(key(label, "more", alert_id, str(Place(rule=rule, start=end))))
    return tuple(turns)


def _rules(visit: Visit, alert_id: int, rule: int, watches: list[Watch]) -> tuple[Key, ...]:
    """To the rules beside."""
    turns = []
    if rule > 0:
        turns.append(key(f"⬅️ {_named(watches[rule - 1])}", "more", alert_id, str(Place(rule=rule - 1))))
    if rule + 1 < len(watches):
        turns.append(key(f"{_named(watches[rule + 1])} ➡️", "more", alert_id, str(Place(rule=rule + 1))))
    return tuple(turns)


def _pause(visit: Visit, watch: Watch) -> tuple[Key, ...]:
    if watch.state not in ("active", "snoozed"):
        return ()
    return (key(visit.speech.text("Pause {name}", name=_named(watch)), "pause", watch.id),)


def _named(watch: Watch) -> str:
    return clean(watch.name or watch.text, LABEL_UNITS)

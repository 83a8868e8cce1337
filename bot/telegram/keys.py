"""The buttons under an alert. Only what the bot can do stands there."""

from __future__ import annotations

from typing import Final

from bot.buttons import Button, encode
from bot.channels import Outgoing
from bot.conversation import Key
from bot.language import Speech
from bot.render.clean import clean
from bot.render.text import Links
from market.alert import Alert

LABEL_UNITS: Final = 30
PAUSABLE: Final = 3
"""Rules of one alert that get a button each; more would bury the message."""
CERTAIN: Final = 6
"""Offers that fit a message however long what is said of them."""
_SCHEMES: Final = ("https://", "http://")


def alert_keys(message: Outgoing, *, links: Links, speech: Speech) -> tuple[tuple[Key, ...], ...]:
    """Open the best offer, its history, a pause for each rule that the alert is for, and what it only counts.

    History and the rest carry the number of the alert, pause the number of the rule.
    """
    alert = message.alert
    if not alert.parts:
        return ()
    first: list[Key] = []
    if all(part.offers for part in alert.parts):
        _, best = alert.best()
        link = links.get(best.market)
        url = None if link is None else link(best)
        if url is not None and url.startswith(_SCHEMES):
            first.append(Key(label=speech.text("Open"), url=url))
    first.append(Key(label=speech.text("History"), data=encode(Button(action="history", id=message.id))))
    several = len(alert.parts) > 1
    pauses = [
        Key(
            label=_pause_label(speech, part.name or part.rule) if several else speech.text("Pause"),
            data=encode(Button(action="pause", id=part.watch_id)),
        )
        for part in alert.parts[:PAUSABLE]
    ]
    rest = Key(label=speech.text("Show all"), data=encode(Button(action="more", id=message.id)))
    rows = (tuple(first), *((key,) for key in pauses)) if several else ((*first, *pauses),)
    return (*rows, (rest,)) if _counts_only(alert) else rows


def _counts_only(alert: Alert) -> bool:
    """Whether an alert may name fewer offers or rules than it is for: those it counts can be asked for."""
    offers = {offer.key for part in alert.parts for offer in part.offers}
    counted = any(part.count > len(part.offers) for part in alert.parts)
    return counted or len(alert.parts) > PAUSABLE or len(offers) > CERTAIN


def _pause_label(speech: Speech, name: str) -> str:
    return speech.text("Pause {name}", name=clean(name, LABEL_UNITS))

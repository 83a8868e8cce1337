"""The buttons under an alert. Only what the bot can do stands there."""

from __future__ import annotations

from typing import Final

from bot.buttons import Button, encode
from bot.channels import Outgoing
from bot.conversation import Key
from bot.language import Speech
from bot.render.clean import clean
from bot.render.text import Links

LABEL_UNITS: Final = 30
PAUSABLE: Final = 3
"""Rules of one alert that get a button each; more would bury the message."""
_SCHEMES: Final = ("https://", "http://")


def alert_keys(message: Outgoing, *, links: Links, speech: Speech) -> tuple[tuple[Key, ...], ...]:
    """Open the best offer, its history, and a pause for each rule that the alert is for.

    History carries the number of the alert, pause the number of the rule.
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
    return (tuple(first), *((key,) for key in pauses)) if several else ((*first, *pauses),)


def _pause_label(speech: Speech, name: str) -> str:
    return speech.text("Pause {name}", name=clean(name, LABEL_UNITS))

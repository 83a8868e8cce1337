"""/history: price and supply of a card over the last seven days, as text."""

from __future__ import annotations

from typing import Final

from bot.commands.command import Command, Words
from bot.commands.keys import key, rows
from bot.commands.own_rules import own
from bot.commands.refusal import refused
from bot.commands.visit import Visit
from bot.conversation import Key, Outcome, Reply
from bot.language import Speech
from bot.questions import card_history, freshness_of
from bot.render.chat.history import history_html
from bot.render.chat.offers import Age
from bot.render.html import code, joined, phrase
from market.rule import CardChoice, RuleError
from storage.alertlog import LoggedAlert

DAYS: Final = 7
OFFERED: Final = 8
"""Cards that are offered as buttons."""


def answer(visit: Visit, argument: str) -> Outcome:
    """The history of a card or family; without one, ask which."""
    text = argument.strip()
    return of_text(visit, text) if text else _which(visit)


def of_text(visit: Visit, text: str, *, edits: bool = False) -> Outcome:
    """The history of the card that a text names."""
    try:
        choice = visit.product.rules.card(text)
    except RuleError as error:
        return refused(visit, error, "history", text, edits=edits)
    return _told(visit, choice, edits=edits)


def of_alert(visit: Visit, alert_id: int) -> Outcome:
    """The history of the card of an alert that this chat was sent."""
    alert = alert_of(visit, alert_id)
    if alert is None or alert.gpu is None:
        return Outcome(
            notice=visit.speech.text("This alert is too old; ask with {command}.", command=visit.slash("history"))
        )
    return _told(visit, CardChoice(name=alert.gpu, cards=frozenset({alert.gpu})))


def alert_of(visit: Visit, alert_id: int) -> LoggedAlert | None:
    """An alert of this chat by its number, while the log has it."""
    alert = visit.product.alert_log.one(alert_id)
    return alert if alert is not None and alert.chat == visit.chat else None


def _told(visit: Visit, choice: CardChoice, *, edits: bool = False) -> Outcome:
    product = visit.product
    name = choice.name if choice.vram_gb is None else f"{choice.name} {choice.vram_gb}GB"
    ages = [
        Age(
            market=market,
            answered_at=freshness_of(product, market).last_ok_at,
            stale_after_s=visit.stale_after_s,
        )
        for market in product.markets
    ]
    found = card_history(product, choice, days=DAYS)
    return Outcome(
        replies=(Reply(html=history_html(name, found, ages=ages, now=visit.now, speech=visit.speech), edits=edits),)
    )


def _which(visit: Visit) -> Outcome:
    names = dict.fromkeys(choice.name for watch in own(visit) for choice in watch.rule.choices)
    cards = tuple(names)[:OFFERED]
    example = code(f"{visit.slash('history')} RTX 4090")
    said = joined([phrase(visit.speech, "Of which card? Write it like this:"), example])
    keys: tuple[tuple[Key, ...], ...] = ()
    if cards:
        draft = visit.draft("history", "?", word="?", choices=cards)
        keys = rows([key(card, "draft", draft, str(index)) for index, card in enumerate(cards)], 2)
    return Outcome(replies=(Reply(html=said, keys=keys),))


def _words(speech: Speech) -> Words:
    return Words(
        usage=speech.text("CARD"),
        summary=speech.text("price and supply of a card over the last 7 days"),
        details=speech.text(
            "Says how often the card was on offer, where it stands now, and the range of its lowest price, looked at "
            "every 50 minutes. Time without answers is left out."
        ),
    )


HISTORY = Command(name="history", words=_words, example="RTX 4090", answer=answer)

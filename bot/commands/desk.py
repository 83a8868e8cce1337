"""The desk: finds the command that was asked for, runs it off the event loop, and answers whatever was written.

Nothing that a person writes or presses raises. When the database cannot be used, that is the answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from bot.commands import free_text, presses
from bot.commands.drafts import Drafts
from bot.commands.menu import COMMANDS, MENU
from bot.commands.names import known, nearest, slash, spoken
from bot.commands.visit import Visit, own_language, visit_of
from bot.conversation import Outcome, Press, Reply, Request, Speaker
from bot.language import Speech, speech_for
from bot.product import Product
from bot.render.clean import clean
from bot.render.facts import NAME_UNITS
from bot.render.html import bold, escape, joined, phrase
from storage.drafts import DraftBook
from storage.errors import StoreError

log = logging.getLogger(__name__)


class Commands:
    """The commands of the chat, for every channel: a `bot.conversation.Desk`."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._drafts = Drafts(DraftBook(product.store))

    def commands(self, language: str) -> tuple[tuple[str, str], ...]:
        """(name, one-line description) of every command, named in the language that it is described in."""
        speech = speech_for(language)
        return tuple((spoken(each.name, speech), each.words(speech).summary) for each in MENU)

    def known(self, word: str) -> str | None:
        """The English name of the command that a word names, in any language and case; None if there is none."""
        return known(word)

    async def answer(self, request: Request) -> Outcome:
        """Answer a command, or free text."""
        return await self._visited(request.speaker, lambda visit: _answered(visit, request))

    async def press(self, press: Press) -> Outcome:
        """Answer a pressed button."""
        return await self._visited(press.speaker, lambda visit: presses.pressed(visit, press))

    async def _visited(self, speaker: Speaker, work: Callable[[Visit], Outcome]) -> Outcome:
        def visited() -> Outcome:
            return work(visit_of(self._product, self._drafts, speaker))

        try:
            return await asyncio.to_thread(visited)
        except StoreError as error:
            log.error("a command was not answered: %s", error)
            return _no_store(speech_for(own_language(speaker.language) or self._product.settings.language))


def _answered(visit: Visit, request: Request) -> Outcome:
    if not request.command:
        return free_text.answer(visit, request.argument)
    name = known(request.command)
    return _unknown(visit, request.command) if name is None else COMMANDS[name].answer(visit, request.argument)


def _unknown(visit: Visit, word: str) -> Outcome:
    speech = visit.speech
    said = [
        phrase(
            speech,
            "I do not know {command}. {help} lists what I know.",
            command=bold(f"/{clean(word, NAME_UNITS)}"),
            help=visit.slash("help"),
        )
    ]
    near = nearest(word)
    if near is not None:
        said.append(phrase(speech, "Did you mean {command}?", command=slash(near, speech)))
    return Outcome(replies=(Reply(html=joined(said)),))


def _no_store(speech: Speech) -> Outcome:
    """Why it cannot be used stands in the log, for who can mend it."""
    notice = speech.text("The database cannot be used at the moment. Please try again.")
    return Outcome(replies=(Reply(html=escape(notice)),), notice=notice)

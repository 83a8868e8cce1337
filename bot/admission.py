"""The lists of the configuration applied to the rules that are stored: who was taken off them is told nothing more."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import tzinfo

from bot.access import Access
from bot.language import Speech
from bot.notice import Notice
from bot.product import Product
from storage.admission import Admitted, admit, authors, resting

log = logging.getLogger(__name__)


def admit_listed(product: Product, access: Access) -> Admitted:
    """Let rest the rules of chats that are not allowed any more, and go on those that are again. Blocks."""
    access.remember(authors(product.store))
    admitted = _admit(product, access.serves)
    access.note_lists()
    return admitted


def admit_all(product: Product) -> Admitted:
    """Without Telegram there are no lists: every rule goes on. Blocks."""
    return _admit(product, lambda chat, author: True)


def _admit(product: Product, serves: Callable[[str, str | None], bool | None]) -> Admitted:
    admitted = admit(product.store, serves, product.clock.now())
    if admitted.resting:
        log.warning("%d rules rest: their chats are not on the lists any more", admitted.resting)
    if admitted.going_on:
        log.info("%d rules go on: their chats are on the lists again", admitted.going_on)
    return admitted


def resting_notice(product: Product) -> Notice:
    """What the owner is told of the rules that rest so. Blocks."""
    chats = resting(product.store)

    def said(speech: Speech, zone: tzinfo) -> str:
        named = ", ".join(f"{chat} ({speech.count(rules)})" for chat, rules in chats.items())
        return speech.plural(
            "{n} rule rests: its chat is not on the bot's list any more. {chats}",
            "{n} rules rest: their chats are not on the bot's list any more. {chats}",
            sum(chats.values()),
            chats=named,
        )

    return said

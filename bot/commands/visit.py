"""One person speaking in one chat at one moment: all that a command is given.

At first contact a chat gets the language of who speaks, if it is one of ours, and keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.commands.drafts import Draft, Drafts, Purpose
from bot.commands.names import slash
from bot.conversation import Speaker
from bot.language import Language, Speech, speech_for
from bot.product import Product
from bot.questions import STALE_GAPS
from bot.rulecheck import check_supported
from market.grammar import read_rule
from market.rule import Rule
from storage.chats import Chat


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """What a command works with. Its methods block: commands run in a worker thread."""

    product: Product
    drafts: Drafts
    speaker: Speaker
    speech: Speech
    zone: ZoneInfo
    now: datetime

    @property
    def chat(self) -> str:
        """The chat that is spoken in."""
        return self.speaker.chat

    @property
    def stale_after_s(self) -> float:
        """From this age on, an answer is called old."""
        return STALE_GAPS * self.product.settings.scan.slowest_seconds

    def rule(self, text: str) -> Rule:
        """The rule that a text says, its dates read in the zone of the chat. Raises RuleError."""
        today = self.now.astimezone(self.zone).date()
        rule = read_rule(text, catalogue=self.product.rules.catalogue(), today=today)
        check_supported(rule)
        return rule

    def slash(self, command: str) -> str:
        """A command as this chat would send it."""
        return slash(command, self.speech)

    def draft(
        self, purpose: Purpose, text: str, *, word: str = "", choices: tuple[str, ...] = (), watch_id: int = 0
    ) -> int:
        """Keep a text for the buttons under the answer; the id of the draft."""
        draft = Draft(purpose=purpose, text=text, word=word, choices=choices, watch_id=watch_id)
        return self.drafts.keep(self.chat, draft, self.now)


def visit_of(product: Product, drafts: Drafts, speaker: Speaker) -> Visit:
    """The visit of who speaks now. A chat that could not be reached before is reached again. Raises StoreError."""
    now = product.clock.now()
    before = product.chats.get(speaker.chat) or Chat(chat=speaker.chat)
    chat = replace(before, state="active", language=before.language or own_language(speaker.language))
    if chat != before:
        product.chats.put(chat, now)
    return Visit(
        product=product,
        drafts=drafts,
        speaker=speaker,
        speech=speech_for(chat.language or product.settings.language),
        zone=ZoneInfo(chat.timezone) if chat.timezone else product.zone,
        now=now,
    )


def own_language(code: str | None) -> Language | None:
    """The language of ours that a channel's code means; None for another one, or none."""
    primary = (code or "").lower().replace("-", "_").partition("_")[0]
    if primary == "pt":
        return "pt_BR"
    return "en" if primary == "en" else None

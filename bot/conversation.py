"""What passes between a chat and the commands: no Telegram here, so that a terminal speaks the same language.

A channel turns what it receives into a `Request` or a `Press`, checks access, asks the `Desk`, and shows the replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """Who speaks, and where. Ids are decimal text; a terminal is the chat `terminal` and its own owner."""

    chat: str
    user: str
    name: str = ""
    """As the person calls themselves: untrusted text."""
    language: str | None = None
    """The language code that the channel tells, if any."""
    is_owner: bool = False
    is_group: bool = False
    leaving: bool = False
    """Not on the lists any more: may see, pause and delete the rules that are this person's own, and nothing else."""
    topic: str | None = None
    """Of a chat that has topics: the one spoken in, where answers and the alerts of rules made here go."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A command with its argument, such as `watch` and `RTX 4090 <=0.40`; free text has the command ``""."""

    speaker: Speaker
    command: str
    argument: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """A button under a message: it opens a link, or sends its data back."""

    label: str
    data: str | None = None
    url: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Press:
    """A button that was pressed on a message of ours."""

    speaker: Speaker
    data: str
    """The button's own data, untrusted: an old or invented press is harmless."""
    message_id: str
    at: datetime
    keys: tuple[tuple[Key, ...], ...] = ()
    """The buttons of that message, where the channel knows them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One message to show. `html` is the small HTML that Telegram allows, within its limits."""

    html: str
    keys: tuple[tuple[Key, ...], ...] = ()
    """Rows of buttons."""
    edits: bool = False
    """Replace the message whose button was pressed instead of sending a new one."""
    keys_only: bool = False
    """Replace only the buttons of the message whose button was pressed; its text stays, and `html` is not read."""
    silent: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What follows from a request or a press: messages in order, and for a press a short notice."""

    replies: tuple[Reply, ...] = ()
    notice: str = ""
    """At most 200 characters, shown briefly to who pressed."""


class Desk(Protocol):
    """The commands. Never raises for what a person wrote: a mistake is an answer that says how to mend it."""

    def commands(self, language: str) -> tuple[tuple[str, str], ...]:
        """(name, one-line description) of every command, for menus and help, in `en` or `pt_BR`."""

    def known(self, word: str) -> str | None:
        """The command that a word names, in any language and case; None if there is none."""

    async def answer(self, request: Request) -> Outcome:
        """Answer a command, or free text."""

    async def press(self, press: Press) -> Outcome:
        """Answer a pressed button."""

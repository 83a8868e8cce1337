"""What a chat shows, as lines of text. Buttons get numbers, so that they can be pressed by typing one."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TextIO

from bot.conversation import Key, Reply
from bot.language import Speech, speech_for
from bot.render.clean import printable

_TAG = re.compile(r"<[^>]*>")
_ALERT = "alert "
"""Begins the id of a message that is an alert: its number follows, which holds after a restart too."""


def alert_id(number: str) -> str:
    """The id that the message of an alert has on a screen."""
    return _ALERT + number


def plain(markup: str) -> str:
    """Telegram HTML as text: what is seen of it, on lines of its own."""
    return "\n".join(printable(line) for line in html.unescape(_TAG.sub("", markup)).split("\n"))


class Screen:
    """Prints messages one after another; an edit is printed as what it changes, without a sound."""

    def __init__(self, stream: TextIO, *, who: str = "atalaia", speech: Speech | None = None) -> None:
        self._stream = stream
        self._who = who
        self._speech = speech or speech_for("en")
        self._last = 0
        self._numbers = 0
        self._keys: dict[int, tuple[str, str]] = {}

    def line(self, text: str = "") -> None:
        """A line that is no message."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def show(self, reply: Reply, *, edits: str | None = None) -> str:
        """Print a message with its buttons; its id."""
        return self.write(plain(reply.html), reply.keys, edits=edits if reply.edits else None)

    def write(
        self, text: str, keys: Sequence[Sequence[Key]] = (), *, alert: str | None = None, edits: str | None = None
    ) -> str:
        """Print a message given as text, `alert` being the number of the alert that it is.

        Gives its id, which is that of the edited one when it is an edit.
        """
        message_id = edits or (self._next() if alert is None else alert_id(alert))
        label = self._who if edits is None else f"{self._who} ({self._changed(edits)})"
        lines = text.split("\n")
        self.line(f"{label}> {lines[0]}")
        for each in lines[1:]:
            self.line(f"  {each}" if each else "")
        for row in keys:
            shown = [self._key(key, message_id) for key in row if key.url is None or key.url not in text]
            if shown:
                self.line("  " + "  ".join(shown))
        self.line()
        return message_id

    def pressed(self, number: int) -> tuple[str, str] | None:
        """(message id, data) of the button with this number; None if there is none."""
        return self._keys.get(number)

    def no_button(self, number: int) -> None:
        """Say that no button has this number."""
        self.line(self._speech.text("there is no button {number}", number=number))

    def typed(self, line: str) -> None:
        """A line as if a person had typed it."""
        self.line(self.prompt + line)

    @property
    def prompt(self) -> str:
        """What stands before what a person types."""
        return self._speech.text("you") + "> "

    def _next(self) -> str:
        self._last += 1
        return str(self._last)

    def _changed(self, message_id: str) -> str:
        if message_id.startswith(_ALERT):
            return self._speech.text("alert {number}, changed", number=message_id.removeprefix(_ALERT))
        return self._speech.text("changed")

    def _key(self, key: Key, message_id: str) -> str:
        label = printable(key.label)
        if key.data is None:
            return f"[{label}: {key.url}]"
        self._numbers += 1
        self._keys[self._numbers] = (message_id, key.data)
        return f"[{self._numbers}: {label}]"

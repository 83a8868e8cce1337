"""Telegram HTML: text made safe, and messages built from whole rows so that no row and no tag is ever cut.

`Html` is text that is already safe; everything else is escaped on its way in. It refuses to exceed what Telegram takes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.language import Speech
from bot.render.clean import clean, cut, printable, units

TEXT_UNITS: Final = 4096
"""The longest message, in UTF-16 units of what is seen, after the entities are parsed."""
RAW_BYTES: Final = 32_000
"""The longest message with its markup; Telegram cuts a little above."""
ENTITIES: Final = 100
"""Telegram drops the formatting, links included, beyond so many."""
URL_CHARACTERS: Final = 2000
VALUE_UNITS: Final = 500
"""The longest value put into a phrase."""

_TAG = re.compile(r"<[^>]*>")
_START_TAG = re.compile(r"<[a-z]")
_URL = re.compile(r"https?://[\x21-\x7e]+")


class Html(str):
    """Text that is valid Telegram HTML as it stands."""

    __slots__ = ()


BLANK: Final = Html()
"""An empty line, where rows are joined."""


def escape(text: str) -> Html:
    """Any text as HTML that shows it; lines stay lines, other control and invisible characters go."""
    return Html("\n".join(html.escape(printable(line), quote=False) for line in text.split("\n")))


def phrase(speech: Speech, msgid: str, /, **values: object) -> Html:
    """A message in this language with values put in: `Html` as it is, all else cleaned, capped and escaped."""
    return _filled(speech.template(msgid), values)


def phrases(speech: Speech, singular: str, plural: str, n: int, /, **values: object) -> Html:
    """A message in the form that goes with `n`, which is written as `{n}`; values as in `phrase`."""
    return _filled(speech.template(singular, plural, n), {"n": speech.count(n), **values})


def bold(text: str) -> Html:
    """Bold."""
    return _tagged("b", text)


def struck(text: str) -> Html:
    """Struck through."""
    return _tagged("s", text)


def code(text: str) -> Html:
    """Fixed width, copied by a tap; Telegram allows nothing inside it."""
    return Html(f"<code>{escape(visible(text) if isinstance(text, Html) else text)}</code>")


def link(url: str | None, text: str) -> Html:
    """The text as a link; as plain text when the address is not one that can be sent."""
    if url is None or len(url) > URL_CHARACTERS or not _URL.fullmatch(url):
        return _safe(text)
    return Html(f'<a href="{html.escape(url)}">{_safe(text)}</a>')


def joined(parts: Sequence[str], by: str = "\n") -> Html:
    """Parts one after another, empty ones left out; what is not `Html` is escaped."""
    return Html(escape(by).join("" if part is BLANK else _safe(part) for part in parts if part or part is BLANK))


def visible(markup: str) -> str:
    """What is seen of safe HTML."""
    return html.unescape(_TAG.sub("", markup))


def fits(message: str) -> bool:
    """Whether Telegram takes it whole, in one message, with all its formatting."""
    return _Size.of(message).fits(_WHOLE)


def fitted(head: Sequence[Html], rows: Sequence[Html], tail: Callable[[int], Sequence[Html]]) -> Html:
    """One message of the head, as many whole rows as fit, and the tail; `tail(n)` is told how many rows are shown."""
    for shown in range(len(rows), 0, -1):
        message = joined([*head, *rows[:shown], *tail(shown)])
        if fits(message):
            return message
    return _shortened(joined([*head, *tail(0)]), _WHOLE)


def pages(rows: Sequence[Html], head: Html | None = None, foot: Html | None = None) -> list[Html]:
    """A list as messages that each fit: every row once, whole and in order, the head and the foot on each page.

    No rows gives one page of the head and the foot; nothing at all gives none. A row that alone is more than a message
    loses its formatting and is cut visibly; a head or foot may take a quarter.
    """
    above, below = (_shortened(each or BLANK, _QUARTER) for each in (head, foot))
    frame = _Size.of(above) + _Size.of(below)
    done: list[list[Html]] = [[]]
    size = frame
    for row in rows:
        grown = size + _Size.of(row)
        if not grown.fits(_WHOLE) and done[-1]:
            done.append([])
            grown = frame + _Size.of(row)
        if not grown.fits(_WHOLE):
            whole = _shortened(row, _WHOLE - frame)
            grown = frame + _Size.of(whole)
        else:
            whole = row
        done[-1].append(whole)
        size = grown
    return [page for each in done if (page := joined([*filter(None, [above]), *each, *filter(None, [below])]))]


@dataclass(frozen=True, slots=True)
class _Size:
    """What a piece takes of a message, the line break after it included."""

    units: int
    bytes: int
    entities: int

    @classmethod
    def of(cls, markup: str) -> _Size:
        return cls(units(visible(markup)) + 1, len(markup.encode()) + 1, len(_START_TAG.findall(markup)))

    def __add__(self, other: _Size) -> _Size:
        return _Size(self.units + other.units, self.bytes + other.bytes, self.entities + other.entities)

    def __sub__(self, other: _Size) -> _Size:
        return _Size(self.units - other.units, self.bytes - other.bytes, self.entities - other.entities)

    def fits(self, room: _Size) -> bool:
        return self.units <= room.units and self.bytes <= room.bytes and self.entities <= room.entities


_WHOLE = _Size(TEXT_UNITS + 1, RAW_BYTES, ENTITIES)
_QUARTER = _Size(TEXT_UNITS // 4, RAW_BYTES // 4, ENTITIES // 4)


def _shortened(markup: Html, room: _Size) -> Html:
    """The markup, or its text alone, cut to the room; a unit is at most five bytes, so the bytes then fit too."""
    return markup if _Size.of(markup).fits(room) else escape(cut(visible(markup), room.units - 1))


def _filled(template: str, values: Mapping[str, object]) -> Html:
    return Html(escape(template).format_map({name: _value(each) for name, each in values.items()}))


def _tagged(tag: str, text: str) -> Html:
    return Html(f"<{tag}>{_safe(text)}</{tag}>")


def _safe(text: str) -> Html:
    return text if isinstance(text, Html) else escape(text)


def _value(value: object) -> Html:
    return value if isinstance(value, Html) else escape(clean(str(value), VALUE_UNITS))

"""The languages of the product: English, which is the source, and Brazilian Portuguese.

A `Speech` is a language in use: it translates messages, chooses plural forms and writes numbers and times. Catalogues
are read from the shipped `.po` files, so nothing has to be compiled; `python -m bot.locale.update` keeps them in step
with the code. It refuses to translate what is put together at run time: every message is a literal in the code.
"""

from __future__ import annotations

import functools
import gettext
import io
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from importlib import resources
from typing import Final, Literal, get_args

from babel.dates import format_skeleton, get_timezone_location
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.render import numbers

Language = Literal["en", "pt_BR"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


@dataclass(frozen=True, slots=True)
class Speech:
    """One language, ready to speak. Equal when the language is."""

    language: Language
    _catalogue: gettext.NullTranslations = field(repr=False, compare=False)

    def template(self, msgid: str, plural: str | None = None, n: int = 1) -> str:
        """The translated message with its `{places}` still open, for renderers that must escape it first."""
        return self._catalogue.gettext(msgid) if plural is None else self._catalogue.ngettext(msgid, plural, n)

    def text(self, msgid: str, /, **values: object) -> str:
        """The message in this language; `{name}` in it is filled from the values."""
        return self.template(msgid).format_map(values)

    def plural(self, singular: str, plural: str, n: int, /, **values: object) -> str:
        """The message in the form that goes with `n`, which is written as `{n}`."""
        return self.template(singular, plural, n).format_map({"n": self.count(n), **values})

    def usd(self, micro_dollars: int) -> str:
        """Micro-dollars with their currency: `US$ 0.3500`, `US$ 0,3500`."""
        return numbers.usd(micro_dollars, self.language)

    def percent(self, ppm: int) -> str:
        """Parts per million as per cent: `97.0 %`, `97,0 %`."""
        return numbers.percent(ppm, self.language)

    def count(self, n: int) -> str:
        """A number of things: `1,234`, `1.234`."""
        return numbers.count(n, self.language)

    def span(self, seconds: float) -> str:
        """A length of time: `1 h 35 min`."""
        return numbers.span(seconds)

    def ago(self, seconds: float) -> str:
        """An age: `3 s ago`, `há 3 s`."""
        return self.text("{span} ago", span=self.span(seconds))

    def when(self, at: datetime, zone: tzinfo, *, now: datetime | None = None) -> str:
        """A time of day that names its zone: `09:00 (São Paulo)`; with `now`, the date too if it is another day.

        `at` and `now` are aware; a naive one raises ValueError, since its zone would be a guess.
        """
        if at.tzinfo is None or (now is not None and now.tzinfo is None):
            raise ValueError("a time without a zone cannot be shown")
        local = at.astimezone(zone)
        text = f"{local:%H:%M} ({self._zone_name(local, zone)})"
        if now is None or now.astimezone(zone).date() == local.date():
            return text
        skeleton = "MMMd" if now.astimezone(zone).year == local.year else "yMMMd"
        return f"{format_skeleton(skeleton, local, locale=self.language)}, {text}"

    def _zone_name(self, local: datetime, zone: tzinfo) -> str:
        key = getattr(zone, "key", None)
        if key is None or key.startswith("Etc/"):  # "Etc/GMT+3" is three hours WEST: its own name misleads
            return _offset_name(local)
        return get_timezone_location(zone, locale=self.language, return_city=True)


def _offset_name(local: datetime) -> str:
    offset = local.strftime("%z")
    return "UTC" if offset.strip("+-0") == "" else f"UTC{offset[:3]}:{offset[3:5]}"


def speech_for(code: str | None) -> Speech:
    """The speech for a language of the configuration or a code that Telegram reports (`pt`, `pt-br`, `en-US`).

    Every Portuguese is served the Brazilian one; anything unknown is English.
    """
    primary = (code or "").strip().lower().replace("-", "_").partition("_")[0]
    return _speech("pt_BR" if primary == "pt" else "en")


@functools.cache
def _speech(language: Language) -> Speech:
    if language == "en":
        return Speech(language, gettext.NullTranslations())
    source = resources.files("bot.locale").joinpath(language, "LC_MESSAGES", "atalaia.po")
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(source.read_bytes()), locale=language))
    compiled.seek(0)
    return Speech(language, gettext.GNUTranslations(compiled))

"""The HTML parse mode, as strict as the official server and with its words for what it refuses.

It speaks of byte offsets into the UTF-8 text. Whether a link leads anywhere it does not judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.fakes.botapi.formatted import Entity, FormattedText, utf16_length
from tests.fakes.botapi.refusals import unparsable

_ENTITY_OF = {
    "a": "text_link",
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "u": "underline",
    "ins": "underline",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "pre": "pre",
    "code": "code",
    "blockquote": "blockquote",
}
_SPACES = re.compile(rb"[ \t\r\n\0\v]*")
_TAG_NAME = re.compile(rb"[^ \t\r\n\0\v>]*")
_ATTRIBUTE_NAME = re.compile(rb"[^ \t\r\n\0\v=>]*")
_BARE_VALUE = re.compile(rb"[A-Za-z0-9.-]*")
_PLAIN = re.compile(rb"[^<]*")
_CHARACTER = re.compile(rb"&(?:#x([0-9A-Fa-f]{1,8})|#([0-9]{1,9})|([A-Za-z]+));?")
_NAMED = {b"lt": "<", b"gt": ">", b"amp": "&", b"quot": '"'}


def parse_html(source: str) -> FormattedText:
    """Plain text and entities. Raises Refusal (400, can't parse entities)."""
    return _Reader(source.encode("utf-8")).read()


@dataclass(frozen=True, slots=True)
class _OpenTag:
    name: str
    offset: int
    attributes: dict[str, str]


class _Reader:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._at = 0
        self._text: list[str] = []
        self._units = 0
        self._open: list[_OpenTag] = []
        self._entities: list[Entity] = []

    def read(self) -> FormattedText:
        while self._at < len(self._source):
            if self._next() != b"<":
                self._add(_character_references(self._take(_PLAIN)))
            elif self._source[self._at + 1 : self._at + 2] == b"/":
                self._close_tag()
            else:
                self._open_tag()
        if self._open:
            raise unparsable(f'Can\'t find end tag corresponding to start tag "{self._open[-1].name}"')
        ordered = sorted(self._entities, key=lambda entity: (entity.offset, -entity.length))
        return FormattedText("".join(self._text), tuple(ordered))

    def _next(self) -> bytes:
        return self._source[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[bytes]) -> bytes:
        found = pattern.match(self._source, self._at)
        if found is None:
            return b""
        self._at = found.end()
        return found.group()

    def _add(self, text: str) -> None:
        self._text.append(text)
        self._units += utf16_length(text)

    def _open_tag(self) -> None:
        begin = self._at
        self._at += 1
        name = self._take(_TAG_NAME).decode().lower()
        if not self._next():
            raise unparsable(f"Unclosed start tag at byte offset {begin}")
        if name not in _ENTITY_OF:
            raise unparsable(f'Unsupported start tag "{name}" at byte offset {begin}')
        attributes: dict[str, str] = {}
        while True:
            self._take(_SPACES)
            if self._next() == b">":
                self._at += 1
                break
            if not self._next():
                raise unparsable(f'Unclosed start tag "{name}" at byte offset {begin}')
            key, value = self._attribute(name, begin)
            attributes[key] = value
        if name == "span" and attributes.get("class") != "tg-spoiler":
            raise unparsable(f'Tag "span" must have class "tg-spoiler" at byte offset {begin}')
        self._open.append(_OpenTag(name, self._units, attributes))

    def _attribute(self, tag: str, begin: int) -> tuple[str, str]:
        key = self._take(_ATTRIBUTE_NAME).decode().lower()
        if not key:
            raise unparsable(f'Empty attribute name in the tag "{tag}" at byte offset {begin}')
        self._take(_SPACES)
        if self._next() != b"=":
            if tag == "blockquote" and key == "expandable":
                return key, ""
            if not self._next():
                raise unparsable(f'Unclosed start tag "{tag}" at byte offset {begin}')
            raise unparsable(
                f'Expected equal sign in declaration of an attribute of the tag "{tag}" at byte offset {begin}'
            )
        self._at += 1
        self._take(_SPACES)
        if not self._next():
            raise unparsable(f'Unclosed start tag "{tag}" at byte offset {begin}')
        return key, self._value(begin)

    def _value(self, begin: int) -> str:
        start = self._at
        quote = self._next()
        if quote not in (b'"', b"'"):
            bare = self._take(_BARE_VALUE).decode()
            if self._next() != b">" and not self._take(_SPACES):
                raise unparsable(f"Unexpected end of name token at byte offset {start}")
            return bare
        end = self._source.find(quote, start + 1)
        if end < 0:
            raise unparsable(f"Unclosed start tag at byte offset {begin}")
        self._at = end + 1
        return _character_references(self._source[start + 1 : end])

    def _close_tag(self) -> None:
        begin = self._at
        if not self._open:
            raise unparsable(f"Unexpected end tag at byte offset {begin}")
        self._at += 2
        name = self._take(_TAG_NAME).decode().lower()
        self._take(_SPACES)
        if self._next() != b">":
            raise unparsable(f"Unclosed end tag at byte offset {begin}")
        self._at += 1
        opened = self._open.pop()
        if name not in ("", opened.name):
            raise unparsable(
                f'Unmatched end tag at byte offset {begin}, expected "</{opened.name}>", found "</{name}>"'
            )
        if self._units > opened.offset:
            self._mark(opened)

    def _mark(self, tag: _OpenTag) -> None:
        length = self._units - tag.offset
        kind = _ENTITY_OF[tag.name]
        if tag.name == "a":
            text = "".join(self._text)[-length:]
            if url := tag.attributes.get("href", text if "." in text else ""):
                self._entities.append(Entity(kind, tag.offset, length, url=url))
            return
        if tag.name == "blockquote" and "expandable" in tag.attributes:
            kind = "expandable_blockquote"
        language = None
        if tag.name == "code" and self._open and self._open[-1].name == "pre":
            language = tag.attributes.get("class", "").removeprefix("language-") or None
        if tag.name == "pre" and self._entities:
            inner = self._entities[-1]
            if inner.language and (inner.offset, inner.length) == (tag.offset, length):
                language = self._entities.pop().language
        self._entities.append(Entity(kind, tag.offset, length, language=language))


def _character_references(source: bytes) -> str:
    """Text of `source` with the references that the server knows; others stay as they are written."""
    return _CHARACTER.sub(_decoded, source).decode()


def _decoded(reference: re.Match[bytes]) -> bytes:
    hexadecimal, decimal, name = reference.groups()
    if name is not None:
        known = _NAMED.get(name)
        return reference.group() if known is None else known.encode()
    code = int(hexadecimal, 16) if hexadecimal is not None else int(decimal)
    if 0xD800 <= code <= 0xDFFF:
        raise unparsable(
            "Text contains invalid Unicode characters after decoding HTML entities, "
            "check for unmatched surrogate code units"
        )
    return chr(code).encode() if 0 < code <= 0x10FFFF else reference.group()

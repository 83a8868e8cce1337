"""Text with entities, counted as Telegram counts it: in UTF-16 code units."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

_COMMAND = re.compile(r"(?<![\w/])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])")


def utf16_length(text: str) -> int:
    """Code units of `text`: a character outside the basic plane counts twice."""
    return len(text) + sum(character > "\uffff" for character in text)


@dataclass(frozen=True, slots=True)
class Entity:
    """A style over part of a text; offset and length in UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"type": self.type, "offset": self.offset, "length": self.length}
        if self.url is not None:
            body["url"] = self.url
        if self.language is not None:
            body["language"] = self.language
        return body


@dataclass(frozen=True, slots=True)
class FormattedText:
    """What a person sees, and where it is styled."""

    text: str = ""
    entities: tuple[Entity, ...] = ()

    def __len__(self) -> int:
        return utf16_length(self.text)

    def part(self, entity: Entity) -> str:
        """The piece of text that an entity covers."""
        units = self.text.encode("utf-16-le")
        return units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")

    def styled(self, type_: str) -> list[str]:
        """Every piece of text with an entity of that type, such as "code" or "bold"."""
        return [self.part(entity) for entity in self.entities if entity.type == type_]

    def trimmed(self) -> FormattedText:
        """Without white space at both ends, as the server stores it."""
        text = self.text.strip()
        lead = utf16_length(self.text) - utf16_length(self.text.lstrip())
        size = utf16_length(text)
        kept = []
        for entity in self.entities:
            start = max(entity.offset - lead, 0)
            end = min(entity.offset - lead + entity.length, size)
            if end > start:
                kept.append(replace(entity, offset=start, length=end - start))
        return FormattedText(text, tuple(kept))


def typed_by_person(text: str) -> FormattedText:
    """Text as a client sends it: trimmed, commands marked wherever they stand."""
    stripped = text.strip()
    marks = [
        Entity("bot_command", utf16_length(stripped[: found.start()]), utf16_length(found.group()))
        for found in _COMMAND.finditer(stripped)
    ]
    return FormattedText(stripped, tuple(marks))


def from_entities(text: str, raw: list[dict[str, Any]]) -> FormattedText:
    """Text that came with explicit entities instead of a parse mode."""
    entities = [
        Entity(str(one["type"]), int(one["offset"]), int(one["length"]), one.get("url"), one.get("language"))
        for one in raw
    ]
    return FormattedText(text, tuple(sorted(entities, key=lambda one: (one.offset, -one.length))))

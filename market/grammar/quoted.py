"""The name of a rule: any characters up to forty, in quotation marks where spaces or commas are among them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from market.grammar import problems
from market.grammar.cursor import BOUNDARY, Cursor, refusal
from market.names import seen_name

LONGEST: Final = 40
_EXAMPLE: Final = 'name:"night run"'
_DOUBLE: Final = '"“”„'
_SINGLE: Final = "'‘’"
_PLAIN: Final = re.compile(rf"[^\s,\\{_DOUBLE}{_SINGLE}<≤×]+")
_BARE: Final = re.compile(rf"[^\s,{_DOUBLE}]+")
_BOUNDARY: Final = re.compile(BOUNDARY)


def take_name_value(cursor: Cursor) -> str:
    """The name at the cursor, as it is seen. Raises RuleError."""
    start = cursor.at
    mark = cursor.text[start : start + 1]
    if mark and mark in _DOUBLE + _SINGLE:
        name = _take_quoted(cursor, _DOUBLE if mark in _DOUBLE else _SINGLE)
    else:
        found = cursor.take(_BARE)
        name = cursor.raw[start : cursor.at] if found else ""
    if not cursor.peek(_BOUNDARY):
        raise refusal(cursor.raw[start:].split(" ")[0], problems.NAME_NEEDS_QUOTES, _EXAMPLE)
    name = seen_name(name)
    if not name:
        raise refusal("name:", problems.NAME_EMPTY, _EXAMPLE)
    if len(name) > LONGEST:
        raise refusal(name, problems.NAME_TOO_LONG, _EXAMPLE)
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in name):
        raise refusal(name, problems.NAME_UNSEEN, _EXAMPLE)
    return name


def _take_quoted(cursor: Cursor, marks: str) -> str:
    start = cursor.at
    name: list[str] = []
    at = start + 1
    while at < len(cursor.raw):
        char = cursor.raw[at]
        if char in marks:
            cursor.at = at + 1
            return "".join(name)
        if char == "\\" and at + 1 < len(cursor.raw):
            at += 1
            char = cursor.raw[at]
        name.append(char)
        at += 1
    raise refusal(cursor.raw[start:], problems.NAME_UNCLOSED, _EXAMPLE)


def quoted(name: str) -> str:
    """A name as `take_name_value` reads it back."""
    if _PLAIN.fullmatch(name):
        return name
    return '"' + re.sub(rf"[\\{_DOUBLE}]", lambda mark: "\\" + mark.group(), name) + '"'

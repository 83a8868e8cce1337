"""Reads the part of GraphQL that catalogue queries use: one query with aliases, arguments and variables.

Fragments and directives are refused: no catalogue query needs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_TOKEN: Final = re.compile(
    r"""[\s,\ufeff]*(?:\#[^\n]*[\s,]*)*(?:(?P<mark>\.\.\.|[{}()\[\]:!$=@|&])|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<text>"(?:[^"\\\n]|\\.)*"))""",
    re.ASCII,
)
_DEEPEST: Final = 12


class DocumentError(ValueError):
    """A document that cannot be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One selected field."""

    name: str
    alias: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """The one operation of a document."""

    kind: str
    fields: tuple[Field, ...]


def read_operation(document: str, variables: Mapping[str, Any]) -> Operation:
    """The operation with its variables filled in; DocumentError when it cannot be read."""
    return _Reader(document, variables).operation()


class _Reader:
    def __init__(self, document: str, variables: Mapping[str, Any]) -> None:
        self._tokens = _split(document)
        self._at = 0
        self._variables = dict(variables)

    def operation(self) -> Operation:
        kind = "query"
        if self._peek() != "{":
            kind = self._name()
            if kind not in ("query", "mutation", "subscription"):
                raise DocumentError(f'Syntax Error: Unexpected Name "{kind}".')
            if self._peek() not in ("(", "{"):
                self._name()
            if self._peek() == "(":
                self._definitions()
        fields = self._fields(0)
        if self._at != len(self._tokens):
            raise DocumentError(f"Syntax Error: Unexpected {self._peek()!r}.")
        return Operation(kind=kind, fields=fields)

    def _definitions(self) -> None:
        self._expect("(")
        while self._peek() != ")":
            self._expect("$")
            name = self._name()
            self._expect(":")
            while self._peek() not in ("$", ")", "="):
                self._next()
            if self._peek() == "=":
                self._next()
                default = self._value(0)
                self._variables.setdefault(name, default)
            else:
                self._variables.setdefault(name, None)
        self._expect(")")

    def _fields(self, depth: int) -> tuple[Field, ...]:
        if depth > _DEEPEST:
            raise DocumentError("Query is nested too deeply.")
        self._expect("{")
        fields = []
        while self._peek() != "}":
            alias = name = self._name()
            if self._peek() == ":":
                self._next()
                name = self._name()
            arguments = self._arguments() if self._peek() == "(" else {}
            below = self._fields(depth + 1) if self._peek() == "{" else ()
            fields.append(Field(name=name, alias=alias, arguments=arguments, fields=below))
        self._expect("}")
        if not fields:
            raise DocumentError('Syntax Error: Expected Name, found "}".')
        return tuple(fields)

    def _arguments(self) -> dict[str, Any]:
        self._expect("(")
        found = self._pairs(")", 0)
        self._expect(")")
        return found

    def _pairs(self, end: str, depth: int) -> dict[str, Any]:
        found = {}
        while self._peek() != end:
            name = self._name()
            self._expect(":")
            found[name] = self._value(depth)
        return found

    def _value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise DocumentError("Query is nested too deeply.")
        word = self._next()
        if word == "$":
            name = self._name()
            if name not in self._variables:
                raise DocumentError(f'Variable "${name}" is not defined.')
            return self._variables[name]
        if word == "{":
            found = self._pairs("}", depth + 1)
            self._expect("}")
            return found
        if word == "[":
            values = []
            while self._peek() != "]":
                values.append(self._value(depth + 1))
            self._expect("]")
            return values
        if word in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[word]
        if word[0] in '"-0123456789':
            return json.loads(word)
        if word[0].isalpha() or word[0] == "_":
            return word
        raise DocumentError(f"Syntax Error: Unexpected {word!r}.")

    def _peek(self) -> str:
        if self._at >= len(self._tokens):
            raise DocumentError("Syntax Error: Unexpected <EOF>.")
        return self._tokens[self._at]

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, mark: str) -> None:
        token = self._next()
        if token != mark:
            raise DocumentError(f'Syntax Error: Expected "{mark}", found {token!r}.')

    def _name(self) -> str:
        token = self._next()
        if not re.fullmatch(r"[A-Za-z_]\w*", token, re.ASCII):
            raise DocumentError(f"Syntax Error: Expected Name, found {token!r}.")
        return token


def _split(document: str) -> list[str]:
    tokens, at = [], 0
    end = len(re.sub(r"(?:[\s,]|#[^\n]*$)+\Z", "", document))
    while at < end:
        match = _TOKEN.match(document, at)
        if match is None:
            raise DocumentError(f"Syntax Error: Unexpected character at {at}.")
        tokens.append(match.group(match.lastgroup or 0))
        at = match.end()
    return tokens

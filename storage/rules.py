"""Reading stored rule texts, each once: a rule is text in the database and a record everywhere else."""

from __future__ import annotations

from collections.abc import Callable

from market.rule import Rule, RuleError

_MOST = 100_000


class RuleShelf:
    """Rules by their text. `read` is the grammar; it may raise RuleError, which is kept as the answer."""

    def __init__(self, read: Callable[[str], Rule]) -> None:
        self._read = read
        self._rules: dict[str, Rule | RuleError] = {}

    def rule(self, text: str) -> Rule:
        """The rule of a text. Raises RuleError."""
        found = self._rules.get(text)
        if found is None:
            try:
                found = self._read(text)
            except RuleError as error:
                found = error
            if len(self._rules) >= _MOST:
                self._rules.clear()
            self._rules[text] = found
        if isinstance(found, RuleError):
            raise found
        return found

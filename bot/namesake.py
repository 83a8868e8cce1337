"""One name, one rule: within a chat a name that two rules bear would find neither of them.

It judges rules as they are made or renamed; rules of the configuration file go by the file's own names.
"""

from __future__ import annotations

from collections.abc import Iterable

from market.names import look
from market.watch import Watch


def namesake(watches: Iterable[Watch], name: str | None, *, besides: int | None = None) -> Watch | None:
    """The rule among these, other than number `besides`, that bears a name that looks the same; None if none does."""
    wanted = look(name)
    if not wanted:
        return None
    return next((each for each in watches if each.id != besides and look(each.name) == wanted), None)

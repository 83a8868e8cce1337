"""What a button carries: `v1:<action>:<id>[:<argument>]`, at most 64 bytes, readable by every later version.

Ids are numbers of rows in the database, so that a button works after a restart, an update or a restore; names and keys
never stand in it. It refuses to guess: what it cannot read is no button.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

Action = Literal[
    "got_it", "snooze", "history", "pause", "resume", "never", "more", "page", "delete", "confirm", "cancel", "edit",
    "why", "draft",
]  # fmt: skip
"""What a tap can ask for. An action is never renamed: messages of years ago still carry it."""
ACTIONS: Final[frozenset[str]] = frozenset(get_args(Action))

BYTES: Final = 64
"""The most that Telegram takes."""
LARGEST_ID: Final = 2**63 - 1

_DATA = re.compile(r"v1:(?P<action>[a-z_]{1,16}):(?P<id>0|[1-9][0-9]{0,18})(?::(?P<argument>[A-Za-z0-9_.+-]{1,24}))?")
_ARGUMENT = re.compile(r"[A-Za-z0-9_.+-]{0,24}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Button:
    """One tap: what to do, to which row, and a short argument (a page, seconds). A value that cannot be carried
    raises ValueError."""

    action: Action
    id: int
    argument: str = ""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ValueError(f"{self.action!r} is not an action of a button")
        if not 0 <= self.id <= LARGEST_ID:
            raise ValueError(f"{self.id} is not the id of a row")
        if not _ARGUMENT.fullmatch(self.argument):
            raise ValueError(f"{self.argument!r} cannot be the argument of a button")


def encode(button: Button) -> str:
    """The callback data of a button."""
    data = f"v1:{button.action}:{button.id}"
    return f"{data}:{button.argument}" if button.argument else data


def decode(data: str) -> Button | None:
    """The button that callback data stands for; None when it is of an unknown version or action, or no button."""
    found = _DATA.fullmatch(data)
    if found is None or int(found["id"]) > LARGEST_ID:
        return None
    for action in get_args(Action):
        if action == found["action"]:
            return Button(action=action, id=int(found["id"]), argument=found["argument"] or "")
    return None

"""The library's bot with two mends: one broken update does not hide the others, and an odd answer is an error.

The library parses a batch of updates as a whole and asks for the same batch again when one of them cannot be parsed,
for ever; and it lets an answer that is no answer of the Bot API through as a KeyError.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from telegram import Bot, Update
from telegram.error import NetworkError

log = logging.getLogger(__name__)

ALLOWED_UPDATES: Final = ("message", "callback_query", "my_chat_member")
"""Edited messages and channel posts are not even asked for."""
LONG_POLL_S: Final = 10
SHORT_POLL_READ_S: Final = 3.0

_UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Batch:
    """Updates in order; asking from `offset` next confirms them, the unreadable ones too."""

    updates: tuple[Update, ...]
    offset: int


class SafeBot(Bot):
    """A bot whose updates are read one by one."""

    async def news(self, offset: int, *, wait: bool = True) -> Batch:
        """The updates from `offset` on; with `wait`, as soon as there is one, or none after some seconds.

        Raises TelegramError.
        """
        wait_s = LONG_POLL_S if wait else 0
        raw = await self._post(
            "getUpdates",
            {"offset": offset, "timeout": wait_s, "allowed_updates": list(ALLOWED_UPDATES)},
            read_timeout=wait_s + SHORT_POLL_READ_S if not wait else wait_s + 2 * SHORT_POLL_READ_S,
        )
        if not isinstance(raw, Sequence) or isinstance(raw, str):
            raise NetworkError("the answer to getUpdates is no list")
        updates: list[Update] = []
        for each in raw:
            number = each.get("update_id") if isinstance(each, dict) else None
            if not isinstance(number, int):  # it could never be confirmed, and would come again at once, for ever
                raise NetworkError("an update has no number")
            offset = max(offset, number + 1)
            try:
                updates.append(Update.de_json(each, self))
            except _UNREADABLE as error:
                log.error("update %d cannot be read and is left out (%s)", number, type(error).__name__)
        return Batch(tuple(updates), offset)

    async def _post(self, *args: Any, **kwargs: Any) -> Any:
        """The result of a call. The library's own method, with an answer of the wrong shape made an error."""
        try:
            return await super()._post(*args, **kwargs)
        except (AttributeError, LookupError, TypeError) as error:
            raise NetworkError("the answer is not one of the Bot API") from error

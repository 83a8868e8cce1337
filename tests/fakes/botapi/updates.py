"""The queue that getUpdates reads: long polls, confirmation by offset, and one reader at a time."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.fakes.botapi.bell import Bell
from tests.fakes.botapi.refusals import conflict

ON_REQUEST_ONLY = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
"""Kinds that are sent only to bots that name them in `allowed_updates`."""
BATCH = 100


class UpdateQueue:
    """Updates until they are confirmed. A kind that is not allowed is never queued."""

    def __init__(self, bell: Bell) -> None:
        self.allowed: frozenset[str] = frozenset()
        """Empty: everything but the kinds on request."""
        self._bell = bell
        self._updates: list[dict[str, Any]] = []
        self._next_id = 700_000_001
        self._reader: asyncio.Future[bool] | None = None

    def __len__(self) -> int:
        return len(self._updates)

    @property
    def read(self) -> bool:
        """Whether a long poll is waiting, and nothing is unconfirmed."""
        return self._reader is not None and not self._updates

    def allows(self, kind: str) -> bool:
        return kind in self.allowed if self.allowed else kind not in ON_REQUEST_ONLY

    def push(self, kind: str, body: dict[str, Any]) -> int | None:
        """The update's id, None when the bot does not want that kind."""
        return self.push_raw({kind: body}) if self.allows(kind) else None

    def push_raw(self, update: dict[str, Any]) -> int:
        """Queue an update as it is, whatever it holds; an id is given when it has none."""
        complete = {"update_id": self._next_id, **update}
        number = int(complete["update_id"])
        self._next_id = max(self._next_id, number) + 1
        self._updates.append(complete)
        self.wake()
        return number

    def drop(self) -> None:
        """Forget everything unconfirmed."""
        self._updates.clear()

    def wake(self) -> None:
        """Let the waiting long poll look at the queue and answer."""
        self._release(replaced=False)

    async def poll(self, offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        """The next updates, waiting up to `seconds` for one. Raises Refusal (409) when a later poll took over."""
        self._release(replaced=True)
        self._confirm(offset)
        limit = min(max(limit, 1), BATCH)
        if self._updates or seconds <= 0:
            return self._updates[:limit]
        mine: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._reader = mine
        self._bell.ring()
        try:
            async with asyncio.timeout(seconds):
                if await mine:
                    raise conflict()
        except TimeoutError:
            return []
        finally:
            if self._reader is mine:
                self._reader = None
        return self._updates[:limit]

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            self._updates = self._updates[offset:]
        elif offset > 0:
            self._updates = [update for update in self._updates if update["update_id"] >= offset]
        self._bell.ring()

    def _release(self, *, replaced: bool) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(replaced)

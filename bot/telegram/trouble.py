"""One line when Telegram breaks, one a minute at most while failures change, one when it is well again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

QUIET_S: Final = 60.0


class Trouble:
    """The state of the connection, and what the log knows of it. `now_s` is monotonic."""

    def __init__(self, log: logging.Logger, now_s: Callable[[], float]) -> None:
        self._log = log
        self._now_s = now_s
        self._said: str | None = None
        """What the log holds about the present break."""
        self._said_at: float | None = None
        self.text: str | None = None
        """What is wrong now, None if nothing is."""

    def broke(self, text: str) -> None:
        """It failed. The same failure is said once until it is well, and nothing more than once a minute."""
        now = self._now_s()
        self.text = text
        quiet = self._said_at is not None and now - self._said_at < QUIET_S
        if text != self._said and not quiet:
            self._said, self._said_at = text, now
            self._log.warning("Telegram: %s. It is tried again", text)

    def mended(self) -> None:
        """It works. Said only when the log knows of a break."""
        self.text = None
        if self._said is not None:
            self._said = None
            self._log.info("Telegram answers again")

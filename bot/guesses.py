"""Wrong one-time codes: each person has a few, and nobody's use up another's.

The code is far too long to be guessed by all the people there are, so that the limit is no guard of it; it keeps the
noise down. The log and the store are told in steps that grow, for who wonders why nobody becomes the owner.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import Final

log = logging.getLogger(__name__)

GUESSES_FACT: Final = "telegram.wrong_codes"
"""About how many wrong codes have come since there is no owner."""
GUESSES: Final = 5
"""Wrong codes of one person, after which even the right one is not taken."""
GUESSERS: Final = 1000
"""People remembered; who guessed longest ago is forgotten first, and may begin again."""
FIRST_STEP: Final = 10
SHUT_OUTS_TOLD: Final = 10


class Guesses:
    """What was guessed in this run. No code is kept."""

    def __init__(self) -> None:
        self._by_user: OrderedDict[int, int] = OrderedDict()
        self._all = 0
        self._shut_out = 0
        self._step = FIRST_STEP

    def may(self, user: int) -> bool:
        """Whether a code is taken from this person."""
        return self._by_user.get(user, 0) < GUESSES

    def wrong(self, user: int) -> int | None:
        """Count a wrong code; how many there were in all, where that is worth telling."""
        times = self._by_user[user] = self._by_user.pop(user, 0) + 1
        if len(self._by_user) > GUESSERS:
            self._by_user.popitem(last=False)
        if times == GUESSES and self._shut_out < SHUT_OUTS_TOLD:
            self._shut_out += 1
            log.warning("%d wrong one-time codes from %d: none is taken from there until the next start", times, user)
        self._all += 1
        if self._all < self._step:
            return None
        self._step *= 10
        log.warning("%d wrong one-time codes so far, the right one is still taken from anybody else", self._all)
        return self._all

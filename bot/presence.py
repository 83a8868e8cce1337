"""The offers of one market that are on offer as far as this process knows: what a question need not show again."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Final

from market.alerting import Event
from market.coverage import Coverage
from market.offer import Offer

KNOWN_FOR: Final = timedelta(hours=2)
"""What was not seen for longer may have gone and come back: it is to be shown again."""
UNSORTED: Final = 8
"""Answers that may wait for the next question: they are held in memory as long."""


class Presence:
    """Kept up with each stored answer; to be thrown away when one could not be stored.

    When an offer was seen is worked out with the next question: an answer that may bring alerts does not wait for it.
    """

    def __init__(self, event: Event) -> None:
        self._source = event.known
        self._offers = dict(event.known)
        self._seen = {key: event.seen_at(key) for key in self._offers}
        self._at = event.snapshot.taken_at
        self._shown: list[tuple[datetime, AbstractSet[str]]] = []
        """Answers whose offers are not yet in `_seen`, oldest first."""

    def follows(self, event: Event) -> bool:
        """Whether nothing else was stored in between: after a write of another process the store reads all again."""
        return event.known is self._source

    def note(self, event: Event) -> None:
        """Take over what an answer has shown and changed. It must follow what is known already."""
        changes = event.changes
        self._at = event.snapshot.taken_at
        for offer in changes.gone:
            self._offers.pop(offer.key, None)
            self._seen.pop(offer.key, None)
        for offer in changes.fresh():
            self._offers[offer.key] = offer
            self._seen[offer.key] = self._at
        self._shown.append((self._at, event.snapshot.keys()))
        if len(self._shown) > UNSORTED:
            self._sort()

    def known(self, coverage: Coverage, besides: Collection[str]) -> frozenset[str]:
        """The machines that an answer would show, as they were seen last; without those of some keys."""
        self._sort()
        since = self._at - KNOWN_FOR
        return frozenset(
            offer.machine
            for key, offer in self._offers.items()
            if coverage.expects(offer, self._at) and self._seen[key] >= since and key not in besides
        )

    def among(self, keys: Collection[str]) -> tuple[Offer, ...]:
        """The offers with one of these keys."""
        return tuple(offer for key, offer in self._offers.items() if key in keys)

    def _sort(self) -> None:
        for at, keys in self._shown:
            self._seen.update(dict.fromkeys(keys & self._offers.keys(), at))
        self._shown.clear()

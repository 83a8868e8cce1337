"""The offers of one market that are on offer as far as this process knows: what a question need not show again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from market.alerting import Event
from market.coverage import Coverage
from market.offer import Offer

KNOWN_FOR: Final = timedelta(hours=2)
"""What was not seen for longer may have gone and come back: it is to be shown again."""


class Presence:
    """Kept up with each stored answer; to be thrown away when one could not be stored."""

    def __init__(self, event: Event) -> None:
        self._offers = dict(event.known)
        self._seen = {key: event.seen_at(key) for key in self._offers}
        self._at = event.snapshot.taken_at

    def note(self, event: Event) -> None:
        """Take over what an answer has shown and changed."""
        changes, keys = event.changes, event.snapshot.keys()
        self._at = event.snapshot.taken_at
        for offer in changes.gone:
            self._offers.pop(offer.key, None)
            self._seen.pop(offer.key, None)
        for offer in changes.fresh():
            self._offers[offer.key] = offer
        for key in keys - self._offers.keys():  # stored by another process meanwhile
            if key in event.known:
                self._offers[key] = event.known[key]
        self._seen.update(dict.fromkeys(keys & self._offers.keys(), self._at))

    def known(self, coverage: Coverage, besides: Collection[str]) -> frozenset[str]:
        """The machines that an answer would show, as they were seen last; without those of some keys."""
        since = self._at - KNOWN_FOR
        return frozenset(
            offer.machine
            for key, offer in self._offers.items()
            if coverage.expects(offer, self._at) and self._seen[key] >= since and key not in besides
        )

    def among(self, keys: Collection[str]) -> tuple[Offer, ...]:
        """The offers with one of these keys."""
        return tuple(offer for key, offer in self._offers.items() if key in keys)

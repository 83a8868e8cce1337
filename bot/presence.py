"""The offers of one market that are on offer as far as this process knows: what a question need not show again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from typing import Final

from market.alerting import Event
from market.coverage import Coverage
from market.offer import Offer

RECALLED_FOR: Final = timedelta(hours=2)
"""The same for what an earlier run saw: nobody has looked meanwhile."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)
UNSORTED: Final = 8
"""Answers that may wait for the next question: they are held in memory as long."""


class Presence:
    """Kept up with each stored answer; to be thrown away when one could not be stored.

    When an offer was seen is worked out with the next question: an answer that may bring alerts does not wait for it.
    """

    def __init__(self, offers: Iterable[tuple[Offer, datetime]], at: datetime) -> None:
        """The offers that are open `at` a time, with when each was last seen."""
        self._offers: dict[str, Offer] = {}
        self._seen: dict[str, datetime] = {}
        since = at - RECALLED_FOR
        for offer, seen_at in offers:
            self._offers[offer.key] = offer
            self._seen[offer.key] = seen_at if seen_at >= since else NEVER
        self._at = at
        self._source: Mapping[str, Offer] | None = None
        """What the store knows the market by; None before the first answer."""
        self._shown: list[tuple[datetime, AbstractSet[str]]] = []
        """Answers whose offers are not yet in `_seen`, oldest first."""

    @classmethod
    def after(cls, event: Event) -> Presence:
        """As an answer left it."""
        known = event.known.items()
        presence = cls([(offer, event.seen_at(key)) for key, offer in known], event.snapshot.taken_at)
        presence._source = event.known
        return presence

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

    def known(self, coverage: Coverage, besides: Collection[str]) -> dict[str, float]:
        """The machines that an answer would show, as they were seen last, and the seconds since then; without those of
        some keys."""
        self._sort()
        found: dict[str, float] = {}
        for key, offer in self._offers.items():
            if coverage.expects(offer, self._at) and key not in besides:
                age = (self._at - self._seen[key]).total_seconds()
                found[offer.machine] = max(age, found.get(offer.machine, 0.0))
        return found

    def among(self, keys: Collection[str]) -> tuple[Offer, ...]:
        """The offers with one of these keys."""
        return tuple(offer for key, offer in self._offers.items() if key in keys)

    def _sort(self) -> None:
        for at, keys in self._shown:
            self._seen.update(dict.fromkeys(keys & self._offers.keys(), at))
        self._shown.clear()

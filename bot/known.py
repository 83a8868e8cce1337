"""What is known now, for judging an alert again before another attempt to send it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from market.offer import Offer
from market.watch import Told, Watch
from storage.memory import load_memory
from storage.offers import current
from storage.store import Store
from storage.watches import Watches


class KnownNow:
    """Reads the store each time: an alert is rarely judged twice."""

    def __init__(self, store: Store, watches: Watches) -> None:
        self._store = store
        self._watches = watches

    def watches(self) -> Mapping[int, Watch]:
        """Watches that are judged, by id."""
        return self._watches.running()

    def active(self, watch_ids: Iterable[int]) -> bool:
        """Whether all of these are still watched."""
        found = map(self._watches.by_id, watch_ids)
        return all(watch is not None and watch.state == "active" and not watch.barred for watch in found)

    def offers(self) -> list[tuple[Offer, datetime, datetime]]:
        """Open offers with (first seen, last seen)."""
        return [(each.offer, each.since, each.seen_at) for each in current(self._store)]

    def told(self) -> Mapping[tuple[int, str], Told]:
        """What was told, by (watch id, key)."""
        with self._store.read() as connection:
            return load_memory(connection).told

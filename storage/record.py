"""Recording one answer: what it changes, what follows from it, and its heartbeat, in one transaction or not at all.

The judgement itself is a function that the caller brings along. It is asked inside the transaction, with the state
after the answer, so that an alert and the fact it speaks of are always written together.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection

from market.alert import Alert
from market.changes import Changes, compare
from market.coverage import Coverage
from market.offer import Offer, cheapest_per_key
from market.snapshot import Snapshot
from market.watch import Episode, Memory, Told, Watch
from storage.book import Book
from storage.counters import BOOK, WATCHES, bump
from storage.fields import sound
from storage.heartbeat import CUT, FAILED, WHOLE, answered, beat, beats
from storage.memory import end_episodes, put_episodes, put_told
from storage.mirror import Mirror
from storage.posting import Posting, asked_for
from storage.queueing import queue
from storage.rules import RuleShelf
from storage.store import Store
from storage.times import to_ms
from storage.usage import settle
from storage.watchrows import put_progress

log = logging.getLogger(__name__)

LATE_MS = 60_000
"""An answer older than the latest by no more than this was overtaken; by more, the clock was set back."""


class Decision(Protocol):
    """What follows from an answer. Endings are written before the new and changed episodes."""

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """To be queued, or held until their `not_before`."""

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """New or changed."""

    @property
    def ended(self) -> tuple[tuple[int, str], ...]:
        """By (watch id, card)."""

    @property
    def told(self) -> tuple[Told, ...]:
        """New or changed."""

    @property
    def watches(self) -> tuple[Watch, ...]:
        """Watches whose `state`, `passed` or `answered` changed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """An answer just posted, and the state after it. Only for use inside `decide`: afterwards it moves on."""

    snapshot: Snapshot
    changes: Changes
    known: Mapping[str, Offer]
    """Every open offer of the snapshot's market, by key."""
    seen_at: Callable[[str], datetime]
    """When an open offer was last seen."""
    since: Callable[[str], datetime]
    """When an open offer's present stay began."""
    memory: Memory
    watches: tuple[Watch, ...]
    """Active and snoozed ones of chats that can be reached; the same object until one of them changes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """What recording an answer came to."""

    changes: Changes
    queued: tuple[int, ...]
    """Ids of the alerts that are new in the outbox."""
    unsound: int = 0
    """Offers left out because they held what no offer may hold."""


Decide = Callable[[Recording], Decision]


class Recorder:
    """The one way in for answers. Calls block; a second one waits for the first."""

    def __init__(self, store: Store, rules: RuleShelf) -> None:
        self._store = store
        self._mirror = Mirror(rules)

    def record(self, snapshot: Snapshot, *, took_ms: int, decide: Decide, reserved: int = 0) -> Recorded:
        """Store an answer and what `decide` makes of it. `reserved` rows were set aside for it by `Usage.begin`.

        Raises StoreError, or whatever `decide` raises; then nothing of it is stored.
        """
        with self._store.write() as connection, self._mirror.changing(connection):
            recorded = self._record(connection, snapshot, took_ms, decide)
            settle(connection, snapshot.market, snapshot.taken_at, reserved, snapshot.rows)
            self._mirror.book_generation = bump(connection, BOOK)
            connection.commit()
        return recorded

    def record_failure(
        self,
        market: str,
        coverage: Coverage,
        at: datetime,
        *,
        took_ms: int,
        error: str,
        reserved: int = 0,
        rows: int = 0,
    ) -> None:
        """Note that a question was not answered: nothing is known from it, and nothing changes.

        `reserved` rows were set aside for it and `rows` may have been charged all the same.
        """
        with self._store.write() as connection, self._mirror.changing(connection) as book:
            moment = to_ms(at)
            asked = asked_for(connection, book, coverage, moment)
            beat(
                connection,
                market=market,
                coverage_id=asked.coverage_id,
                at=moment,
                status=FAILED,
                took_ms=took_ms,
                error=error,
            )
            book.latest[market] = max(moment, book.latest.get(market, moment))
            if reserved or rows:
                settle(connection, market, at, reserved, rows)
            self._mirror.book_generation = bump(connection, BOOK)
            connection.commit()

    def record_repeats(self, coverage: Coverage, moments: Sequence[datetime]) -> None:
        """Note that a query was answered at these later moments too, oldest first, in full and each time as before.

        For a past that is laid down at once; a market that is asked has its answers compared. Raises StoreError.
        """
        times = [to_ms(each) for each in moments]
        if not times:
            return
        with self._store.write() as connection, self._mirror.changing(connection) as book:
            asked = asked_for(connection, book, coverage, times[0])
            beats(connection, market=coverage.market, coverage_id=asked.coverage_id, moments=times)
            asked.last_at = times[-1]
            answered(connection, asked.coverage_id, asked.last_at)
            book.latest[coverage.market] = max(times[-1], book.latest.get(coverage.market, times[-1]))
            self._mirror.book_generation = bump(connection, BOOK)
            connection.commit()

    def _record(self, connection: Connection, snapshot: Snapshot, took_ms: int, decide: Decide) -> Recorded:
        book, market, at = self._mirror.book, snapshot.market, to_ms(snapshot.taken_at)
        snapshot, absent, changes, unsound = _compared(book, snapshot, at)
        asked = asked_for(connection, book, snapshot.coverage, at)
        posting = Posting(connection, book, asked=asked, at=at, market=market)
        posting.post(changes, snapshot.keys(), absent)
        overtaken = _overtaken(book, market, at)
        asked.last_at = max(asked.last_at, at) if overtaken else at
        answered(connection, asked.coverage_id, asked.last_at)
        status = WHOLE if snapshot.complete else CUT
        beat(
            connection,
            market=market,
            coverage_id=asked.coverage_id,
            at=at,
            status=status,
            rows=snapshot.rows,
            took_ms=took_ms,
        )
        book.latest[market] = max(at, book.latest.get(market, at))
        decision = decide(
            Recording(
                snapshot=snapshot,
                changes=changes,
                known=book.open_in(market),
                seen_at=book.seen_at,
                since=book.since,
                memory=self._mirror.memory,
                watches=self._mirror.watches,
            )
        )
        queued = self._keep(connection, decision, at)
        return Recorded(changes=changes, queued=queued, unsound=unsound)

    def _keep(self, connection: Connection, decision: Decision, at: int) -> tuple[int, ...]:
        """Write what was decided. A watch that was deleted meanwhile has nothing decided about it any more."""
        mirror = self._mirror
        there = mirror.by_id
        ended = [place for place in decision.ended if place[0] in there]
        episodes = [episode for episode in decision.episodes if episode.watch_id in there]
        told = [each for each in decision.told if each.watch_id in there]
        moved = [watch for watch in decision.watches if watch.id in there]
        end_episodes(connection, ended)
        put_episodes(connection, episodes, mirror.memory.episodes)
        put_told(connection, told)
        for place in ended:
            mirror.memory.drop(place)
        for episode in episodes:
            mirror.memory.put(episode)
        for each in told:
            mirror.memory.told[each.watch_id, each.key] = each
        if moved:
            put_progress(connection, moved)
            mirror.take(moved)
            mirror.watches_generation = bump(connection, WATCHES)
        alerts = [alert for alert in map(mirror.still_wanted, decision.alerts) if alert is not None]
        return queue(connection, alerts, queued_at=at)


def _compared(book: Book, snapshot: Snapshot, at: int) -> tuple[Snapshot, AbstractSet[str], Changes, int]:
    """The answer as far as it can be kept, the keys it lacks, what it changes, and how many offers were unsound."""
    known = book.open_in(snapshot.market)
    shown = snapshot.keys()
    if len(shown) < len(snapshot.offers):
        snapshot = replace(snapshot, offers=cheapest_per_key(list(snapshot.offers)), prints={})
    absent = book.absent(snapshot.coverage, shown)
    newer: AbstractSet[str] = frozenset()
    if _overtaken(book, snapshot.market, at):
        # what a newer answer showed is not undone by an older one that arrives after it
        newer = {key for key in known if book.seen_ms(key) > at}
        offers = tuple(offer for offer in snapshot.offers if offer.key not in newer)
        snapshot = replace(snapshot, offers=offers, prints={})
    lost = [known[key] for key in absent - newer]
    changes = compare(known, lost, snapshot, book.prints)
    if all(map(sound, changes.fresh())):
        return snapshot, absent | newer, changes, 0
    # rare: an adapter let something through that no offer may hold
    kept = tuple(offer for offer in snapshot.offers if sound(offer))
    unsound = len(snapshot.offers) - len(kept)
    log.error("%d of %d offers of %s are unsound and left out", unsound, len(snapshot.offers), snapshot.market)
    snapshot = replace(snapshot, offers=kept, skipped=snapshot.skipped + unsound, prints={})
    changes = compare(known, lost, snapshot)
    return snapshot, absent | newer | (shown - snapshot.keys()), changes, unsound


def _overtaken(book: Book, market: str, at: int) -> bool:
    latest = book.latest.get(market)
    return latest is not None and 0 < latest - at <= LATE_MS

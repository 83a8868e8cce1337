"""Where answers go: stored and judged in one transaction, off the event loop, with a log line for what is new."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from datetime import datetime

from bot.judging import Judge
from bot.tally import Tally
from market.alerting import Decision, Event
from market.changes import Changes
from market.coverage import Coverage
from market.gpu import Catalogue
from market.offer import Offer
from market.snapshot import Snapshot
from scanners.errors import ScanError
from storage.record import Recorded, Recorder, Recording

log = logging.getLogger(__name__)

_DIGITS = re.compile(r"\d+")


class Scribe:
    """The poll cycle's sink. `alerted` is called when an answer has put something into the outbox."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        judge: Judge,
        catalogue: Catalogue,
        now: Callable[[], datetime],
        alerted: Callable[[], None] = lambda: None,
    ) -> None:
        self._recorder = recorder
        self._judge = judge
        self._known_cards = set(catalogue.cards)
        self._now = now
        self._alerted = alerted
        self._quiet = Tally()
        self._odd: dict[tuple[str, str], set[str]] = {}
        """The queries whose last answer was odd, by (market, what is odd): the same is not said again each time."""

    async def stored(self, snapshot: Snapshot, *, reserved: int, took_s: float) -> tuple[Offer, ...]:
        """Store and judge an answer; the offers that it left in doubt."""
        recorded = await asyncio.to_thread(self._record, snapshot, reserved, took_s)
        self._log(snapshot, recorded, took_s)
        self._name_unknown_cards(recorded.changes)
        self._warn(snapshot)
        if recorded.queued:
            self._alerted()
        return recorded.changes.doubtful

    async def failed(self, coverage: Coverage, error: ScanError, *, took_s: float) -> None:
        """Note that a query was not answered."""
        self._judge.failed(coverage, error)
        await asyncio.to_thread(
            self._recorder.record_failure,
            error.market,
            coverage,
            self._now(),
            took_ms=round(took_s * 1000),
            error=error.problem,
        )
        log.info("%s: no answer: %s", error.market, error.problem)

    def _record(self, snapshot: Snapshot, reserved: int, took_s: float) -> Recorded:
        def decide(recording: Recording) -> Decision:
            event = Event(
                snapshot=recording.snapshot,
                changes=recording.changes,
                known=recording.known,
                seen_at=recording.seen_at,
                since=recording.since,
            )
            decision = self._judge.decide(event, recording.memory, recording.watches)
            self._judge.note(event, recording.memory, decision)
            return decision

        try:
            return self._recorder.record(snapshot, took_ms=round(took_s * 1000), decide=decide, reserved=reserved)
        except BaseException:
            self._judge.unstored(snapshot.market)
            raise

    def _log(self, snapshot: Snapshot, recorded: Recorded, took_s: float) -> None:
        """A line for an answer that changed something, was cut or brought alerts; one in five minutes for others."""
        changes = recorded.changes
        if snapshot.complete and not (changes.appeared or changes.changed or changes.gone or recorded.queued):
            if (line := self._quiet.line(snapshot.market, self._now())) is not None:
                log.info("%s", line)
            return
        log.info(
            "%s: %d rows (%d with unknown fields, %d skipped), %d offers, %d new, %d changed, %d gone%s, "
            "%d alerts, %.0f ms",
            snapshot.market,
            snapshot.rows,
            snapshot.unknown_fields,
            snapshot.skipped,
            len(snapshot.offers),
            len(changes.appeared),
            len(changes.changed),
            len(changes.gone),
            "" if snapshot.complete else " (not complete)",
            len(recorded.queued),
            took_s * 1000,
        )

    def _warn(self, snapshot: Snapshot) -> None:
        """Warn of what is odd about answers when it begins to be; counts that vary are no news."""
        # confirming queries are hardly ever the same twice and count as one
        query = snapshot.coverage.to_text() if snapshot.coverage.machines is None else snapshot.market
        kinds = {(snapshot.market, _DIGITS.sub("#", note.partition(" (")[0])): note for note in snapshot.notes}
        for kind, note in kinds.items():
            if kind not in self._odd:
                log.warning("%s: %s", snapshot.market, note)
            self._odd.setdefault(kind, set()).add(query)
        for kind in [each for each in self._odd if each not in kinds and query in self._odd[each]]:
            self._odd[kind].remove(query)
            if not self._odd[kind]:
                del self._odd[kind]

    def _name_unknown_cards(self, changes: Changes) -> None:
        for offer in changes.fresh():
            if offer.gpu not in self._known_cards:
                self._known_cards.add(offer.gpu)
                log.info("%s offers a card that is not in the catalogue: %r", offer.market, offer.gpu)

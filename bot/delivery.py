"""Sending what the outbox holds: at least once, in order within a chat, never late as if it were news.

Every attempt after the first, every alert that waited, and every one that a hold kept back is judged again against
what is known now. A crash between sending and noting it costs at most one duplicate, never a loss; so does every
answer of the channel that is lost on its way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.channels import Channel, DeliveryError, Outgoing, TooSoon
from bot.clock import Clock
from market.alert import SHOWN, Alert
from market.alerting import Policy, told_again
from market.offer import Offer
from market.rejudging import rejudge
from market.watch import Told, Watch
from storage.errors import StoreError

log = logging.getLogger(__name__)

LEASE_S = 60.0
"""Real seconds after which an attempt that was never finished may be taken up again."""
FRESH_S = 30.0
"""An alert older than this is judged again even before its first attempt."""
REST_S = 10.0
"""Real seconds between two tries while the store refuses."""
LOOK_OLDER_S = 10.0
"""An alert that is judged again and whose offers were not seen for so long is worth a look at them."""
LOOK_FOR_S = 15.0
"""And no longer a wait than this."""
LOOK_EACH_S = 3.0
CONFIRM_EACH_S = 5.0
"""Seconds between two looks whether a fresh answer has come for an alert that has grown old."""
FIRST_RETRY_S = 2.0
LONGEST_RETRY_S = 30.0
IDLE_S = 60.0
AT_ONCE = 8
"""Alerts on their way at the same time, each to another chat: a slow one holds up no other."""
STOP_S = 5.0
"""Real seconds that alerts on their way may still take when delivery is stopped."""
DOUBT_WAITS_S = (2.0, 8.0, 30.0, 60.0, 300.0)
"""After each attempt that may have arrived: the more copies there may be, the longer."""
DOUBTED = f"sent {len(DOUBT_WAITS_S) + 1} times without an answer; it may have arrived"


class Claimed(Protocol):
    """One outbox row taken for sending. `attempts` counts the earlier ones."""

    @property
    def id(self) -> int: ...
    @property
    def alert(self) -> Alert: ...
    @property
    def attempts(self) -> int: ...
    @property
    def queued_at(self) -> datetime: ...
    @property
    def was_held(self) -> bool: ...


class OutboxStore(Protocol):
    """What delivery needs of the outbox; every verb is one transaction."""

    def claim(self, now: datetime, *, lease_s: float, limit: int) -> Sequence[Claimed]:
        """Due alerts in order, at most one a chat, leased."""

    def sent(
        self, alert_id: int, at: datetime, *, alert: Alert, message_id: str | None, told: Iterable[Told] = ()
    ) -> None:
        """Note that it was sent, in the words of `alert`; `told` for one that was held."""

    def retry(self, alert_id: int, not_before: datetime, error: str) -> None:
        """Give it back for a later attempt."""

    def hold(self, alert_id: int, until: datetime, reason: str) -> None:
        """Keep it back without letting others wait for it."""

    def close(self, alert_id: int, state: str, reason: str) -> None:
        """It will not be sent: expired, suppressed or failed. What it would have told counts as not told."""

    def next_due(self) -> datetime | None:
        """When the next alert may be sent."""


class Known(Protocol):
    """What is known now, for judging again."""

    def watches(self) -> Mapping[int, Watch]:
        """Active watches by id."""

    def active(self, watch_ids: Iterable[int]) -> bool:
        """Whether all of these are still watched."""

    def offers(self) -> list[tuple[Offer, datetime, datetime]]:
        """Open offers with (first seen, last seen)."""

    def told(self) -> Mapping[tuple[int, str], Told]:
        """What was told, by (watch id, key)."""


@dataclass(kw_only=True)
class Deliverer:
    """The one worker that sends."""

    outbox: OutboxStore
    known: Known
    channel_of: Callable[[str], Channel]
    clock: Clock
    policy: Policy
    look_again: Callable[[Sequence[Offer]], bool] = lambda offers: False
    """Has these offers asked for with the next turn of their market; False where that cannot be."""
    _resting: bool = field(default=False, init=False)
    _doubts: dict[int, int] = field(default_factory=dict, init=False)
    """How many attempts of an alert may have arrived. Kept for this run: a crash costs at most one duplicate more."""
    _looking: dict[int, datetime] = field(default_factory=dict, init=False)
    """Alerts that wait for a look at their offers, and since when."""
    _unsure: dict[int, datetime] = field(default_factory=dict, init=False)
    """Old alerts that wait for a fresh answer, and since when."""

    async def run(self, wake: asyncio.Event, stop: asyncio.Event) -> None:
        """Send until `stop`; `wake` says that something new may be due."""
        flying: set[asyncio.Task[None]] = set()
        try:
            while not stop.is_set():
                wake.clear()
                try:
                    for task in [task for task in flying if task.done()]:
                        flying.discard(task)
                        task.result()
                    room = AT_ONCE - len(flying)
                    rows = await self._claim(room) if room else ()
                except StoreError as error:
                    await self._rest(error, stop)
                    continue
                for row in rows:
                    task = asyncio.create_task(self._deliver(row), name=f"alert:{row.id}")
                    task.add_done_callback(lambda _: wake.set())
                    flying.add(task)
                if not rows and not stop.is_set():
                    await self.clock.wait(wake, await self._idle_s() if room else IDLE_S)
        finally:
            await _ended(flying)

    async def _rest(self, error: StoreError, stop: asyncio.Event) -> None:
        """Without a store nothing can be sent safely: wait, and try again. What is on its way keeps its lease."""
        if not self._resting:
            log.error("alerts wait: %s", error)
        self._resting = True
        await self.clock.wait(stop, REST_S / self.clock.real_seconds(1.0))

    async def round(self) -> bool:
        """Send what is due now, one message a chat, and return when all have ended; whether there was anything."""
        rows = await self._claim(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for row in rows:
                group.create_task(self._deliver(row))
        return bool(rows)

    async def _claim(self, limit: int) -> Sequence[Claimed]:
        lease_s = LEASE_S / self.clock.real_seconds(1.0)
        rows = await asyncio.to_thread(self.outbox.claim, self.clock.now(), lease_s=lease_s, limit=limit)
        self._resting = False
        return rows

    async def _idle_s(self) -> float:
        due = await asyncio.to_thread(self.outbox.next_due)
        if due is None:
            return IDLE_S
        return min(max((due - self.clock.now()).total_seconds(), 0.0), IDLE_S)

    async def _deliver(self, row: Claimed) -> None:
        alert = await self._still_true(row)
        if alert is None:
            return
        message = Outgoing(id=row.id, alert=alert, now=self.clock.now(), in_doubt=row.id in self._doubts)
        try:
            message_id = await self.channel_of(alert.chat).send(message)
        except DeliveryError as error:
            await self._failed(row, error)
            return
        self._doubts.pop(row.id, None)
        at = self.clock.now()
        told = await asyncio.to_thread(self._told, alert, at) if row.was_held else ()
        await asyncio.to_thread(self.outbox.sent, row.id, at, alert=alert, message_id=message_id, told=told)

    def _told(self, alert: Alert, at: datetime) -> tuple[Told, ...]:
        """What a held alert told now: queueing it did not count."""
        before = self.known.told()
        return tuple(
            told_again(before.get((part.watch_id, offer.key)), part.watch_id, offer.key, at, self.policy)
            for part in alert.parts
            for offer in part.offers
        )

    async def _still_true(self, row: Claimed) -> Alert | None:
        if row.alert.kind == "blind":
            return row.alert  # of what is past; it stays true
        now = self.clock.now()
        age = (now - row.queued_at).total_seconds()
        if row.attempts == 0 and not row.was_held and age <= FRESH_S and await self._wanted(row.alert):
            return row.alert
        watches = await asyncio.to_thread(self.known.watches)
        offers = await asyncio.to_thread(self.known.offers)
        seen = {offer.key: seen_at for offer, _, seen_at in offers}
        late = age > self.policy.expire_s
        judgement = rejudge(
            row.alert,
            watches=watches,
            known=[offer for offer, _, _ in offers],
            seen_at=seen.__getitem__,
            now=now,
            fresh_since=now - timedelta(seconds=self.policy.expire_s) if late else None,
        )
        if judgement.alert is None and judgement.state is None and self._may_wait(row.id, now):
            until = now + timedelta(seconds=CONFIRM_EACH_S)
            await asyncio.to_thread(self.outbox.hold, row.id, until, "waiting for a fresh answer")
            return None
        self._unsure.pop(row.id, None)
        if judgement.alert is not None and self._looks_first(row.id, judgement.alert, seen, now):
            until = now + timedelta(seconds=LOOK_EACH_S)
            await asyncio.to_thread(self.outbox.hold, row.id, until, "looked at once more")
            return None
        if judgement.alert is None:
            self._doubts.pop(row.id, None)
            log.info("alert %d is not sent: %s", row.id, judgement.reason)
            await asyncio.to_thread(self.outbox.close, row.id, judgement.state or "expired", judgement.reason)
        return judgement.alert

    def _may_wait(self, alert_id: int, now: datetime) -> bool:
        """Whether an alert that is old may still wait for an answer: after a long break, answers come before long."""
        since = min(self._unsure.setdefault(alert_id, now), now)
        return (now - since).total_seconds() <= self.policy.expire_s

    def _looks_first(self, alert_id: int, alert: Alert, seen: Mapping[str, datetime], now: datetime) -> bool:
        """Whether an alert of which nobody knows for sure any more waits for a look at its offers: one row is cheaper
        than a wrong alert. What cannot be looked at in time goes out as it is, with its age."""
        shown = [offer for part in alert.parts for offer in part.offers[:SHOWN]]
        old = [offer for offer in shown if now - seen[offer.key] > timedelta(seconds=LOOK_OLDER_S)]
        begun = self._looking.get(alert_id)
        if begun is None and old and self.look_again(old):
            self._looking[alert_id] = now
            return True
        if begun is not None and old and timedelta(0) <= now - begun <= timedelta(seconds=LOOK_FOR_S):
            return True
        self._looking.pop(alert_id, None)
        return False

    async def _wanted(self, alert: Alert) -> bool:
        """Whether all its rules are still watched: one that wanted a single alert may have had it just now."""
        return await asyncio.to_thread(self.known.active, [part.watch_id for part in alert.parts])

    async def _failed(self, row: Claimed, error: DeliveryError) -> None:
        doubts = self._doubts.get(row.id, 0)
        tired = error.maybe_sent and doubts == len(DOUBT_WAITS_S)
        if error.permanent or tired:
            self._doubts.pop(row.id, None)
            reason = DOUBTED if tired else str(error)
            log.error("alert %d cannot be delivered: %s", row.id, reason)
            await asyncio.to_thread(self.outbox.close, row.id, "failed", reason)
            return
        wait = error.retry_after
        if error.maybe_sent:
            self._doubts[row.id] = doubts + 1
            wait = max(wait or 0.0, DOUBT_WAITS_S[doubts])
        if wait is None:
            wait = min(FIRST_RETRY_S * 2.0 ** min(row.attempts, 20), LONGEST_RETRY_S)
        level = logging.DEBUG if isinstance(error, TooSoon) else logging.WARNING
        log.log(level, "alert %d was not delivered (attempt %d): %s", row.id, row.attempts + 1, error)
        await asyncio.to_thread(self.outbox.retry, row.id, self.clock.now() + timedelta(seconds=wait), str(error))


async def _ended(flying: set[asyncio.Task[None]]) -> None:
    """Let what is on its way arrive, for a while; what is cut off is sent again after the next start."""
    if not flying:
        return
    _, late = await asyncio.wait(flying, timeout=STOP_S)
    for task in late:
        task.cancel()
    for failure in await asyncio.gather(*flying, return_exceptions=True):
        if isinstance(failure, Exception):
            log.error("an alert on its way ended badly: %s: %s", type(failure).__name__, failure)

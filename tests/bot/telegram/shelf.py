"""An outbox in memory with the rules of the real one: due in order, one a chat, leased until it is seen to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from market.alert import Alert
from market.offer import Offer
from market.rule import Rule
from market.watch import Told, Watch
from tests.bot.samples import VAST, alert, part
from tests.bot.telegram.cast import START


@dataclass
class Row:
    """One alert on its way."""

    id: int
    alert: Alert
    queued_at: datetime = START
    attempts: int = 0
    was_held: bool = False
    state: str = "queued"
    not_before: datetime = START
    leased_until: datetime = START
    reason: str = ""
    message_id: str | None = None


class Shelf:
    """The outbox."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.leases: list[float] = []

    def put(self, chat: int | str, **changes: object) -> Row:
        """Queue an alert for a chat."""
        told = replace(alert(part(VAST)), chat=str(chat))
        row = Row(id=len(self.rows) + 1, alert=told)
        for name, value in changes.items():
            setattr(row, name, value)
        self.rows.append(row)
        return row

    def claim(self, now: datetime, *, lease_s: float, limit: int) -> list[Row]:
        self.leases.append(lease_s)
        due = [row for row in self._heads() if row.not_before <= now and row.leased_until <= now][:limit]
        claimed = [replace(row) for row in due]
        for row in due:
            row.attempts += 1
            row.leased_until = now + timedelta(seconds=lease_s)
        return claimed

    def sent(
        self, alert_id: int, at: datetime, *, alert: Alert, message_id: str | None, told: Iterable[Told] = ()
    ) -> None:
        row = self.rows[alert_id - 1]
        row.state, row.message_id = "sent", message_id

    def retry(self, alert_id: int, not_before: datetime, error: str) -> None:
        row = self.rows[alert_id - 1]
        row.not_before, row.leased_until, row.reason = not_before, START, error

    def hold(self, alert_id: int, until: datetime, reason: str) -> None:
        row = self.rows[alert_id - 1]
        row.not_before, row.leased_until, row.reason, row.was_held = until, START, reason, True

    def close(self, alert_id: int, state: str, reason: str) -> None:
        row = self.rows[alert_id - 1]
        row.state, row.reason = state, reason

    def next_due(self) -> datetime | None:
        return min((max(row.not_before, row.leased_until) for row in self._heads()), default=None)

    def _heads(self) -> list[Row]:
        """The first waiting alert of each chat."""
        first: dict[str, Row] = {}
        for row in self.rows:
            if row.state == "queued":
                first.setdefault(row.alert.chat, row)
        return list(first.values())


class StillThere:
    """What is known now: the offer of the alerts, as long as `offered`."""

    def __init__(self) -> None:
        self.offered = True
        self.seen_at = START
        self.price = VAST.price

    def watches(self) -> Mapping[int, Watch]:
        return {7: Watch(id=7, chat="1", rule=Rule(), text="any", set_at=START)}

    def offers(self) -> list[tuple[Offer, datetime, datetime]]:
        return [(VAST._replace(price=self.price), START, self.seen_at)] if self.offered else []

    def active(self, watch_ids: Iterable[int]) -> bool:
        return set(watch_ids) <= self.watches().keys()

    def told(self) -> Mapping[tuple[int, str], Told]:
        return {}

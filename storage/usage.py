"""What each account spent of its day's quota, shared by every process on the database.

Rows are set aside before a question is sent and settled when it is answered. A crash in between leaves them set
aside until the day ends: some of the quota is lost, none of it is ever spent twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from storage.store import Store
from storage.times import to_ms, utc_day

_BEGIN = """
INSERT INTO usage (market, day, requests, rows, reserved) VALUES (?, ?, 1, 0, ?)
ON CONFLICT (market, day) DO UPDATE SET requests = requests + 1, reserved = reserved + excluded.reserved
"""
UNDERWAY_MS = 250
"""A question may arrive so much later than it was sent: the server counts from there."""

_TURN = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_SETTLE = "UPDATE usage SET reserved = max(reserved - ?, 0), rows = rows + ? WHERE market = ? AND day = ?"


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """One market's day so far. `reserved` rows are on their way, or were lost to a crash."""

    requests: int = 0
    rows: int = 0
    reserved: int = 0


class Usage:
    """The quota of each market's account. `rows_per_day` None, or no entry: rows are not charged there."""

    def __init__(self, store: Store, rows_per_day: Mapping[str, int | None]) -> None:
        self._store = store
        self._limits = dict(rows_per_day)

    def turn(self, market: str, at: datetime, gap_s: float) -> float:
        """Take the next turn to ask, `gap_s` after the last answer to any process, or a little more after a question.

        0 when it is taken; else nothing is taken, and it is the seconds to wait.
        """
        now, gap_ms = to_ms(at), round(gap_s * 1000)
        with self._store.write() as connection:
            rest = connection.exec_driver_sql("SELECT value FROM meta WHERE key = ?", (f"rest:{market}",)).scalar()
            if rest is not None:
                begun, ends = map(int, rest.split())
                if begun <= now < ends:  # before it began, and a clock was set back meanwhile
                    return (ends - now) / 1000
            free = connection.exec_driver_sql("SELECT value FROM meta WHERE key = ?", (f"turn:{market}",)).scalar()
            wait_ms = int(free) - now if free is not None else 0
            if 0 < wait_ms <= gap_ms + UNDERWAY_MS:  # further ahead, and a clock was set back meanwhile
                return wait_ms / 1000
            connection.exec_driver_sql(_TURN, (f"turn:{market}", str(now + gap_ms + UNDERWAY_MS)))
        return 0.0

    def rest(self, market: str, at: datetime, seconds: float) -> None:
        """Nobody takes a turn for so long, whatever is started anew: the service wants it so."""
        now = to_ms(at)
        with self._store.write() as connection:
            connection.exec_driver_sql(_TURN, (f"rest:{market}", f"{now} {now + round(seconds * 1000)}"))

    def answered(self, market: str, at: datetime, gap_s: float) -> None:
        """The question of the turn that was taken has been answered: the next one is due `gap_s` after that."""
        free = to_ms(at) + round(gap_s * 1000)
        with self._store.write() as connection:
            connection.exec_driver_sql(_TURN, (f"turn:{market}", str(free)))

    def begin(self, market: str, at: datetime, reserve: int) -> int:
        """Count a request and set rows aside: how many may be asked for.

        0 when the day's rows are used up: then nothing is counted. Where rows are not charged it is `reserve`.
        """
        limit = self._limits.get(market)
        with self._store.write() as connection:
            allowed = reserve
            if limit is not None:
                spent = _spent(connection, market, utc_day(at))
                allowed = max(min(reserve, limit - spent.rows - spent.reserved), 0)
                if allowed == 0 and reserve > 0:
                    return 0
            connection.exec_driver_sql(_BEGIN, (market, utc_day(at), allowed if limit is not None else 0))
        return allowed

    def cancel(self, market: str, at: datetime, reserved: int) -> None:
        """Give back rows set aside for a question that certainly was not charged."""
        self.settle(market, at, reserved, 0)

    def settle(self, market: str, at: datetime, reserved: int, actual: int) -> None:
        """Replace rows set aside by the rows that were charged."""
        with self._store.write() as connection:
            settle(connection, market, at, reserved, actual)

    def spent(self, market: str, at: datetime) -> Spent:
        """What was spent on the UTC day of `at`."""
        with self._store.read() as connection:
            return _spent(connection, market, utc_day(at))

    def left(self, market: str, at: datetime) -> int:
        """Rows that may still be asked for on the UTC day of `at`. Raises KeyError where rows are not charged."""
        limit = self._limits[market]
        if limit is None:
            raise KeyError(market)
        spent = self.spent(market, at)
        return max(limit - spent.rows - spent.reserved, 0)


def settle(connection: Connection, market: str, at: datetime, reserved: int, actual: int) -> None:
    """The same inside a transaction of the caller.

    A question sent before midnight and answered after it belongs to the day on which its rows were set aside.
    """
    day = utc_day(at)
    if reserved and _spent(connection, market, day).reserved < reserved:
        eve = utc_day(at - timedelta(days=1))
        if _spent(connection, market, eve).reserved >= reserved:
            day = eve
    if connection.exec_driver_sql(_SETTLE, (reserved, actual, market, day)).rowcount == 0 and actual:
        connection.exec_driver_sql(
            "INSERT INTO usage (market, day, requests, rows, reserved) VALUES (?, ?, 0, ?, 0)", (market, day, actual)
        )


def _spent(connection: Connection, market: str, day: str) -> Spent:
    query = "SELECT requests, rows, reserved FROM usage WHERE market = ? AND day = ?"
    row = connection.exec_driver_sql(query, (market, day)).one_or_none()
    return Spent() if row is None else Spent(requests=row[0], rows=row[1], reserved=row[2])

"""How far each market's watch has been judged, and what people are told of it: kept together or not at all.

Whoever dies between an answer and its judgement judges it after the next start: nothing is lost and nothing doubled.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from market.alert import Alert
from storage.queueing import queue
from storage.store import Store
from storage.times import from_maybe_ms, maybe_ms, to_ms

_READ = "SELECT value FROM meta WHERE key = ?"
_KEEP = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """One market: its last good answer that was judged, and whether the owner knows that it is broken since."""

    ok_at: datetime | None = None
    owner_knows: bool = False


class OutageBook:
    """The judged state of each market. Raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, market: str) -> Sight:
        """What was kept; empty before the first time."""
        with self._store.read() as connection:
            text = connection.exec_driver_sql(_READ, (f"sight:{market}",)).scalar()
        if text is None:
            return Sight()
        record = json.loads(text)
        return Sight(ok_at=from_maybe_ms(record["ok_at"]), owner_knows=record["owner_knows"])

    def keep(self, market: str, sight: Sight, *, at: datetime, alerts: Sequence[Alert] = ()) -> bool:
        """Replace it and queue what follows, in one transaction; whether anything new was queued."""
        record = json.dumps({"ok_at": maybe_ms(sight.ok_at), "owner_knows": sight.owner_knows})
        with self._store.write() as connection:
            connection.exec_driver_sql(_KEEP, (f"sight:{market}", record))
            return bool(queue(connection, alerts, queued_at=to_ms(at)))

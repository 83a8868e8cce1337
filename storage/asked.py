"""What was asked lately by an earlier run, so that a restart does not ask and pay for it again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from storage.heartbeat import FAILED
from storage.store import Store
from storage.times import to_ms

LATELY: Final = timedelta(hours=6)

_ASKED = """
SELECT c.text, s.at, s.rows FROM coverage c
JOIN scan s ON s.coverage_id = c.coverage_id AND s.at = c.last_at
WHERE c.market = ? AND c.last_at > ? AND c.last_at <= ? AND s.status <> ?
"""


def asked_lately(store: Store, market: str, now: datetime) -> dict[str, tuple[float, int]]:
    """By the text of each query of the last hours, the seconds since its good answer, and its rows."""
    moment = to_ms(now)
    bounds = (market, to_ms(now - LATELY), moment, FAILED)
    with store.read() as connection:
        found = connection.exec_driver_sql(_ASKED, bounds).all()
    return {text: ((moment - at) / 1000, rows) for text, at, rows in found}

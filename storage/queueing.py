"""Alerts between their records and the rows of the outbox, and putting them there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from market.alert import Alert, Part, part_from_record, part_to_record
from storage.times import maybe_ms, to_ms

_QUEUE = """
INSERT INTO outbox (dedup_key, chat, topic, kind, watch_ids, gpu, market, key, price_per_gpu, parts, seen_at, queued_at,
  not_before, attempts, counted, was_held, state, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?) ON CONFLICT (dedup_key) DO NOTHING
"""


def queue(connection: Connection, alerts: Sequence[Alert], *, queued_at: int) -> tuple[int, ...]:
    """Put alerts into the outbox, each dedup key once; the ids of the new ones."""
    if not alerts:
        return ()
    last = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM outbox").scalar_one()
    connection.exec_driver_sql(_QUEUE, [_row(alert, queued_at) for alert in alerts])
    found = connection.exec_driver_sql("SELECT id FROM outbox WHERE id > ? ORDER BY id", (last,))
    return tuple(id_ for (id_,) in found)


def headline(parts: Sequence[Part]) -> tuple[str | None, str | None, str | None, int | None]:
    """(card, market, key, price per GPU) of the best offer in these parts; None where they show no offer."""
    showing = [part for part in parts if part.offers]
    if not showing:
        return None, None, None, None
    part = min(showing, key=lambda part: (part.price_per_gpu(), part.offers[0].key))
    offer = part.offers[0]
    return offer.gpu, offer.market, offer.key, part.price_per_gpu()


def parts_text(parts: Sequence[Part]) -> str:
    """Parts as they are stored."""
    return json.dumps([part_to_record(part) for part in parts], ensure_ascii=False, separators=(",", ":"))


def parts_of(text: str) -> tuple[Part, ...]:
    """The parts that `parts_text` wrote."""
    return tuple(part_from_record(record) for record in json.loads(text))


def watch_ids_text(parts: Sequence[Part]) -> str:
    """The ids of the watches that speak in these parts."""
    return json.dumps(sorted({part.watch_id for part in parts}))


def alert_of(
    *,
    kind: Any,
    chat: str,
    topic: str | None,
    parts: str,
    seen_at: datetime,
    dedup_key: str,
    reason: str,
    not_before: datetime | None,
) -> Alert:
    """The alert of a stored row."""
    return Alert(
        kind=kind,
        chat=chat,
        topic=topic,
        parts=parts_of(parts),
        seen_at=seen_at,
        dedup_key=dedup_key,
        reason=reason,
        not_before=not_before,
    )


def _row(alert: Alert, queued_at: int) -> tuple[Any, ...]:
    held = alert.not_before is not None
    return (
        alert.dedup_key,
        alert.chat,
        alert.topic,
        alert.kind,
        watch_ids_text(alert.parts),
        *headline(alert.parts),
        parts_text(alert.parts),
        to_ms(alert.seen_at),
        queued_at,
        maybe_ms(alert.not_before),
        int(not held),
        int(held),
        "held" if held else "queued",
        alert.reason,
    )

"""What sending an alert, or giving it up, means for the memory of what was told.

An alert counts as told when it is queued, so that the next answer does not queue it again. One that is never sent
told nothing: its keys may be told again at once, and its episode was last told what was really sent before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sqlalchemy import Connection

from market.alert import Part, price_per_gpu
from storage.queueing import parts_of

_LATER = """
SELECT 1 FROM outbox o, json_each(o.watch_ids) w
WHERE o.id > ? AND o.counted AND o.state IN ('queued', 'held', 'sent') AND w.value = ? AND instr(o.parts, ?) LIMIT 1
"""
_BEFORE = """
SELECT o.parts FROM outbox o, json_each(o.watch_ids) w, episode e
WHERE o.id < ? AND o.state = 'sent' AND w.value = e.watch_id AND e.watch_id = ? AND e.card = ?
  AND o.queued_at >= e.opened_at ORDER BY o.id DESC
"""
_UNTELL = "DELETE FROM told WHERE watch_id = ? AND key = ? AND told_at = ?"
_TOLD_PRICE = "UPDATE episode SET told_price = ? WHERE watch_id = ? AND card = ?"


def forget_telling(connection: Connection, alert_id: int, parts: Iterable[Part], queued_at: int) -> None:
    """Take back what queueing an alert noted as told. `queued_at` is epoch milliseconds."""
    for part in parts:
        for card, _ in _cards(part):
            if not _told_later(connection, alert_id, part.watch_id, card):
                price = _sent_before(connection, alert_id, part.watch_id, card)
                connection.exec_driver_sql(_TOLD_PRICE, (price, part.watch_id, card))
        for offer in part.offers:
            connection.exec_driver_sql(_UNTELL, (part.watch_id, offer.key, queued_at))


def note_telling(connection: Connection, alert_id: int, parts: Iterable[Part]) -> None:
    """Note the prices that an alert really told, unless something later was told already."""
    for part in parts:
        for card, price in _cards(part):
            if not _told_later(connection, alert_id, part.watch_id, card):
                connection.exec_driver_sql(_TOLD_PRICE, (price, part.watch_id, card))


def _cards(part: Part) -> Iterator[tuple[str, int]]:
    """The cards that a part shows, each with the lowest price told for it."""
    lowest: dict[str, int] = {}
    for offer in part.offers:
        price = price_per_gpu(offer, part.terms, part.disk_gb)
        lowest[offer.gpu] = min(price, lowest.get(offer.gpu, price))
    yield from lowest.items()


def _told_later(connection: Connection, alert_id: int, watch_id: int, card: str) -> bool:
    named = f'"gpu":{json.dumps(card, ensure_ascii=False)}'
    return connection.exec_driver_sql(_LATER, (alert_id, watch_id, named)).first() is not None


def _sent_before(connection: Connection, alert_id: int, watch_id: int, card: str) -> int | None:
    for (text,) in connection.exec_driver_sql(_BEFORE, (alert_id, watch_id, card)):
        for part in parts_of(text):
            price = dict(_cards(part)).get(card) if part.watch_id == watch_id else None
            if price is not None:
                return price
    return None

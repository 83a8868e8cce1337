"""What is on offer as far as is known: the open offers, each with its age. It never asks a market."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from market.offer import Offer
from storage.listing import open_offers
from storage.store import Store
from storage.times import from_ms, from_s

_LAST_CLOSED = """
SELECT max((SELECT t1 FROM span s WHERE s.market_id = o.market_id AND s.offer_id = o.offer_id ORDER BY t1 DESC LIMIT 1))
FROM offer o WHERE o.key = ?
"""
# from the latest span backwards: what is asked for has mostly just closed


class Current(NamedTuple):
    """An open offer, when its present stay began and when it was last seen."""

    offer: Offer
    since: datetime
    seen_at: datetime


def current(store: Store) -> list[Current]:
    """Every open offer, in no order. Raises StoreError."""
    with store.read() as connection:
        return [Current(row.offer, from_s(row.since), from_ms(row.seen_at)) for row in open_offers(connection)]


def seen_cards(store: Store) -> frozenset[str]:
    """The name of every card that ever was on offer. Raises StoreError."""
    with store.read() as connection:
        return frozenset(name for (name,) in connection.exec_driver_sql("SELECT DISTINCT gpu FROM market"))


def last_closed(store: Store, key: str) -> datetime | None:
    """When the latest closed span of an offer ended: when it was last seen as it was. Raises StoreError."""
    with store.read() as connection:
        ended = connection.exec_driver_sql(_LAST_CLOSED, (key,)).scalar_one()
    return None if ended is None else from_s(ended)

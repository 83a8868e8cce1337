"""Closed spans: how a presence becomes rows of `span`, and how they are read again.

No span is longer than a week, so that whoever asks for a stretch of time knows how far to look.
"""

from __future__ import annotations

from market.offer import Offer
from storage.listing import level

LONGEST_S = 7 * 86_400

SpanRow = tuple[int, int, int, int, int, int | None, int | None, int]
"""(market id, t1, offer id, dur, price, reliability in basis points, stock, unverified)."""


def span_rows(offer: Offer, *, offer_id: int, market_id: int, start: int, end: int) -> list[SpanRow]:
    """The rows for one presence from `start` to `end`, epoch seconds; none if it did not last a second."""
    tail = (offer.price, basis_points(offer.reliability_ppm), level(offer.stock), int(offer.verified is False))
    rows: list[SpanRow] = []
    while end - start > LONGEST_S:
        start += LONGEST_S
        rows.append((market_id, start, offer_id, LONGEST_S, *tail))
    if end > start:
        rows.append((market_id, end, offer_id, end - start, *tail))
    return rows


def basis_points(ppm: int | None) -> int | None:
    """Reliability in basis points, rounded up so that what is above 95 % stays above it."""
    return None if ppm is None else -(-ppm // 100)

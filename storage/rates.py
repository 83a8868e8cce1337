"""What an offer costs per GPU, in each of the ways in which the cheapest price of a card is kept.

Worked out once for each description of an offer, because the cheapest is looked for again and again.
"""

from __future__ import annotations

from typing import Final

from market.alert import price_per_gpu
from market.changes import reliability_class
from market.offer import DEFAULT_DISK_GB, Offer, Terms

TERMS: Final[tuple[Terms, ...]] = ("on_demand", "interruptible")
"""By their number in the table `floor`."""
SORTS: Final = ((0, 0), (0, 95), (1, 0), (1, 95))
"""(terms, reliability class)."""

Rates = tuple[int | None, int | None, int | None, int | None]
"""Micro-dollars per GPU-hour by `SORTS`; None where the offer does not count."""
NO_RATES: Final[Rates] = (None, None, None, None)


def rates_of(offer: Offer) -> Rates:
    """The rates of an offer. Unverified ones have none: they are nobody's price unless asked for."""
    if offer.verified is False:
        return NO_RATES
    price = price_per_gpu(offer, "on_demand", DEFAULT_DISK_GB)
    bid = None if offer.interruptible_price is None else price_per_gpu(offer, "interruptible", DEFAULT_DISK_GB)
    if reliability_class(offer.reliability_ppm):
        return price, price, bid, bid
    return price, None, bid, None

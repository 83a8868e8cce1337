"""Which offers of an alert are shown, and in which order, in the chat and in the terminal alike."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from market.alert import Alert
from market.offer import Offer, Terms


@dataclass(frozen=True, slots=True)
class Shown:
    """An offer of an alert, on the terms and with the disk of the rule that brought it."""

    offer: Offer
    terms: Terms
    disk_gb: int


def shown_offers(alert: Alert) -> list[Shown]:
    """Every offer that the alert shows, cheapest per GPU first, each once for the same terms and disk.

    Prices are compared unrounded; an offer without a price on its terms comes last.
    """
    found = {Shown(offer, part.terms, part.disk_gb): None for part in alert.parts for offer in part.offers}
    return sorted(found, key=_price_then_key)


def _price_then_key(shown: Shown) -> tuple[bool, Fraction, str]:
    monthly = shown.offer.monthly(shown.terms, shown.disk_gb)
    return (monthly is None, Fraction(monthly or 0, shown.offer.gpu_count), shown.offer.key)

"""What the fields of an offer may hold: the last check before the database.

Nothing that an adapter lets through by mistake may spoil a whole answer, so an unsound offer is left out alone.
"""

from __future__ import annotations

from operator import attrgetter, contains
from typing import Final

from market.offer import Offer

_LARGEST: Final = 2**63 - 1

_TEXT: Final = (str,)
_NUMBER: Final = (int,)
_MAYBE_TEXT: Final = (str, type(None))
_MAYBE_NUMBER: Final = (int, type(None))
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "key": _TEXT,
    "market": _TEXT,
    "machine": _TEXT,
    "gpu": _TEXT,
    "spelling": _TEXT,
    "gpu_count": _NUMBER,
    "vram_gb": _NUMBER,
    "tier": _TEXT,
    "price": _NUMBER,
    "offer_id": _TEXT,
    "disk_gb": _NUMBER,
    "storage_price": _MAYBE_NUMBER,
    "interruptible_price": _MAYBE_NUMBER,
    "reliability_ppm": _MAYBE_NUMBER,
    "verified": (bool, type(None)),
    "stock": _MAYBE_TEXT,
    "country": _MAYBE_TEXT,
    "place": _MAYBE_TEXT,
    "data_centers": (tuple,),
    "gpu_ids": (tuple,),
    "machine_gpus": _MAYBE_NUMBER,
    "disk_space_gb": _MAYBE_NUMBER,
    "down_mbps": _MAYBE_NUMBER,
    "ram_gb": _MAYBE_NUMBER,
    "cuda": _MAYBE_NUMBER,
    "ends_at": _MAYBE_NUMBER,
}
"""Exact types: what passes for a number elsewhere, such as a truth, is none here."""
_ALLOWED: Final = tuple(_KINDS[name] for name in Offer._fields)
_NAMES: Final = attrgetter("key", "market", "machine", "gpu", "spelling")
_OTHER_TEXTS: Final = attrgetter("offer_id", "country", "place")
_NUMBERS: Final = attrgetter(*[name for name, kinds in _KINDS.items() if int in kinds])


def sound(offer: Offer) -> bool:
    """Whether an offer holds what its fields promise."""
    if not all(map(contains, _ALLOWED, map(type, offer))) or not all(_NAMES(offer)):
        return False
    for number in _NUMBERS(offer):
        if number is not None and not 0 <= number <= _LARGEST:
            return False
    if not set(map(type, offer.gpu_ids)) <= {int} or not set(map(type, offer.data_centers)) <= {str}:
        return False
    return (
        offer.gpu_count >= 1
        and offer.price >= 1
        and offer.tier in ("datacenter", "secure", "community")
        and offer.stock in (None, "low", "medium", "high")
        and (offer.reliability_ppm is None or offer.reliability_ppm <= 1_000_000)
        and (not offer.gpu_ids or (min(offer.gpu_ids) >= 0 and max(offer.gpu_ids) <= _LARGEST))
        and _writable("".join([*_NAMES(offer), *filter(None, _OTHER_TEXTS(offer)), *offer.data_centers]))
    )


def _writable(text: str) -> bool:
    # a lone half of a surrogate pair passes for text until it has to be written down
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)

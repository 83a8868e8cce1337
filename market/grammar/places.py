"""Market and tier words, and the places they stand for.

Market words intersect tier words, words of one sort unite. RunPod alone means Secure Cloud, and so does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from market.rule import DEFAULT_PLACES, EVERY_PLACE, Place

TIERS: Final = frozenset({"datacenter", "secure", "community"})
ANY_TIER: Final = "any tier"

_VAST: Final = frozenset(place for place in EVERY_PLACE if place[0] == "vast")
_SECURE: Final[Place] = ("runpod", "secure")
_WRITTEN: Final[tuple[tuple[str, ...], ...]] = (
    (),
    ("vast",),
    ("vast", "datacenter"),
    ("vast", "community"),
    ("runpod", "secure"),
    ("runpod", "community"),
    ("runpod", ANY_TIER),
    ("community",),
    ("datacenter", "secure"),
    ("datacenter", "community"),
    ("secure", "community"),
    (ANY_TIER,),
)
"""Every set of places that words can name, each in its canonical words."""


def places_of(words: frozenset[str]) -> frozenset[Place]:
    """The places that market and tier words name together; empty when they exclude each other."""
    markets = words & {"vast", "runpod"}
    tiers = words & TIERS
    if ANY_TIER in words:
        tiers = TIERS
    if not tiers:
        return frozenset(place for place in DEFAULT_PLACES if not markets or place[0] in markets)
    return frozenset(place for place in EVERY_PLACE if place[1] in tiers and (not markets or place[0] in markets))


def words_for(places: frozenset[Place], *, spot: bool) -> tuple[str, ...]:
    """The canonical words for a set of places. Raises ValueError for a set that no words name."""
    if spot and places == _VAST:
        return ("vast",)
    found = _BY_PLACES.get(places)
    if found is None:
        raise ValueError(f"no words name {sorted(places)}")
    return found


def secure_only(places: frozenset[Place]) -> frozenset[Place]:
    """What is left of places when only RunPod Secure Cloud will do."""
    return places & {_SECURE}


def vast_only(places: frozenset[Place]) -> frozenset[Place]:
    """What is left of places when only Vast.ai will do."""
    return places & _VAST


_BY_PLACES: Final[Mapping[frozenset[Place], tuple[str, ...]]] = {places_of(frozenset(w)): w for w in _WRITTEN}
NAMEABLE: Final = frozenset(_BY_PLACES)
"""Every set of places that a rule can hold."""

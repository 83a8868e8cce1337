"""One answer of a marketplace: what it showed, what it could have shown, and whether it was whole."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime

from market.coverage import Coverage
from market.offer import Offer


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A good answer. Failed ones never become a snapshot: nothing is known from them.

    `complete` is False when the market may have kept rows back (a cut list, a partial error): the offers it shows
    are real, the ones it lacks are unknown. `offers` holds one offer a key. `taken_at` is aware UTC.
    """

    market: str
    coverage: Coverage
    complete: bool
    offers: tuple[Offer, ...]
    taken_at: datetime
    rows: int
    """Rows returned and charged by the market, before anything was sorted out here."""
    skipped: int = 0
    """Rows that could not be read."""
    unfit: int = 0
    """Rows that were not what was asked for."""
    unknown_fields: int = 0
    """Rows that were read although something a rule may ask for was missing, fit for the query or not."""
    prints: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    """Fingerprints of all offers by key, in the order of the offers, or none: the `hash` of each, made by the reader of
    a large answer while it is at hand. Two numbers are compared many times faster than two offers, and 64 bits do not
    meet by chance."""
    cut: bool = False
    """As many rows as one answer can hold: there may be more."""
    exclusion_ignored: bool = False
    """It shows machines that were to be kept out; `coverage` is then without that exclusion."""
    notes: tuple[str, ...] = ()
    """What a person should know about this answer, in English, for the log and `scan`."""

    def keys(self) -> AbstractSet[str]:
        """The keys of its offers."""
        return self.prints.keys() if self.has_prints() else {offer.key for offer in self.offers}

    def has_prints(self) -> bool:
        """Whether `prints` holds the fingerprint of each offer and no more: offers may have been left out since."""
        return len(self.prints) == len(self.offers)

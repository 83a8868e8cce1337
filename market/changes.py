"""What one answer changes in what was known: pure comparison, no decision about alerts.

An offer is *gone* only by a complete answer that covers it. One that the answer should have shown at its last price,
but could have hidden for becoming dearer, is *doubtful*: nobody knows, and it is worth asking for by machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import compress
from operator import not_

from market.offer import Offer
from market.snapshot import Snapshot

RELIABILITY_CLASS_PPM = 950_000
"""History tells offers above this reliability apart; crossing it opens a new span, drift inside a class does not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The difference between the open offers and a snapshot. One key stands in one group only."""

    appeared: tuple[Offer, ...] = ()
    changed: tuple[tuple[Offer, Offer], ...] = ()
    """(before, now) where something differs that history records: price, stock level, verification, class."""
    refreshed: tuple[Offer, ...] = ()
    """Details only, such as a new ask id or another bid floor."""
    gone: tuple[Offer, ...] = ()
    doubtful: tuple[Offer, ...] = ()

    def fresh(self) -> tuple[Offer, ...]:
        """Every offer whose description is new: what rules have to look at."""
        return (*self.appeared, *(now for _, now in self.changed), *self.refreshed)


def compare(
    known: Mapping[str, Offer],
    candidates: Iterable[Offer],
    snapshot: Snapshot,
    prints: AbstractSet[int] = frozenset(),
) -> Changes:
    """What `snapshot` changes.

    `known` holds the open offers by key, `prints` the fingerprints of some or all of them; `candidates` are those that
    the snapshot's coverage may concern (a superset is fine, only slower).
    """
    appeared: list[Offer] = []
    changed: list[tuple[Offer, Offer]] = []
    refreshed: list[Offer] = []
    for offer in _moved(snapshot, prints):
        before = known.get(offer.key)
        if before == offer:
            continue
        if before is None:
            appeared.append(offer)
        elif _same_span(before, offer):
            refreshed.append(offer)
        else:
            changed.append((before, offer))
    gone: list[Offer] = []
    doubtful: list[Offer] = []
    if snapshot.complete:
        coverage, at, hides = snapshot.coverage, snapshot.taken_at, snapshot.coverage.hides()
        seen = snapshot.keys()
        for offer in candidates:
            if offer.key in seen:
                continue
            if not hides:
                if coverage.covers(offer, at):
                    gone.append(offer)
            elif coverage.expects(offer, at):
                doubtful.append(offer)
    return Changes(
        appeared=tuple(appeared),
        changed=tuple(changed),
        refreshed=tuple(refreshed),
        gone=tuple(gone),
        doubtful=tuple(doubtful),
    )


def reliability_class(reliability_ppm: int | None) -> int:
    """95 for offers strictly above 95 %, else 0: the two classes that history keeps apart."""
    return 95 if reliability_ppm is not None and reliability_ppm > RELIABILITY_CLASS_PPM else 0


def _moved(snapshot: Snapshot, prints: AbstractSet[int]) -> Iterable[Offer]:
    """The offers but those whose fingerprint is known: nearly all are as they were, and are not even looked at."""
    if not prints or not snapshot.has_prints():
        return snapshot.offers
    return compress(snapshot.offers, map(not_, map(prints.__contains__, snapshot.prints.values())))


def _same_span(before: Offer, now: Offer) -> bool:
    return (
        before.price == now.price
        and before.stock == now.stock
        and before.verified == now.verified
        and before.gpu == now.gpu
        and before.vram_gb == now.vram_gb
        and before.tier == now.tier
        and reliability_class(before.reliability_ppm) == reliability_class(now.reliability_ppm)
    )

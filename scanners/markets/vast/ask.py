"""One ask of Vast.ai, a row of its answer, becomes an offer in the product's own terms.

Whether it fits the query is decided by `fits`: nothing is believed only because it was asked for, because the server
is known to drop filters silently. A host's address is not even read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from market.coverage import Coverage
from market.gpu import Catalogue
from market.money import MICRO
from market.offer import DEFAULT_DISK_GB, Offer, Tier
from scanners.markets.vast.fields import Cards, CudaVersions, Places, price_without_extra_disk

NAME: Final = "vast"


def offers_of(coverage: Coverage, catalogue: Catalogue, at: datetime) -> Callable[[tuple[Any, ...]], Offer | None]:
    """What makes the offers of one answer, remembering what it worked out: a book names few cards and places.

    It gives None for what cannot be rented on demand right now or costs nothing. It is written for speed (local names,
    values in one step, fields by position): a large answer spends its time here.
    """
    cards, places, versions = Cards(catalogue, NAME), Places(), CudaVersions()
    asked_gb, moment = coverage.disk_gb, at.timestamp()

    def offer_of(values: tuple[Any, ...]) -> Offer | None:
        # fmt: off
        (
            ask_id, machine_id, spelling, count, usd, base, ram, share, ids, bid, storage, told, told2, verification,
            hosting, rentable, where, disk, down, memory, version, lasts, ends,
        ) = values
        # fmt: on
        price = round(usd * MICRO)
        if asked_gb != DEFAULT_DISK_GB and storage is not None:
            price = price_without_extra_disk(usd, base, storage, asked_gb)
        if rentable is False or price <= 0:
            return None
        gpu, vram_gb = cards[spelling, ram]
        country, place = places[where]
        # two names for one figure: the worse counts, and one that was withheld makes both unknown
        if told2 is None or (told is not None and told2 < told):
            told = told2
        if ends is None and lasts is not None:
            ends = moment + lasts
        return Offer(
            f"vast:{machine_id}:{count}",
            NAME,
            str(machine_id),
            gpu,
            spelling,
            count,
            vram_gb,
            "datacenter" if hosting == 1 else "community",
            price,
            str(ask_id),
            asked_gb if storage is None else DEFAULT_DISK_GB,
            None if storage is None else round(storage * MICRO),
            round(bid * MICRO) or None if bid else None,
            None if told is None else round(told * MICRO),
            verification == "verified",
            None,
            country,
            place,
            (),
            ids or (),
            round(count / share) if share else None,
            None if disk is None else int(disk),
            None if down is None else int(down),
            None if memory is None else int(memory / 1000),
            versions[version],
            None if ends is None else int(ends),
        )

    return offer_of


def fits(coverage: Coverage, at: datetime) -> Callable[[Offer], bool]:
    """Whether an offer is what the query asked for: every filter is applied again."""
    if not _takes_everything(coverage):
        return lambda offer: coverage.expects(offer, at)
    return (lambda offer: offer.verified is True) if coverage.verified_only else (lambda _: True)


def lacks_something(offer: Offer) -> bool:
    """Whether something that a rule may ask for is unknown. CUDA does not count: AMD cards have none."""
    return (
        offer.reliability_ppm is None
        or offer.country is None
        or offer.disk_space_gb is None
        or offer.down_mbps is None
        or offer.ram_gb is None
        or offer.ends_at is None
    )


def _takes_everything(coverage: Coverage) -> bool:
    """Whether the query is for the whole book, so that the costly check of every filter can be left out."""
    return coverage == Coverage(
        market=NAME,
        tiers=frozenset[Tier](("datacenter", "community")),
        verified_only=coverage.verified_only,
        disk_gb=min(coverage.disk_gb, DEFAULT_DISK_GB),
    )

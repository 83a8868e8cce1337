"""One rentable offer, the same record for every marketplace.

An offer is identified by `key`, never by the id one clicks: on Vast.ai the ask id changes whenever a machine is
rented and returns, so the identity is (machine, GPU count); on RunPod it is (type, cloud, count).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from market.money import HOURS_PER_MONTH

Terms = Literal["on_demand", "interruptible"]
Tier = Literal["datacenter", "secure", "community"]
Stock = Literal["low", "medium", "high"]

DEFAULT_DISK_GB = 8
"""Disk inside a Vast.ai price when nobody asks for more; every stored price is normalised to it."""


class Offer(NamedTuple):
    """One offer as a marketplace last described it. `None` means that the market did not say.

    A NamedTuple and not a dataclass, because thousands are built for every answer and building one is the larger
    part of parsing. Amounts are micro-dollars for the WHOLE offer, memory and disk are GB, links Mbit/s.
    """

    key: str
    """`vast:<machine>:<count>` or `runpod:<type id>:<secure|community>:<count>`."""
    market: str
    machine: str
    """Vast.ai machine id; RunPod type id."""
    gpu: str
    """Canonical card name of the catalogue, or the market's own spelling of an unknown card."""
    spelling: str
    """The card as the market itself spells it, for requests and links."""
    gpu_count: int
    vram_gb: int
    """Nominal memory of one card."""
    tier: Tier
    price: int
    """On-demand micro-dollars an hour, with `disk_gb` of disk inside."""
    offer_id: str
    """What one clicks or rents: the ask id (Vast.ai), the type id (RunPod)."""
    disk_gb: int = 0
    storage_price: int | None = None
    """Micro-dollars per GB and month of 720 h; None where disk is not part of the price (RunPod)."""
    interruptible_price: int | None = None
    """Lowest bid, micro-dollars an hour for the whole offer, without disk (Vast.ai `min_bid`)."""
    reliability_ppm: int | None = None
    """Reliability in parts per million; None where the market publishes none or did not know."""
    verified: bool | None = None
    stock: Stock | None = None
    country: str | None = None
    """ISO 3166 code, upper case."""
    place: str | None = None
    data_centers: tuple[str, ...] = ()
    gpu_ids: tuple[int, ...] = ()
    """Physical GPUs of a Vast.ai slice; slices of one machine overlap."""
    machine_gpus: int | None = None
    disk_space_gb: int | None = None
    """The most disk that can be rented with the offer; never part of the price."""
    down_mbps: int | None = None
    ram_gb: int | None = None
    cuda: int | None = None
    """Highest CUDA version as major * 1000 + minor."""
    ends_at: int | None = None
    """Epoch second at which the host takes the machine back."""

    def monthly(self, terms: Terms, disk_gb: int) -> int | None:
        """Micro-dollars for 720 hours of the whole offer with `disk_gb` of disk, exact; None if not offered so.

        Vast.ai: price(d) = dph_total + (d - GB asked for) * storage_cost / 720. Where the market keeps disk out of
        its price, the disk changes nothing.
        """
        storage = self.storage_price or 0
        if terms == "on_demand":
            extra = (disk_gb - self.disk_gb) * storage if self.storage_price is not None else 0
            return self.price * HOURS_PER_MONTH + extra
        if self.interruptible_price is None:
            return None
        return self.interruptible_price * HOURS_PER_MONTH + disk_gb * storage

    def hourly(self, terms: Terms = "on_demand", disk_gb: int = DEFAULT_DISK_GB) -> int | None:
        """Micro-dollars an hour for the whole offer with `disk_gb` of disk, rounded for people to read."""
        monthly = self.monthly(terms, disk_gb)
        return None if monthly is None else round(monthly / HOURS_PER_MONTH)


def vast_key(machine: str | int, gpu_count: int) -> str:
    """Identity of a Vast.ai offer."""
    return f"vast:{machine}:{gpu_count}"


def runpod_key(type_id: str, tier: str, gpu_count: int) -> str:
    """Identity of a RunPod offer."""
    return f"runpod:{type_id}:{tier}:{gpu_count}"


def cheapest_per_key(offers: list[Offer]) -> tuple[Offer, ...]:
    """One offer a key: the cheapest ask is kept and the physical GPUs of all of them are united.

    Vast.ai can list several asks of one size for one machine, and repeats rows.
    """
    best: dict[str, Offer] = {}
    for offer in offers:
        other = best.get(offer.key)
        if other is None:
            best[offer.key] = offer
            continue
        cheap, dear = (offer, other) if offer.price < other.price else (other, offer)
        if cheap.gpu_ids != dear.gpu_ids:
            cheap = cheap._replace(gpu_ids=tuple(sorted({*cheap.gpu_ids, *dear.gpu_ids})))
        best[offer.key] = cheap
    return tuple(best.values())


def physical_gpus(offers: list[Offer]) -> int:
    """GPUs that can be had at once: slices of one machine overlap, so physical ids are counted once.

    A slice that does not list its GPUs counts as its size, and a machine as its largest such slice.
    """
    ids: dict[str, set[int]] = {}
    blind: dict[str, int] = {}
    for offer in offers:
        if offer.gpu_ids:
            ids.setdefault(offer.machine, set()).update(offer.gpu_ids)
        else:
            blind[offer.machine] = max(blind.get(offer.machine, 0), offer.gpu_count)
    return sum(max(len(ids.get(m, ())), blind.get(m, 0)) for m in ids.keys() | blind.keys())

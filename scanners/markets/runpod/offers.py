"""RunPod's listings become a snapshot: what can be rented now in one cloud at one pod size."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from market.coverage import Coverage
from market.gpu import Catalogue
from market.money import micro
from market.offer import Offer, Stock, Tier, runpod_key
from market.place import data_center_country
from market.snapshot import Snapshot
from scanners.client import printable
from scanners.errors import OddAnswer
from scanners.markets.runpod.listing import Listing
from scanners.markets.runpod.memory import Memory
from scanners.markets.runpod.wire import NAME, SENTINEL


def snapshot(
    listings: Sequence[Listing],
    *,
    coverage: Coverage,
    catalogue: Catalogue,
    memory: Memory,
    taken_at: datetime,
    skipped: int = 0,
    complaint: str | None = None,
    remark: str | None = None,
) -> Snapshot:
    """The offers among `listings`; incomplete as soon as something in the answer leaves a type in doubt. A `remark`
    is of something besides and casts none.

    Raises OddAnswer for a list that has suddenly lost most of its types.
    """
    (tier,), gpu_count = coverage.tiers, coverage.counts[0]
    if not memory.believes_length(len(listings)):
        raise OddAnswer(NAME, f"only {len(listings)} GPU types came, less than half of the last list")
    offers: dict[str, Offer] = {}
    doubts: list[str] = []
    for each in listings:
        if each.type_id == SENTINEL or not each.sellable(gpu_count) or each.price is None:
            continue
        believed = memory.believes_price(each.type_id, tier, gpu_count, each.price)
        if each.level == "unknown":
            doubts.append(f"{printable(each.name, 40)}: stock level {printable(each.word, 20)!r} is not known")
        elif each.stock is not None and not believed:
            doubts.append(f"{printable(each.name, 40)}: the price fell to a filler's, waiting to see it again")
        elif each.stock is not None:
            offer = _offer(each, tier, gpu_count, each.price, each.stock, catalogue)
            offers.setdefault(offer.key, offer)
    if skipped:
        doubts.append(f"{skipped} GPU types could not be read and were skipped")
    if complaint is not None:
        doubts.append(f"the answer is partial: {complaint}")
    return Snapshot(
        market=NAME,
        coverage=coverage,
        complete=not doubts,
        offers=tuple(offers.values()),
        taken_at=taken_at,
        rows=len(listings) + skipped,
        skipped=skipped,
        notes=(*doubts, remark) if remark is not None else tuple(doubts),
    )


def _offer(each: Listing, tier: Tier, gpu_count: int, price: float, stock: Stock, catalogue: Catalogue) -> Offer:
    card = catalogue.card_of(NAME, each.type_id)
    centers = each.data_centers or ()
    countries = {data_center_country(center) for center in centers}
    # The pod's own price may be told too. The dearer of both counts: nobody shall be promised less than it costs.
    total = max(micro(price) * gpu_count, micro(each.pod_price or 0))
    return Offer(
        key=runpod_key(each.type_id, tier, gpu_count),
        market=NAME,
        machine=each.type_id,
        gpu=card,
        spelling=each.name,
        gpu_count=gpu_count,
        vram_gb=catalogue.nominal_gb(card, each.memory_gb * 1024) if each.memory_gb else 0,
        tier=tier,
        price=total,
        offer_id=each.type_id,
        stock=stock,
        country=countries.pop() if len(countries) == 1 else None,
        place=", ".join(centers) or None,
        data_centers=centers,
        cuda=each.cuda,
    )

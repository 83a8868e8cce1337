"""A query in Vast.ai's words: the JSON body of a search.

Filters travel to the server wherever it applies them well, because every returned row is charged. It is never asked
for CUDA, the host's memory or derived ratios (it loses rows then), nor for `rented`, which tells about the caller.
Numbers are sent as numbers: the server drops rows when a filter is a text.
"""

from __future__ import annotations

from typing import Any, Final

from market.coverage import Coverage
from market.gpu import Catalogue
from market.money import MICRO
from scanners.markets.vast.offers import ROW_CAP

VRAM_SHARE: Final = 0.93
"""What the market reports may be up to 7 % short of the nominal size."""
MB_PER_GB: Final = 1024
ROUNDING_USD: Final = 0.000_001
"""Added to a ceiling, because the server compares floating-point sums; the exact comparison is made here."""


def body(coverage: Coverage, catalogue: Catalogue, row_limit: int) -> dict[str, Any]:
    """The search for `coverage`, at most `row_limit` rows of it."""
    query: dict[str, Any] = {
        "type": "on-demand",  # carries the bid floor too, so interruptible prices cost no second query
        "rentable": {"eq": True},
        "allocated_storage": coverage.disk_gb,
        "order": [["dph_total", "asc"]],
        "limit": min(ROW_CAP, row_limit),
    }
    if coverage.cards is not None:
        query["gpu_name"] = _one_of(sorted({s for card in coverage.cards for s in catalogue.vast_spellings(card)}))
    if coverage.verified_only:
        query["verified"] = {"eq": True}
    if len(coverage.tiers) == 1:
        query["datacenter"] = {"eq": "datacenter" in coverage.tiers}
    query |= _numbers(coverage)
    if coverage.countries:
        query["geolocation"] = {"in": sorted(coverage.countries)}
    # unwanted countries are sorted out here: the server's `notin` may drop hosts without a place, and those pass
    if coverage.machines is not None:
        query["machine_id"] = {"in": sorted(map(int, coverage.machines))}
    elif coverage.machine_range is not None:
        first, end = coverage.machine_range
        query["machine_id"] = {"gte": first} if end is None else {"gte": first, "lt": end}
    elif coverage.excluded_machines:
        query["machine_id"] = {"notin": sorted(map(int, coverage.excluded_machines))}
    return query


def _numbers(coverage: Coverage) -> dict[str, dict[str, float]]:
    filters: dict[str, dict[str, float]] = {}
    low, high = coverage.counts
    if low == high:
        filters["num_gpus"] = {"eq": low}
    elif low > 1 or high is not None:
        bounds = {"gte": low if low > 1 else None, "lte": high}
        filters["num_gpus"] = {op: bound for op, bound in bounds.items() if bound is not None}
    if coverage.ceiling is not None:
        price = "min_bid" if coverage.terms == "interruptible" else "dph_total"
        filters[price] = {"lte": round(coverage.ceiling / MICRO + ROUNDING_USD, 6)}
    if coverage.reliability_above is not None:
        filters["reliability"] = _above(coverage.reliability_above)
    if coverage.min_vram_gb is not None:
        filters["gpu_ram"] = {"gte": int(coverage.min_vram_gb * MB_PER_GB * VRAM_SHARE)}
    if coverage.min_down_mbps is not None:
        filters["inet_down"] = {"gte": coverage.min_down_mbps}
    if coverage.min_duration_s is not None:
        filters["duration"] = {"gte": coverage.min_duration_s}
    return filters


def _above(ppm: int) -> dict[str, float]:
    """Strictly above; what was meant as "at least 98 %" is kept as 979,999 and goes out as it was meant."""
    return {"gte": (ppm + 1) / MICRO} if (ppm + 1) % 1000 == 0 else {"gt": ppm / MICRO}


def _one_of(names: list[str]) -> dict[str, Any]:
    return {"eq": names[0]} if len(names) == 1 else {"in": names}

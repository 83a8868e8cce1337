"""The simulated list of RunPod's data centres, with the GPU types that stand in each. It knows no pod size."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scanners.simulator.pod_types import DATA_CENTERS
from scanners.simulator.pods import Level, PodBook

EXPANSIONS: Final = frozenset({"GPU_AVAILABILITY", "CPU_AVAILABILITY"})
REGIONS: Final = frozenset(
    {"NORTH_AMERICA", "SOUTH_AMERICA", "EUROPE", "ASIA", "MIDDLE_EAST", "AFRICA", "OCEANIA", "ANTARCTICA", "UNKNOWN"}
)
VOLUMES: Final = frozenset({"STANDARD", "HIGH_PERFORMANCE"})
COMPLIANCE: Final = frozenset(
    {"GDPR", "ISO_IEC_27001", "ISO_14001", "PCI_DSS", "HITRUST", "SOC_1_TYPE_2", "SOC_2_TYPE_2", "SOC_3_TYPE_2",
     "ITAR", "FISMA_HIGH", "HIPAA", "RENEWABLE"}
)  # fmt: skip
FILTERS: Final[Mapping[str, frozenset[str]]] = {
    "include": EXPANSIONS,
    "regions": REGIONS,
    "networkVolumeTypes": VOLUMES,
    "compliance": COMPLIANCE,
    "globalNetwork": frozenset({"true", "false"}),
}
"""The parameters of a query, and the words that each may hold."""
_REGION_OF: Final = {
    "US": "NORTH_AMERICA",
    "CA": "NORTH_AMERICA",
    "EU": "EUROPE",
    "EUR": "EUROPE",
    "AP": "ASIA",
    "OC": "OCEANIA",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CenterQuery:
    """What is asked for: words of each parameter. Empty: no such filter."""

    include: Collection[str] = ()
    regions: Collection[str] = ()
    volumes: Collection[str] = ()
    compliance: Collection[str] = ()
    global_network: bool | None = None


def center_rows(book: PodBook, asked: CenterQuery, name: str | None = None) -> list[dict[str, Any]]:
    """The data centres that fit; `name` picks one, and filters do not hide it."""
    standing = {kind.id: book.standing(kind) for kind in book.types.values()} if asked.include else {}
    names = dict.fromkeys((*DATA_CENTERS, *(center for levels in standing.values() for center in levels)))
    rows = [_row(book, center, asked, standing) for center in names if name in (None, center)]
    return rows if name is not None else [row for row in rows if _fits(row, asked)]


def _row(book: PodBook, name: str, asked: CenterQuery, standing: Mapping[str, Mapping[str, Level]]) -> dict[str, Any]:
    area = name.partition("-")[0]
    chosen = zlib.crc32(name.encode())
    row: dict[str, Any] = {
        "id": name,
        "name": name,
        "region": _REGION_OF.get(area, "UNKNOWN"),
        "globalNetwork": chosen % 3 != 0,
        "networkVolumeTypes": ["STANDARD", "HIGH_PERFORMANCE"][: chosen % 3],
        "compliance": ["SOC_2_TYPE_2", *(["GDPR"] if area in ("EU", "EUR") else [])],
    }
    if "GPU_AVAILABILITY" in asked.include:
        stock = [
            {"id": type_id, "name": book.types[type_id].name, "availability": levels[name]}
            for type_id, levels in standing.items()
            if name in levels
        ]
        if stock:
            row["gpuAvailability"] = stock
    if "CPU_AVAILABILITY" in asked.include:
        row["cpuAvailability"] = [{"id": "cpu3c-2-4", "name": "Compute-Optimized", "availability": "HIGH"}]
    return row


def _fits(row: Mapping[str, Any], asked: CenterQuery) -> bool:
    return (
        (not asked.regions or row["region"] in asked.regions)
        and set(asked.volumes) <= set(row["networkVolumeTypes"])
        and set(asked.compliance) <= set(row["compliance"])
        and asked.global_network in (None, row["globalNetwork"])
    )

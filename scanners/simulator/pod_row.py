"""Rows of the simulated REST v2 catalogue of RunPod."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from scanners.simulator.places import data_center_country
from scanners.simulator.pod_types import PodType
from scanners.simulator.pods import Cloud, Level, PodBook, center_names

LEVELS: tuple[Level, ...] = ("NONE", "LOW", "MEDIUM", "HIGH")


@dataclass(frozen=True, kw_only=True, slots=True)
class Stock:
    """For what availability is asked. None and empty: no such filter."""

    count: int = 1
    cloud: Cloud = "secure"
    products: Collection[str] = ("POD",)
    countries: Collection[str] = ()
    cuda: Collection[str] = ()
    min_cuda: tuple[int, ...] | None = None


def pod_row(book: PodBook, kind: PodType, stock: Stock | None) -> dict[str, Any]:
    """One type as the catalogue shows it; without `stock`, nothing about availability."""
    price: dict[str, float] = {"community": book.price(kind, "community"), "secure": book.price(kind, "secure")}
    if kind.pool is not None:
        price["serverless"] = round(max(kind.secure_usd, kind.community_usd) * 1.5, 2)
    row: dict[str, Any] = {
        "id": kind.id,
        "name": kind.name,
        "pool": kind.pool or ("unknown" if kind.id == "unknown" else None),
        "manufacturer": _maker(kind),
        "memory": kind.memory,
        "secure": kind.offered("secure"),
        "community": kind.offered("community"),
        "price": price,
        "maxCount": {"community": kind.max_community, "secure": kind.max_secure},
    }
    if stock is not None:
        row.update(_availability(book, kind, stock))
    return row


def stands_in(kind: PodType, countries: Collection[str]) -> bool:
    """Whether a data centre of one of the countries has the type."""
    return kind.secure_stock is not None and any(data_center_country(name) in countries for name in center_names(kind))


def _availability(book: PodBook, kind: PodType, stock: Stock) -> dict[str, Any]:
    versions = [
        version
        for version in kind.cuda
        if (not stock.cuda or version in stock.cuda) and (stock.min_cuda is None or _numbers(version) >= stock.min_cuda)
    ]
    filtered = bool(stock.cuda) or stock.min_cuda is not None
    level: Level = "NONE"
    centers: dict[str, Level] = {}
    if "POD" in stock.products and (versions or not filtered):
        level = book.level(kind, stock.cloud, stock.count)
        centers = book.centers(kind, stock.count) if stock.cloud == "secure" else {}
    if kind.pool is not None and {"SERVERLESS", "CLUSTER"} & set(stock.products):
        level = "HIGH"
    if stock.countries:
        centers = {name: own for name, own in centers.items() if data_center_country(name) in stock.countries}
        if stock.cloud == "secure":
            level = max(centers.values(), key=LEVELS.index, default="NONE")
    found: dict[str, Any] = {"availability": level}
    if centers:
        found["dataCenters"] = [{"id": name, "name": name, "availability": own} for name, own in centers.items()]
    if kind.cuda:
        found["cudaVersions"] = [{"version": version, "available": level != "NONE"} for version in versions]
    return found


def _maker(kind: PodType) -> str:
    if kind.id == "unknown":
        return "UNKNOWN"
    return "AMD" if kind.id.startswith("AMD") else "NVIDIA"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))

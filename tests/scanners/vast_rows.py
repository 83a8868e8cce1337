"""Rows as Vast.ai sends them, invented for the tests."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.snapshot import Snapshot
from scanners.markets.vast.offers import parse

AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

BOOK = Coverage(market="vast", tiers=frozenset({"datacenter", "community"}))
"""The whole verified book."""


def ask(**changes: Any) -> dict[str, Any]:
    """One row: a machine in Porto with a single RTX 4090 at 0.40 with 8 GB of disk."""
    row: dict[str, Any] = {
        "id": 9001,
        "ask_contract_id": 9001,
        "machine_id": 42,
        "host_id": 7,
        "gpu_name": "RTX 4090",
        "num_gpus": 1,
        "gpu_frac": 0.25,
        "gpu_ids": [11],
        "gpu_ram": 24564,
        "dph_base": 0.398,
        "dph_total": 0.4,
        "min_bid": 0.2,
        "storage_cost": 0.18,
        "reliability": 0.99,
        "reliability2": 0.99,
        "verification": "verified",
        "hosting_type": 0,
        "rentable": True,
        "rented": False,
        "geolocation": "Porto, PT",
        "cpu_cores": 16,
        "cpu_ram": 64_300,
        "disk_space": 700.9,
        "inet_down": 812.4,
        "cuda_max_good": 12.8,
        "duration": 864_000.5,
        "end_date": AT.timestamp() + 864_000.5,
        "public_ipaddr": "192.0.2.44",
    }
    return row | changes


def without(*names: str, **changes: Any) -> dict[str, Any]:
    """The same row lacking some fields altogether."""
    return {name: value for name, value in ask(**changes).items() if name not in names}


def book(*rows: Any) -> bytes:
    """An answer with these rows."""
    return json.dumps({"offers": rows}).encode()


def read(
    *rows: Any, body: bytes | None = None, row_limit: int = 512, keyless: bool = False, **filters: Any
) -> Snapshot:
    """The snapshot of these rows for a query with these filters."""
    return parse(
        book(*rows) if body is None else body,
        coverage=replace(BOOK, **filters),
        catalogue=CATALOGUE,
        taken_at=AT,
        row_limit=row_limit,
        keyless=keyless,
    )

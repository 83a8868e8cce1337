"""The quick reading of an answer: one pass of msgspec, for bodies in which nothing is odd.

It is stricter than `payload` and never wiser: whatever it refuses is read again there, row by row if need be, so it
decides nothing but the time a large book takes. The two are held to the same results by tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import astuple

Made = TypeVar("Made")

Id = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Count = Annotated[int, Meta(ge=1, le=1024)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
Price = Annotated[float, Meta(gt=0, le=1e6)]
Amount = Annotated[float, Meta(ge=0, le=1e12)]
Share = Annotated[float, Meta(ge=0, le=1)]

UNTOLD: Final = -1.0
"""Stands for a reliability that is not in the row at all, which is not the same as one that is null."""


class _Row(Struct, gc=False):
    """The fields of `payload.Row` in the order of `payload.FIELDS`."""

    id: Id
    machine_id: Id
    gpu_name: Name
    num_gpus: Count
    dph_total: Price
    dph_base: Amount | None = None
    gpu_ram: Amount | None = None
    gpu_frac: Amount | None = None
    gpu_ids: tuple[Id, ...] | None = None
    min_bid: Amount | None = None
    storage_cost: Amount | None = None
    reliability: Share | None = UNTOLD
    reliability2: Share | None = UNTOLD
    verification: str | None = None
    hosting_type: int | None = None
    rentable: bool | None = None
    geolocation: str | None = None
    disk_space: Amount | None = None
    inet_down: Amount | None = None
    cpu_ram: Amount | None = None
    cuda_max_good: Amount | None = None
    duration: Amount | None = None
    end_date: Amount | None = None


class _Answer(Struct, gc=False):
    offers: list[_Row]


_DECODER: Final = msgspec.json.Decoder(_Answer, strict=False)  # numbers may come as strings


def read_quickly(body: bytes, make: Callable[[tuple[Any, ...]], Made]) -> list[Made] | None:
    """What `make` makes of every row; None when the patient reading has to decide."""
    try:
        return [make(_values(row)) for row in _DECODER.decode(body).offers]
    except (msgspec.MsgspecError, ValueError, OverflowError):
        return None


def _values(row: _Row) -> tuple[Any, ...]:
    if row.reliability == UNTOLD:
        row.reliability = None if row.reliability2 == UNTOLD else row.reliability2
    if row.reliability2 == UNTOLD:
        row.reliability2 = row.reliability
    return astuple(row)

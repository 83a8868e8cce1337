"""The wire shape of a Vast.ai answer, row by row.

An answer without oddities is read by `quick`. Any other is validated here, in one pass if that is possible, else row
by row: a bad row is counted and never costs the others. Fields that no offer is made of are not named here, so they
may change or vanish freely.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, Required, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from scanners.markets.vast.quick import read_quickly

Made = TypeVar("Made")

Id = Annotated[int, Field(ge=0, lt=2**63)]
Count = Annotated[int, Field(ge=1, le=1024)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
Price = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Row(TypedDict, total=False):
    """One ask. Prices are US$ an hour for the whole offer, memory is MB (of one GPU: `gpu_ram`), disk GB."""

    id: Required[Id]
    machine_id: Required[Id]
    gpu_name: Required[Name]
    num_gpus: Required[Count]
    dph_total: Required[Price]
    dph_base: Amount | None
    gpu_ram: Amount | None
    gpu_frac: Amount | None
    gpu_ids: tuple[Id, ...] | None
    min_bid: Amount | None
    storage_cost: Amount | None
    reliability: Share | None
    reliability2: Share | None
    verification: str | None
    hosting_type: int | None
    rentable: bool | None
    geolocation: str | None
    disk_space: Amount | None
    inet_down: Amount | None
    cpu_ram: Amount | None
    cuda_max_good: Amount | None
    duration: Amount | None
    end_date: Amount | None


class Answer(TypedDict):
    """The envelope."""

    offers: list[Row]


_ANSWER: Final = TypeAdapter(Answer)
_ROW: Final = TypeAdapter(Row)

_NEEDED: Final = {"id", "machine_id", "gpu_name", "num_gpus", "dph_total", "reliability", "reliability2"}
"""A row that is wrong in one of these is refused; wrong elsewhere, the field alone is unknown."""

FIELDS: Final = tuple(Row.__annotations__)
"""The values that an offer is made of, in this order."""


def values(row: Row) -> tuple[Any, ...]:
    """The values in the order of `FIELDS`, None for every missing one; reliability, which has two names, then stands
    under both."""
    full: dict[str, Any] = dict.fromkeys(FIELDS) | dict(row)
    for name, other in (("reliability", "reliability2"), ("reliability2", "reliability")):
        if name not in row:
            full[name] = full[other]
    return tuple(full[name] for name in FIELDS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading(Generic[Made]):
    """What was made of the rows of an answer."""

    made: list[Made]
    skipped: int = 0
    first_fault: str | None = None
    """The field that made the first refused row unreadable."""


def read(body: bytes, make: Callable[[tuple[Any, ...]], Made]) -> Reading[Made]:
    """What `make` makes of the values of every readable row.

    Raises ValueError when `body` is no such answer at all: no JSON, no list of offers.
    """
    made = read_quickly(body, make)
    return Reading(made=made) if made is not None else read_patiently(body, make)


def read_patiently(body: bytes, make: Callable[[tuple[Any, ...]], Made]) -> Reading[Made]:
    """The same for an answer in which something is odd."""
    try:
        return Reading(made=[make(values(row)) for row in _ANSWER.validate_json(body)["offers"]])
    except ValidationError:
        return _row_by_row(body, make)


def _row_by_row(body: bytes, make: Callable[[tuple[Any, ...]], Made]) -> Reading[Made]:
    """The standard library's reader is the patient one: it lives with broken UTF-8 and half surrogates."""
    try:
        answer = json.loads(body.decode("utf-8", "replace"), parse_int=_whole)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    offers = answer.get("offers") if isinstance(answer, dict) else None
    if not isinstance(offers, list):
        raise ValueError("there is no list of offers in it")
    rows = [_tolerant(raw) for raw in offers]
    faults = [row for row in rows if isinstance(row, str)]
    return Reading(
        made=[make(values(row)) for row in rows if not isinstance(row, str)],
        skipped=len(faults),
        first_fault=faults[0] if faults else None,
    )


def _tolerant(raw: Any) -> Row | str:
    """A row without its unreadable optional fields, or the name of the field that spoils it."""
    if not isinstance(raw, dict):
        return "row"
    known = {name: _clean(value) for name, value in raw.items() if name in Row.__annotations__}
    try:
        return _ROW.validate_python(known)
    except ValidationError as error:
        wrong = {str(fault["loc"][0]) for fault in error.errors(include_url=False, include_input=False)}
    spoilt = sorted(wrong & _NEEDED)
    if spoilt:
        return spoilt[0]
    return _ROW.validate_python(known | dict.fromkeys(wrong))


def _clean(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _whole(digits: str) -> float:
    """Python refuses to read thousands of digits, which would cost the other rows too."""
    return int(digits) if len(digits) < 1000 else math.inf

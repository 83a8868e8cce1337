"""The search language of the simulated Vast.ai, with the traps of the real one.

Unknown fields are ignored, unknown operators are refused, a number sent as text matches nothing, a missing value
matches nothing, and some filters are known to lose rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from scanners.simulator.places import country_of
from scanners.simulator.vast_row import DEFAULT_DISK_GB, SLICE_FIELDS

Row = dict[str, Any]
Test = Callable[[Row], bool]

DEFAULT_LIMIT: Final = 64
_TYPES: Final = {
    "on-demand": False,
    "ondemand": False,
    "ask": False,
    "reserved": False,
    "bid": True,
    "interruptible": True,
}
_SETTINGS: Final = frozenset(
    {"type", "order", "limit", "allocated_storage", "disable_bundling", "extra_ids", "select_cols"}
)
_BROKEN: Final = frozenset({"id", "dlperf_per_dphtotal", "flops_per_dphtotal"})
"""Fields that stand in every row and yet do not filter."""
_ALIASES: Final = {
    "reliability2": ("reliability", 1),
    "dphtotal": ("dph_total", 1),
    "gpu_ram_GB": ("gpu_ram", 1000),
    "cpu_ram_GB": ("cpu_ram", 1000),
    "ubuntu_version": ("os_version", 1),
    "driver_version": ("driver_vers", 1),
}
_VIRTUAL: Final[Mapping[str, Callable[[Row], Any]]] = {
    "verified": lambda row: row["vericode"] == 1,
    "datacenter": lambda row: row["hosting_type"] == 1,
    "geolocation": lambda row: country_of(row["geolocation"]),
    "external": lambda row: bool(row["external"]),
}
_MEMBERSHIP: Final = frozenset({"in", "notin"})
_MISSING: Final = object()


class QueryError(ValueError):
    """A search that the service refuses with status 400; `code` is the word in its answer."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """A search as the service understood it."""

    machine_tests: tuple[Test, ...]
    """On what all asks of a machine say alike: cheap, so they come first."""
    slice_tests: tuple[Test, ...]
    order: tuple[tuple[str, bool], ...]
    """(field, descending)."""
    limit: int
    disk_gb: float
    bid: bool
    unbundled: bool


def read_query(document: Any) -> Query:
    """The search of that query object; QueryError when it is refused."""
    if not isinstance(document, dict):
        raise QueryError("invalid_request", "Invalid json body")
    terms = document.get("type", "on-demand")
    if not isinstance(terms, str) or terms not in _TYPES:
        raise QueryError("invalid_args", f"{terms!r} is not a valid offer type")
    disk_gb = document.get("allocated_storage", DEFAULT_DISK_GB)
    if isinstance(disk_gb, dict) and len(disk_gb) == 1:
        disk_gb = next(iter(disk_gb.values()))
    if not _is_number(disk_gb) or disk_gb < 0:
        raise QueryError("invalid_args", "allocated_storage must be a number")
    limit = document.get("limit", DEFAULT_LIMIT)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise QueryError("invalid_args", "limit must be a whole number")
    machine_tests: list[Test] = []
    slice_tests: list[Test] = [lambda row: row["disk_space"] >= disk_gb]
    for name, wanted in document.items():
        if name in _SETTINGS or name in _BROKEN:
            continue
        for word, value in _operators(wanted):
            field, factor = _ALIASES.get(name, (name, 1))
            test = _test(field, word, value * factor if factor != 1 and _is_number(value) else value)
            (slice_tests if field in SLICE_FIELDS else machine_tests).append(test)
    if "cuda_max_good" in document and "compute_cap" not in document:
        machine_tests.append(lambda _: False)
    if "cpu_ram" in document or "cpu_ram_GB" in document:
        machine_tests.append(lambda row: bool(row["machine_id"] % 3))
    return Query(
        machine_tests=tuple(machine_tests),
        slice_tests=tuple(slice_tests),
        order=_order(document.get("order", [["score", "desc"]])),
        limit=limit,
        disk_gb=float(disk_gb),
        bid=_TYPES[terms],
        unbundled=document.get("disable_bundling") is True,
    )


def _operators(wanted: Any) -> list[tuple[str, Any]]:
    if not isinstance(wanted, dict):
        raise QueryError("invalid_request", f"{wanted} is not a valid search op")
    for word in wanted:
        if word not in _COMPARE and word not in _MEMBERSHIP:
            raise QueryError("invalid_request", f"{word} is not a valid search op")
    return list(wanted.items())


def _test(field: str, word: str, value: Any) -> Test:
    virtual = _VIRTUAL.get(field)
    passes = _among(value, word == "in") if word in _MEMBERSHIP else partial(_compared, word, value)

    def test(row: Row) -> bool:
        have = virtual(row) if virtual is not None else row.get(field, _MISSING)
        if have is _MISSING:
            return True
        return have is not None and passes(have)

    return test


def _alike(have: Any, want: Any) -> bool:
    return isinstance(have, str) == isinstance(want, str) and (isinstance(want, str) or _is_number(want, or_bool=True))


def _compared(name: str, want: Any, have: Any) -> bool:
    return _alike(have, want) and bool(_COMPARE[name](have, want))


def _among(wanted: Any, inside: bool) -> Callable[[Any], bool]:
    """Whether a value stands in a list; the list may be long, so it is looked through once a search."""
    if not isinstance(wanted, list):
        return lambda have: False
    if not wanted:
        return lambda have: not inside
    texts = isinstance(wanted[0], str)
    if not all(isinstance(each, str) if texts else _is_number(each, or_bool=True) for each in wanted):
        return lambda have: False
    among = frozenset(wanted)

    def passes(have: Any) -> bool:
        found = not isinstance(have, list | dict) and have in among
        return isinstance(have, str) is texts and found is inside

    return passes


_COMPARE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "eq": operator.eq,
    "neq": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


def _order(document: Any) -> tuple[tuple[str, bool], ...]:
    if not isinstance(document, list):
        raise QueryError("invalid_args", "order must be a list")
    order = []
    for item in document:
        if not (isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) and item[1] in ("asc", "desc")):
            raise QueryError("invalid_args", "order must be a list of [field, direction]")
        order.append((_ALIASES.get(item[0], (item[0], 1))[0], item[1] == "desc"))
    return tuple(order)


def _is_number(value: Any, *, or_bool: bool = False) -> bool:
    return isinstance(value, int | float) and (or_bool or not isinstance(value, bool))

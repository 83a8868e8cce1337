"""The quick reading of a Vast.ai answer decides nothing: it gives what the patient one gives, or leaves it to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanners.markets.vast.payload import FIELDS, read, read_patiently
from scanners.markets.vast.quick import read_quickly

WHOLE: dict[str, Any] = {
    "id": 70001,
    "machine_id": 555,
    "gpu_name": "RTX 4090",
    "num_gpus": 1,
    "dph_total": 0.35,
    "dph_base": 0.348333,
    "gpu_ram": 24564,
    "gpu_frac": 1.0,
    "gpu_ids": [1, 2],
    "min_bid": 0.18,
    "storage_cost": 0.15,
    "reliability": 0.991,
    "reliability2": 0.991,
    "verification": "verified",
    "hosting_type": 0,
    "rentable": True,
    "geolocation": "Lisboa, PT",
    "disk_space": 500.0,
    "inet_down": 800.0,
    "cpu_ram": 64000,
    "cuda_max_good": 12.8,
    "duration": 864000.0,
    "end_date": 1_800_000_000.0,
}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        ["2", "0.70", "nan", "inf", "1e999", "null", "true", "", " 3 ", "1_000", 1.0, 1e400, [], {}, ["RTX 4090"]]
    ),
)


def body_of(*rows: object) -> bytes:
    return json.dumps({"offers": rows}).encode()


def same(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return values


def test_both_readings_name_the_fields_in_one_order() -> None:
    assert read_quickly(body_of(WHOLE), same) == [tuple(tuple(v) if isinstance(v, list) else v for v in WHOLE.values())]
    assert tuple(WHOLE) == FIELDS


@given(st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=4), st.sets(st.sampled_from(FIELDS), max_size=4))
def test_what_is_read_quickly_is_read_the_same_patiently(odd: dict[str, Any], missing: set[str]) -> None:
    row = {name: value for name, value in (WHOLE | odd).items() if name not in missing}
    quick = read_quickly(body_of(WHOLE, row), same)
    if quick is not None and not any(value != value for values in quick for value in values):
        assert quick == read_patiently(body_of(WHOLE, row), same).made


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"<html>", b'{"offers": {}}', b'{"offers": [1]}', b'{"offers": [{"id": NaN}]}', b"\xff"],
)
def test_an_odd_body_is_left_to_the_patient_reading(body: bytes) -> None:
    assert read_quickly(body, same) is None


def test_a_fault_in_making_an_offer_leaves_the_body_to_the_patient_reading() -> None:
    def fails_once(values: tuple[Any, ...], seen: list[int] = []) -> int:  # noqa: B006 - counts its own calls
        seen.append(1)
        return int(float("nan")) if len(seen) == 1 else len(seen)

    assert read(body_of(WHOLE), fails_once).made == [2]


def test_a_reliability_under_one_name_alone_stands_under_both_and_a_null_does_not() -> None:
    under, over = FIELDS.index("reliability"), FIELDS.index("reliability2")
    (old,) = read_quickly(body_of({name: value for name, value in WHOLE.items() if name != "reliability"}), same) or []
    (null,) = read_quickly(body_of(WHOLE | {"reliability": None}), same) or []
    (none,) = read_quickly(body_of({n: v for n, v in WHOLE.items() if not n.startswith("reliability")}), same) or []
    assert (old[under], old[over]) == (0.991, 0.991)
    assert (null[under], null[over]) == (None, 0.991)
    assert (none[under], none[over]) == (None, None)

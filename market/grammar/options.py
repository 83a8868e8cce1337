"""The options of a rule: a word, the comparisons it takes, and how its value is read.

A reader gets the cursor behind the comparison and returns the fields of `Rule` that the option sets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from market.grammar import problems
from market.grammar.cursor import BOUNDARY, Cursor, refusal
from market.grammar.numbers import take_number, whole
from market.grammar.quoted import take_name_value
from market.place import COUNTRIES, is_data_center

Fields = Mapping[str, Any]
Reader = Callable[[Cursor, str, date], Fields]
"""(cursor, comparison, today) to fields; raises RuleError."""

PPM: Final = 10_000
"""Parts per million in one per cent."""
_SECONDS: Final = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_LONGEST_S: Final = 10 * 366 * 86_400
_LIST: Final = re.compile(r"([^\s,]+)(,\s*)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One option that takes a value."""

    name: str
    word: re.Pattern[str]
    comparisons: tuple[str, ...]
    read: Reader
    example: str


def _at_least(field: str, unit: str, example: str, factor: Mapping[str, int] | None = None) -> Reader:
    def read(cursor: Cursor, comparison: str, today: date) -> Fields:
        start = cursor.at
        amount, suffix = take_number(cursor, unit, example)
        times = (factor or {}).get(suffix[:1].casefold(), 1)
        floor = whole(amount * times, cursor.text[start : cursor.at], example)
        return {field: floor + 1 if comparison == ">" else floor}

    return read


def _disk(cursor: Cursor, comparison: str, today: date) -> Fields:
    start = cursor.at
    amount, _ = take_number(cursor, "GB|GiB|G", "disk:100")
    return {"disk_gb": whole(amount, cursor.text[start : cursor.at], "disk:100", high=1_000_000)}


def _reliability(cursor: Cursor, comparison: str, today: date) -> Fields:
    start = cursor.at
    amount, _ = take_number(cursor, "%", "rel>95")
    word = cursor.text[start : cursor.at]
    if 0 < amount < 1:
        raise refusal(word, problems.FRACTION, f"rel{'>' if comparison == '>' else '>='}{_percent(amount * 100)}")
    if not 1 <= amount <= 100:
        raise refusal(word, problems.FRACTION, "rel>95")
    ppm = _ppm(amount, word, "rel>=99.5")
    if comparison != ">":
        return {"reliability_above": ppm - 1}
    if amount == 100:
        raise refusal(word, problems.ABOVE_HUNDRED, "rel>=99")
    return {"reliability_above": ppm}


def _ppm(amount: Decimal, word: str, example: str) -> int:
    if amount * PPM != (amount * PPM).to_integral_value():
        raise refusal(word, problems.PERCENT_TOO_FINE, example)
    return int(amount * PPM)


def _percent(amount: Decimal) -> str:
    return f"{amount.normalize():f}" if amount >= 1 else "95"


def _cuda(cursor: Cursor, comparison: str, today: date) -> Fields:
    value = cursor.take_value("cuda>=12.4")
    found = re.fullmatch(r"([0-9]{1,3})(?:[.,]([0-9]{1,3}))?", value)
    if not found or int(found.group(1)) < 1:
        raise refusal(value, problems.NOT_A_VERSION, "cuda>=12.4")
    version = int(found.group(1)) * 1000 + int(found.group(2) or 0)
    return {"min_cuda": version + 1 if comparison == ">" else version}


def _duration(cursor: Cursor, comparison: str, today: date) -> Fields:
    start = cursor.at
    units = "days?|d|dias?|hours?|horas?|hrs?|h|minutes?|min|seconds?|sec|s"
    amount, unit = take_number(cursor, units, "dur>=3d")
    word = cursor.text[start : cursor.at]
    if not unit:
        raise refusal(word, problems.DURATION_UNIT, "dur>=3d")
    seconds = whole(amount * _SECONDS[unit[0].casefold()], word, "dur>=3d", high=_LONGEST_S)
    return {"min_duration_s": seconds + 1 if comparison == ">" else seconds}


def _drop(cursor: Cursor, comparison: str, today: date) -> Fields:
    start = cursor.at
    amount, _ = take_number(cursor, "%", "drop:10%")
    word = cursor.text[start : cursor.at]
    if not 0 < amount < 100:
        raise refusal(word, problems.OUT_OF_RANGE, "drop:10%")
    return {"drop_ppm": _ppm(amount, word, "drop:10%")}


def _low(cursor: Cursor, comparison: str, today: date) -> Fields:
    start = cursor.at
    amount, _ = take_number(cursor, "days?|d|dias?", "low:30d")
    return {"low_days": whole(amount, cursor.text[start : cursor.at], "low:30d", high=3650)}


def _countries(field: str, example: str) -> Reader:
    def read(cursor: Cursor, comparison: str, today: date) -> Fields:
        codes = _take_list(cursor, example)
        for code in codes:
            if code.upper() not in COUNTRIES or not code.isascii():
                choices = ("GB",) if code.upper() == "UK" else ()
                raise refusal(code, problems.NOT_A_COUNTRY, example, choices)
        return {field: frozenset(code.upper() for code in codes)}

    return read


def _data_centers(cursor: Cursor, comparison: str, today: date) -> Fields:
    ids = _take_list(cursor, "dc:EU-RO-1")
    for data_center in ids:
        if not is_data_center(data_center.upper()):
            raise refusal(data_center, problems.NOT_A_DATA_CENTER, "dc:EU-RO-1")
    return {"data_centers": frozenset(data_center.upper() for data_center in ids)}


def _take_list(cursor: Cursor, example: str) -> list[str]:
    items: list[str] = []
    while True:
        found = cursor.take(_LIST)
        if not found:
            raise refusal(cursor.word() or ",", problems.MISSING_VALUE, example)
        items.append(found.group(1))
        if not found.group(2):
            return items


def _until(cursor: Cursor, comparison: str, today: date) -> Fields:
    value = cursor.take_value("until:2026-12-24")
    example = f"until:{today.isoformat()}"
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise refusal(value, problems.NOT_A_DATE, example)
    try:
        day = date.fromisoformat(value)
    except ValueError as error:
        raise refusal(value, problems.NOT_A_DATE, example) from error
    if day < today:
        raise refusal(value, problems.PAST_DATE, example)
    return {"until": day}


def _name(cursor: Cursor, comparison: str, today: date) -> Fields:
    return {"name": take_name_value(cursor)}


def _option(name: str, comparisons: tuple[str, ...], read: Reader, example: str, word: str | None = None) -> Option:
    pattern = re.compile(rf"(?:{word or name})(?=\s*(?:[<>=≤≥:]))", re.IGNORECASE)
    return Option(name=name, word=pattern, comparisons=comparisons, read=read, example=example)


_FLOOR: Final = (">", ">=", ":")
_MBIT: Final = "[MG]bit/s|[MG]bits?|[MG]bps|[MG]b/s"

OPTIONS: Final = (
    _option("rel", _FLOOR, _reliability, "rel>95", "rel(?:iability)?"),
    _option("disk", (":", ">="), _disk, "disk:100"),
    _option("down", _FLOOR, _at_least("min_down_mbps", _MBIT, "down>=500", {"g": 1000}), "down>=500"),
    _option("ram", _FLOOR, _at_least("min_ram_gb", "GB|GiB|G", "ram>=64"), "ram>=64"),
    _option("vram", _FLOOR, _at_least("min_vram_gb", "GB|GiB|G", "vram>=48"), "vram>=48"),
    _option("cuda", _FLOOR, _cuda, "cuda>=12.4"),
    _option("dur", _FLOOR, _duration, "dur>=3d", "dur(?:ation)?"),
    _option("drop", (":", ">="), _drop, "drop:10%"),
    _option("low", (":",), _low, "low:30d"),
    _option("in", (":",), _countries("countries", "in:BR,US"), "in:BR,US"),
    _option("not", (":",), _countries("not_countries", "not:CN"), "not:CN"),
    _option("dc", (":",), _data_centers, "dc:EU-RO-1"),
    _option("until", (":",), _until, "until:2026-12-24"),
    _option("name", (":",), _name, "name:lora"),
)

COUNT: Final = re.compile(
    r"(?:(?P<x>[x×]) ?(?P<low>[0-9]{1,9})(?:(?P<plus>\+)| ?- ?(?P<high>[0-9]{1,9}))?"
    r"|(?P<low2>[0-9]{1,9})(?:(?P<plus2>\+)|-(?P<high2>[0-9]{1,9}))?[x×](?P<plus3>\+)?)" + BOUNDARY,
    re.IGNORECASE,
)
_MOST_GPUS: Final = 1000


def counts_of(found: re.Match[str]) -> tuple[int, int | None]:
    """The GPU counts that a match of `COUNT` names. Raises RuleError."""
    word = found.group()
    low = int(found["low"] or found["low2"])
    last = found["high"] or found["high2"]
    high = int(last) if last else None if found["plus"] or found["plus2"] or found["plus3"] else low
    if low < 1:
        raise refusal(word, problems.COUNT_ZERO, "x1")
    if high is not None and high < low:
        raise refusal(word, problems.COUNT_REVERSED, f"x{high or 1}-{low}")
    if max(low, high or 0) > _MOST_GPUS:
        raise refusal(word, problems.OUT_OF_RANGE, "x8")
    return low, high


FLAGS: Final[tuple[tuple[str, re.Pattern[str], Fields], ...]] = tuple(
    (name, re.compile(rf"(?:{pattern}){BOUNDARY}", re.IGNORECASE), fields)
    for name, pattern, fields in (
        ("vast", r"vast(?:\.ai)?", {}),
        ("runpod", "runpod", {}),
        ("secure", "secure", {}),
        ("community", "community", {}),
        ("datacenter", "data[_ -]?cent(?:er|re)", {}),
        ("any tier", "any[_ -]?tier", {}),
        ("terms", "on[_ -]?demand", {"terms": "on_demand"}),
        ("terms", "spot|interruptible", {"terms": "interruptible"}),
        ("unverified", "unverified", {"unverified": True}),
        ("shortage", "shortage", {"shortage": True}),
        ("once", "once", {"once": True}),
    )
)
"""Options without a value: what may be given once, how it is written, and the fields it sets."""

"""Moments as the store keeps them: whole epoch seconds for spans, whole epoch milliseconds for logs.

The program speaks aware datetimes only. A naive one is refused: it would be off by the machine's own zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """Epoch milliseconds, rounded down. Raises ValueError for a naive datetime."""
    if moment.utcoffset() is None:
        raise ValueError(f"{moment.isoformat()} names no zone")
    return (moment - _EPOCH) // _MILLISECOND


def to_s(moment: datetime) -> int:
    """Epoch seconds, rounded down. Raises ValueError for a naive datetime."""
    return to_ms(moment) // 1000


def from_ms(value: int) -> datetime:
    """The moment in UTC of epoch milliseconds."""
    return _EPOCH + value * _MILLISECOND


def from_s(value: int) -> datetime:
    """The moment in UTC of epoch seconds."""
    return _EPOCH + timedelta(seconds=value)


def maybe_ms(moment: datetime | None) -> int | None:
    """`to_ms`, with None staying None."""
    return None if moment is None else to_ms(moment)


def from_maybe_ms(value: int | None) -> datetime | None:
    """`from_ms`, with None staying None."""
    return None if value is None else from_ms(value)


def utc_day(moment: datetime) -> str:
    """The UTC day as `2026-12-01`: the day of an account's quota."""
    return from_ms(to_ms(moment)).date().isoformat()

"""Generations: numbers that grow with each change, so that another reader notices it without reading the data."""

from __future__ import annotations

from sqlalchemy import Connection

BOOK = "book"
"""Grows with each stored answer."""
WATCHES = "watches"
"""Grows when a watch, or what it was told, is changed outside of the recording of an answer."""

_BUMP = (
    "INSERT INTO counter (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value"
)


def bump(connection: Connection, name: str) -> int:
    """Raise a generation; the new number."""
    return int(connection.exec_driver_sql(_BUMP, (name,)).scalar_one())


def generations(connection: Connection) -> tuple[int, int]:
    """The generations of the book and of the watches; 0 before the first change."""
    rows = connection.exec_driver_sql("SELECT name, value FROM counter").all()
    found: dict[str, int] = {name: value for name, value in rows}  # noqa: C416 - rows are not pairs to mypy
    return found.get(BOOK, 0), found.get(WATCHES, 0)

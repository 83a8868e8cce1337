"""Answers as aligned text for a terminal of any width; nothing is wrapped or cut."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.render.clean import printable
from bot.render.numbers import span


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under their heads, two spaces apart, numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    right = [all(_is_number(row[column]) for row in rows if row[column] is not None) for column in range(len(heads))]
    widths = [max(len(head), *(len(row[column]) for row in cells), 0) for column, head in enumerate(heads)]
    lines = [_line(heads, widths, right), *(_line(row, widths, right) for row in cells)]
    return "\n".join(lines)


def plural(number: int, one: str, many: str) -> str:
    """`1 offer`, `2 offers`."""
    return f"{number} {one if number == 1 else many}"


def ago(at: datetime | None, now: datetime) -> str:
    """`12 min ago`, or `never`."""
    return "never" if at is None else f"{span((now - at).total_seconds())} ago"


def _cell(value: object) -> str:
    return "-" if value is None else printable(str(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value[:1].isdigit() and " " not in value)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(padded).rstrip()

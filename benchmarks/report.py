"""The table of claims, for the terminal and for docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figure import Figure, Result

HEADER = ("claim", "measured", "baseline", "ratio", "required", "ok")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def machine() -> str:
    """What it was measured on."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"


def text(results: Sequence[Result]) -> str:
    """Columns for the terminal, with the details below."""
    rows = [HEADER, *map(_cells, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", *(f"{result.claim}: {note(result)}" for result in results), "", machine()])


def markdown(results: Sequence[Result], command: str) -> str:
    """The same as a table with its notes."""
    rows = [HEADER, ("---",) * len(HEADER), *map(_cells, results)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    notes = "\n".join(f"- {result.claim}: {note(result)}" for result in results)
    return f"`{command}` on {machine()}:\n\n{table}\n\n{notes}"


def write(page: Path, results: Sequence[Result], command: str) -> None:
    """Put the table between the marks of the page. Raises ValueError if it has none."""
    put(page, markdown(results, command))


def put(page: Path, measured: str) -> None:
    """Replace what stands between the marks of the page. Raises ValueError if it has none."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} lacks the lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n\n{measured}\n\n{END}{after}", encoding="utf-8")


def note(result: Result) -> str:
    """How a figure came about, or why there is none."""
    if not isinstance(result, Figure):
        return result.reason
    return f"{result.detail}; baseline: {result.against}" if result.against else result.detail


def _cells(result: Result) -> tuple[str, ...]:
    if not isinstance(result, Figure):
        return (result.claim, "skipped", "-", "-", "-", "-")
    bare = result.at_most is None and result.times_better is None
    return (
        result.claim,
        _amount(result.measured, result.unit),
        "-" if result.baseline is None else _amount(result.baseline, result.unit),
        "-" if result.ratio is None else f"{result.ratio:.1f} times",
        result.required(),
        "-" if bare else "yes" if result.ok else "NO",
    )


def _amount(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}" if value < 100 else f"{value:,.0f} {unit}"

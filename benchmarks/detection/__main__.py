"""`python -m benchmarks.detection`: the comparison as a table, then every claim."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks import report
from benchmarks.detection import DAY_S, measured, table
from benchmarks.size import FULL, QUICK

PAGE: Final = Path(__file__).resolve().parent.parent.parent / "docs" / "detection.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 if a claim does not hold at full size."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.detection", description="Measure how soon scarce offers are seen."
    )
    parser.add_argument("--quick", action="store_true", help="a few hours only: shows that it works, not how well")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    parser.add_argument(
        "--days", type=float, metavar="N", help=f"of virtual time, {FULL.watched_s / DAY_S:g} if not said"
    )
    options = parser.parse_args(arguments)
    if options.quick and (options.write or options.days is not None):
        parser.error("--quick stands alone")
    if options.days is not None and not DAY_S / 24 <= options.days * DAY_S <= 366 * DAY_S:
        parser.error("--days is an hour at least and a year at most")
    size = QUICK if options.quick else FULL if options.days is None else replace(FULL, watched_s=options.days * DAY_S)
    comparison, figures = measured(size)
    print(table.text(table.table(comparison)), report.text(figures), sep="\n\n")
    if options.write:
        report.put(PAGE, table.markdown(comparison, "python -m benchmarks.detection --write"))
    return 0 if options.quick or all(figure.ok for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())

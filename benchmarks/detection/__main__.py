"""`python -m benchmarks.detection`: the comparison as a table, then every claim."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import report
from benchmarks.detection import measured, table
from benchmarks.size import FULL, QUICK

PAGE: Final = Path(__file__).resolve().parent.parent.parent / "docs" / "detection.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 if a claim does not hold at full size."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.detection", description="Measure how soon scarce offers are seen."
    )
    parser.add_argument("--quick", action="store_true", help="a few hours only: shows that it works, not how well")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    options = parser.parse_args(arguments)
    if options.write and options.quick:
        parser.error("--write needs the full size")
    comparison, figures = measured(QUICK if options.quick else FULL)
    print(table.text(table.table(comparison)), report.text(figures), sep="\n\n")
    if options.write:
        report.put(PAGE, table.markdown(comparison, "python -m benchmarks.detection --write"))
    return 0 if options.quick or all(figure.ok for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())

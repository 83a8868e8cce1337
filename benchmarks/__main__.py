"""`python -m benchmarks`: measure every claim, print the table, and tell by the exit code whether all hold."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import detection, idling, judging, kills, matching, parsing, report, storing
from benchmarks.figure import Figure, Result
from benchmarks.size import FULL, QUICK, Size

BENCHMARKS: Final[Mapping[str, Callable[[Size], list[Result]]]] = {
    "parsing": parsing.measure,
    "judging": judging.measure,
    "storing": storing.measure,
    "idling": idling.measure,
    "matching": matching.measure,
    "kills": kills.measure,
    "detection": detection.measure,
}
PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run them; 1 if a claim does not hold at full size. Small sizes prove nothing and never fail."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what docs/benchmarks.md claims.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that all works, not how fast")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - BENCHMARKS.keys()
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    if options.write and (options.quick or options.names):
        parser.error("--write needs all benchmarks at full size")
    results: list[Result] = []
    for name in options.names or BENCHMARKS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        results.extend(BENCHMARKS[name](QUICK if options.quick else FULL))
    print(report.text(results))
    if options.write:
        report.write(PAGE, results, "python -m benchmarks --write")
    failed = not options.quick and not all(result.ok for result in results if isinstance(result, Figure))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

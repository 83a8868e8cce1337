"""Reading a whole answer, against gpuhunt's Vast.ai provider on the same bytes.

gpuhunt is measured as it runs, its request answered from memory, its log silent: reading JSON and building its items.
It makes two items of an offer, on demand and spot; the product keeps both prices in one record.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from benchmarks.figure import Figure, Result, Skipped
from benchmarks.listing import START, Listing, read
from benchmarks.size import Size
from benchmarks.timing import in_turn

CLAIM = "reading a whole answer"
TIMES = 5.0


def measure(size: Size) -> list[Result]:
    """One figure; without gpuhunt a figure without a baseline, and a word about it."""
    body = Listing(size.offers).body()
    offers = len(read(body, START).offers)
    detail = f"{size.offers:,} offers of 100 fields, {len(body) / 1e6:.1f} MB, {offers:,} offers read"
    if importlib.util.find_spec("gpuhunt") is None:
        (alone,) = in_turn(lambda: read(body, START), times=size.parses)
        return [
            Figure(claim=CLAIM, measured=alone, detail=detail),
            Skipped(claim=f"{CLAIM}, against gpuhunt", reason="gpuhunt is not installed: pip install -e '.[bench]'"),
        ]
    with _gpuhunt(body) as theirs:
        items = len(theirs())
        ours, baseline = in_turn(lambda: read(body, START), theirs, times=size.parses)
    return [
        Figure(
            claim=CLAIM,
            measured=ours,
            baseline=baseline,
            against="gpuhunt's Vast.ai provider",
            times_better=TIMES,
            detail=f"{detail}; gpuhunt makes {items:,} items",
        )
    ]


class _Answer:
    """What gpuhunt gets for its request."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def raise_for_status(self) -> None:
        """It is a good answer."""

    def json(self) -> Any:
        """Read as `requests` reads it."""
        return json.loads(self._body.decode())


@contextmanager
def _gpuhunt(body: bytes) -> Iterator[Callable[[], list[Any]]]:
    module = importlib.import_module("gpuhunt.providers.vastai")
    log = logging.getLogger("gpuhunt")
    level = log.level
    log.setLevel(logging.CRITICAL)
    provider = module.VastAIProvider()
    try:
        with mock.patch.object(module.requests, "post", return_value=_Answer(body)):
            yield provider.get
    finally:
        log.setLevel(level)

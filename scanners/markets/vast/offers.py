"""A Vast.ai answer becomes a snapshot: pure, and fast enough for a whole book in a few dozen milliseconds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from market.coverage import Coverage
from market.gpu import Catalogue
from market.offer import cheapest_per_key
from market.snapshot import Snapshot
from scanners.errors import OddAnswer
from scanners.markets.vast.ask import NAME, fits, lacks_something, offers_of
from scanners.markets.vast.payload import read

ROW_CAP: Final = 512
"""The most rows of one answer, whatever `limit` says."""
KEYLESS_CAP: Final = 64
"""Without a key every longer answer is cut to exactly this many."""
TOLERATED_FAULTS: Final = 0.1
"""Above this share of unreadable rows an answer says nothing about what it lacks."""


def parse(
    body: bytes, *, coverage: Coverage, catalogue: Catalogue, taken_at: datetime, row_limit: int, keyless: bool
) -> Snapshot:
    """The snapshot in `body`, the answer to `coverage` asked with `row_limit`.

    Raises OddAnswer when it holds no list of offers, or not one readable row in a list that is not empty.
    """
    try:
        reading = read(body, offers_of(coverage, catalogue, taken_at))
    except ValueError as error:
        raise OddAnswer(NAME, f"not a list of offers ({len(body)} bytes)") from error
    returned = len(reading.made) + reading.skipped
    if returned and not reading.made:
        raise OddAnswer(NAME, f"not one of {returned} rows could be read (first fault: {reading.first_fault})")
    made = [offer for offer in reading.made if offer is not None]
    # the server may not know how to keep machines out: then its answer says more, not something else
    ignored = (
        any(offer.machine in coverage.excluded_machines for offer in made) if coverage.excluded_machines else False
    )
    if ignored:
        coverage = replace(coverage, excluded_machines=frozenset())
    found = list(filter(fits(coverage, taken_at), made))
    unfit = len(reading.made) - len(found)
    cut = returned >= min(row_limit, ROW_CAP) or (keyless and returned == KEYLESS_CAP)
    notes = []
    if cut:
        notes.append(f"the list may be cut: {returned} rows came, as many as one answer can hold")
    if reading.skipped:
        notes.append(f"{reading.skipped} rows could not be read and were skipped (first fault: {reading.first_fault})")
    if unfit:
        notes.append(f"{unfit} rows were not what was asked for and were left out")
    if ignored:
        notes.append("machines that are known already were shown all the same")
    offers = cheapest_per_key(found)
    return Snapshot(
        market=NAME,
        coverage=coverage,
        complete=not cut and reading.skipped <= returned * TOLERATED_FAULTS,
        offers=offers,
        prints={offer.key: hash(offer) for offer in offers},
        taken_at=taken_at,
        rows=returned,
        skipped=reading.skipped,
        unfit=unfit,
        unknown_fields=sum(map(lacks_something, made)),
        cut=cut,
        exclusion_ignored=ignored,
        notes=tuple(notes),
    )

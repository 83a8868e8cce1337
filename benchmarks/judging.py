"""From a parsed answer to the outbox: compared, judged by every rule, stored with its alerts in one transaction.

Measured through the product's own sink, the hop to its worker thread included.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from statistics import mean, median

from benchmarks.figure import Figure, Result
from benchmarks.listing import Listing
from benchmarks.size import Size
from benchmarks.stage import Stage, add_rules, staged
from benchmarks.timing import percentile, wall, work
from benchmarks.wishes import wishes
from bot.scribe import Scribe
from market.gpu import CATALOGUE

CLAIM = "from a parsed answer to the outbox"
AT_MOST_MS = 8.0


@dataclass(slots=True)
class _Tally:
    taken: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    alerts: list[int] = field(default_factory=list)


def measure(size: Size) -> list[Result]:
    """One figure."""
    listing = Listing(size.offers)
    with staged(lambda: listing.now, CATALOGUE) as stage:
        offers = listing.snapshot().offers
        texts = wishes(offers, size.rules)
        episodes = add_rules(stage, texts, offers, listing.now)
        tally = asyncio.run(_scans(stage, listing, size))
    detail = (
        f"{size.offers:,} offers, {size.rules:,} rules of which {episodes:,} match something; a scan changes, removes "
        f"and adds 1 % each and puts {mean(tally.alerts):.1f} alerts into the outbox; "
        f"{median(tally.worked):.1f} ms of work, 95th percentile {percentile(tally.taken, 0.95):.1f} ms"
    )
    return [Figure(claim=CLAIM, measured=median(tally.taken), at_most=AT_MOST_MS, detail=detail)]


async def _scans(stage: Stage, listing: Listing, size: Size) -> _Tally:
    scribe = Scribe(recorder=stage.recorder, judge=stage.judge, catalogue=CATALOGUE, now=lambda: listing.now)
    tally = _Tally()
    for number in range(size.warm_up + size.scans):
        snapshot = listing.snapshot()
        before = _alerts(stage)
        elapsed, worked = wall(), work()
        await scribe.stored(snapshot, reserved=0, took_s=0.0)
        spent = elapsed(), worked()
        if number >= size.warm_up:
            tally.taken.append(spent[0])
            tally.worked.append(spent[1])
            tally.alerts.append(_alerts(stage) - before)
        listing.move_on()
    return tally


def _alerts(stage: Stage) -> int:
    with stage.store.read() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM outbox").scalar_one())

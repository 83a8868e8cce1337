"""Price and supply over time, told from what was stored and never beyond what was known.

Verified offers only, as everywhere unless somebody asks for others. Time without answers is a gap: it is neither
counted as available nor as not, and has no points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from market.offer import Tier
from storage.availability import observed
from storage.contact import contact
from storage.intervals import Intervals, length, without
from storage.knowledge import answers, hold_ms
from storage.lines import lines_of
from storage.series import Point, series
from storage.store import Store
from storage.times import from_ms, to_ms

SHORTEST_STEP_S = 300
MOST_POINTS = 200

Stretch = tuple[datetime, datetime]

LONG_GAP = 0.01
"""The share of the time asked about from which on a gap is no mere distance between two answers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """What is known of a card between two moments."""

    start: datetime
    end: datetime
    samples: int
    """Good answers that could have shown it."""
    known: tuple[Stretch, ...]
    gaps: tuple[Stretch, ...]
    """The rest of the time."""
    available: tuple[Stretch, ...]
    """Where it was known to be on offer on demand."""
    available_share: float | None
    """Of the known time; None when nothing is known."""
    series: tuple[Point, ...]

    @property
    def every_s(self) -> float | None:
        """Seconds from one answer to the next on the average, but for long gaps: what came and went between two was
        not seen. None where there are too few."""
        whole_s = (self.end - self.start).total_seconds()
        gaps_s = [(end - start).total_seconds() for start, end in self.gaps]
        watched_s = whole_s - sum(gap_s for gap_s in gaps_s if gap_s >= LONG_GAP * whole_s)
        return watched_s / self.samples if self.samples > 1 and watched_s > 0 else None


def history(
    store: Store,
    *,
    cards: frozenset[str],
    start: datetime,
    end: datetime,
    gap_s: Mapping[str, float],
    contact_s: float,
    vram_gb: int | None = None,
    market: str | None = None,
    tier: Tier | None = None,
    step_s: float | None = None,
) -> History:
    """The history of one card, or of a family's cards together.

    `contact_s` is the time that may ordinarily pass between two answers of a market to whatever question, `gap_s`,
    by market, between two full pictures where that is longer; `step_s` the distance of points, at least five minutes
    and at most two hundred points unless given. Raises StoreError, and ValueError for naive datetimes.
    """
    first, last = to_ms(start), to_ms(end)
    step = round(1000 * (step_s or max(SHORTEST_STEP_S, (last - first) / 1000 / MOST_POINTS)))

    def gap_of(name: str) -> float:
        return max(contact_s, gap_s.get(name, 0.0))

    with store.read() as connection:
        lines = lines_of(connection, cards, vram_gb=vram_gb, market=market, tier=tier)
        found = [
            each
            for each in answers(connection, cards, start=first, end=last, gap_of=gap_of, market=market)
            if tier is None or tier in each.coverage.tiers
        ]
        touch = {
            name: contact(connection, name, start=first, end=last, hold=hold_ms(contact_s))
            for name in {each.coverage.market for each in found}
        }
        found = [each.during(touch[each.coverage.market]) for each in found]
        cells = observed(connection, found, lines, cards, start=first, end=last, vram_gb=vram_gb, tier=tier)
        points = series(connection, cells, lines, start=first, end=last, step=step)
    available, known = cells.available(), cells.known()
    total = length(known)
    return History(
        start=start,
        end=end,
        samples=sum(each.samples for each in found),
        known=_stretches(known),
        gaps=_stretches(without([(first, last)] if first < last else [], known)),
        available=_stretches(available),
        available_share=length(available) / total if total else None,
        series=tuple(points),
    )


def _stretches(parts: Intervals) -> tuple[Stretch, ...]:
    return tuple((from_ms(start), from_ms(end)) for start, end in parts)

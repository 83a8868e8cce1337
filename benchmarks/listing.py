"""A simulated Vast.ai book as the bytes of whole answers, with its churn from one scan to the next.

Each scan changes one per cent of the prices, takes one per cent of the offers away and brings as many others back:
several times what real markets were seen to do in a minute.
"""

from __future__ import annotations

import json
from collections import deque
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.offer import Tier
from market.snapshot import Snapshot
from scanners.markets.vast import parse
from scanners.markets.vast.offers import ROW_CAP
from scanners.simulator.market import SimulatedMarket

START: Final = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SCAN_EVERY: Final = timedelta(seconds=60)
CHURN: Final = 0.01
WHOLE_BOOK: Final = Coverage(market="vast", tiers=frozenset[Tier](("datacenter", "community")))

Row = dict[str, Any]


class Listing:
    """So many verified, rentable offers with every field of a real row, and as many again in reserve as churn needs."""

    def __init__(self, offers: int, seed: int = 1) -> None:
        self._chance = Random(f"listing {seed}")
        market = SimulatedMarket(seed=seed, start=START, offers=offers)
        rows = list({_place(row): row for row in market.vast_rows()}.values())
        self._chance.shuffle(rows)
        self._moves = max(1, round(offers * CHURN))
        if len(rows) < offers + self._moves:
            raise ValueError(f"the simulated market has only {len(rows)} offers")
        self._rows = rows[:offers]
        self._texts = [_text(row) for row in self._rows]
        self._usual = {_place(row): (row["dph_base"], row["min_bid"]) for row in rows}
        self._away = deque(rows[offers:])
        self._next_id = 90_000_000
        self.now = START

    def body(self) -> bytes:
        """The answer to a search for the whole book."""
        return b'{"offers": [' + b", ".join(self._texts) + b"]}"

    def snapshot(self) -> Snapshot:
        """The same, parsed by the product.

        Called whole although a real answer of this size would be cut: one answer holds a tenth of it.
        """
        return read(self.body(), self.now)

    def move_on(self) -> None:
        """One scan later."""
        self.now += SCAN_EVERY
        places = self._chance.sample(range(len(self._rows)), 2 * self._moves)
        for place in places[: self._moves]:
            self._put(place, self._repriced(self._rows[place]))
        for place in places[self._moves :]:
            self._away.append(self._rows[place])
            self._next_id += 1
            self._put(place, {**self._away.popleft(), "id": self._next_id, "ask_contract_id": self._next_id})

    def _put(self, place: int, row: Row) -> None:
        self._rows[place], self._texts[place] = row, _text(row)

    def _repriced(self, row: Row) -> Row:
        """Mostly a few per cent from its usual price, now and then a real cut: prices move but do not drift."""
        cut = self._chance.random() < 0.12
        factor = self._chance.uniform(0.72, 0.9) if cut else self._chance.lognormvariate(0.0, 0.06)
        base, min_bid = self._usual[_place(row)]
        base *= factor
        return {
            **row,
            "dph_base": base,
            "dph_total": base + row["storage_total_cost"],
            "min_bid": min_bid * factor,
        }


def read(body: bytes, at: datetime) -> Snapshot:
    """A whole book, parsed by the product and called complete."""
    snapshot = parse(body, coverage=WHOLE_BOOK, catalogue=CATALOGUE, taken_at=at, row_limit=ROW_CAP, keyless=False)
    return Snapshot(
        market=snapshot.market,
        coverage=snapshot.coverage,
        complete=True,
        offers=snapshot.offers,
        prints=snapshot.prints,
        taken_at=at,
        rows=snapshot.rows,
    )


def _place(row: Row) -> tuple[int, int]:
    return row["machine_id"], row["num_gpus"]


def _text(row: Row) -> bytes:
    return json.dumps(row).encode()

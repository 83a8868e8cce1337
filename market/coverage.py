"""What a query could have seen. An absence means something only inside it.

An offer is gone only if a complete answer that *covers* it lacks it. A price ceiling, or the exclusion of known
machines, hides offers that still exist, so a query that carries one covers nothing: what it shows is real, what it
lacks is unknown.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, fields, replace
from datetime import datetime

from market.offer import DEFAULT_DISK_GB, Offer, Terms, Tier

CountRange = tuple[int, int | None]
"""GPUs of one offer, both ends inclusive; None is no upper end."""
MachineRange = tuple[int, int | None]
"""Machine numbers, the first inclusive, the last exclusive; None is no upper end."""
SOME_MACHINES = frozenset({"*"})
"""Stands for the excluded machines of a query that was read back: which they were is not kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """The filters of one query, in the product's own terms. `None` and empty mean no such filter."""

    market: str
    tiers: frozenset[Tier]
    cards: frozenset[str] | None = None
    """Canonical card names."""
    counts: CountRange = (1, None)
    ceiling: int | None = None
    """Micro-dollars an hour for the whole offer, under `terms` and with `disk_gb`."""
    terms: Terms = "on_demand"
    disk_gb: int = DEFAULT_DISK_GB
    reliability_above: int | None = None
    """Parts per million; only offers strictly above it are returned."""
    verified_only: bool = True
    min_vram_gb: int | None = None
    min_down_mbps: int | None = None
    min_duration_s: int | None = None
    countries: frozenset[str] = frozenset()
    not_countries: frozenset[str] = frozenset()
    machines: frozenset[str] | None = None
    machine_range: MachineRange | None = None
    """A part of a picture that is too large for one answer."""
    excluded_machines: frozenset[str] = frozenset()
    """Machines that are known already. They change from one question to the next, and it is still the same query."""

    def hides(self) -> bool:
        """Whether an offer that exists and passes every other filter may still be kept back."""
        return self.ceiling is not None or bool(self.excluded_machines)

    def covers(self, offer: Offer, at: datetime) -> bool:
        """Whether a complete answer at `at` would have shown this offer in its last known state, at any price."""
        return not self.hides() and self._admits(offer, at)

    def expects(self, offer: Offer, at: datetime) -> bool:
        """Whether this offer, unchanged, would be in the answer. Its absence is then a reason to look again."""
        excluded = self.excluded_machines
        if excluded and ("*" in excluded or offer.machine in excluded):
            return False
        if not self._admits(offer, at):
            return False
        if self.ceiling is None:
            return True
        monthly = offer.monthly(self.terms, self.disk_gb)
        return monthly is not None and monthly <= self.ceiling * 720

    def _admits(self, offer: Offer, at: datetime) -> bool:
        low, high = self.counts
        return (
            offer.market == self.market
            and (self.machines is None or offer.machine in self.machines)
            and (self.machine_range is None or _numbered(offer.machine, self.machine_range))
            and (self.cards is None or offer.gpu in self.cards)
            and offer.tier in self.tiers
            and offer.gpu_count >= low
            and (high is None or offer.gpu_count <= high)
            and not (self.verified_only and offer.verified is False)
            and _more(offer.reliability_ppm, self.reliability_above)
            and _least(offer.vram_gb, self.min_vram_gb)
            and _least(offer.down_mbps, self.min_down_mbps)
            and (offer.market != "vast" or self.disk_gb <= DEFAULT_DISK_GB or _least(offer.disk_space_gb, self.disk_gb))
            and (
                self.min_duration_s is None
                or (offer.ends_at is not None and offer.ends_at - at.timestamp() >= self.min_duration_s)
            )
            and (not self.countries or offer.country in self.countries)
            and (not self.not_countries or offer.country not in self.not_countries)
        )

    def asks_for(self, offer: Offer) -> bool:
        """Whether this query names the machine and size of an offer: the answer will tell what became of it."""
        low, high = self.counts
        return (
            offer.market == self.market
            and self.machines is not None
            and offer.machine in self.machines
            and low <= offer.gpu_count
            and (high is None or offer.gpu_count <= high)
        )

    def shows_all_of(self, card: str, tier: Tier, vram_gb: int | None = None) -> bool:
        """Whether a complete answer is the full picture of a card in a tier: the base of "none was on offer"."""
        return (
            not self.hides()
            and self.machines is None
            and self.machine_range is None
            and (self.cards is None or card in self.cards)
            and tier in self.tiers
            and self.counts[0] <= 1
            and (self.counts[1] is None or self.market == "runpod")
            and self.reliability_above is None
            and (self.min_vram_gb is None or (vram_gb is not None and vram_gb >= self.min_vram_gb))
            and self.min_down_mbps is None
            and self.min_duration_s is None
            and self.disk_gb <= DEFAULT_DISK_GB
            and not self.countries
            and not self.not_countries
        )

    def is_picture(self) -> bool:
        """Whether the query hides nothing of what it is about, so that it can be asked for in parts."""
        return not self.hides() and self.machines is None

    def to_text(self) -> str:
        """A canonical text: equal coverages give equal texts, and `from_text` reads it back.

        Of excluded machines it tells only that there are some.
        """
        # remembered without the machines: there are many sets of them, and they are large
        return _text_of(replace(self, excluded_machines=SOME_MACHINES) if self.excluded_machines else self)

    @classmethod
    def from_text(cls, text: str) -> Coverage:
        """The coverage whose `to_text` gave `text`."""
        record = json.loads(text)
        record.setdefault("verified_only", False)
        for name in ("tiers", "cards", "countries", "not_countries", "machines"):
            if name in record:
                record[name] = frozenset(record[name])
        for name in ("counts", "machine_range"):
            if name in record:
                record[name] = tuple(record[name])
        if "excluded_machines" in record:
            record["excluded_machines"] = SOME_MACHINES
        return cls(**record)


def _more(value: int | None, floor: int | None) -> bool:
    return floor is None or (value is not None and value > floor)


def _numbered(machine: str, numbers: MachineRange) -> bool:
    low, high = numbers
    return machine.isdecimal() and low <= int(machine) and (high is None or int(machine) < high)


def _least(value: int | None, floor: int | None) -> bool:
    return floor is None or (value is not None and value >= floor)


@functools.lru_cache(maxsize=8192)
def _text_of(coverage: Coverage) -> str:
    """Remembered, because the same few queries are named many times a second."""
    values = ((each.name, getattr(coverage, each.name)) for each in fields(coverage))
    record = {name: value for name, value in values if value not in (None, frozenset(), False)}
    if coverage.excluded_machines:
        record["excluded_machines"] = True
    for name, value in record.items():
        if isinstance(value, frozenset):
            record[name] = sorted(value)
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

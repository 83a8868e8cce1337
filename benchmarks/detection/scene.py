"""What is watched and what usually stands there: ten rules on six cards, and the market around them.

The figures are written out in docs/detection.md. Prices are USD per GPU-hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from random import Random
from typing import Final

from market.gpu import CATALOGUE
from market.grammar import read_rule, write_rule
from market.rule import Rule
from market.watch import Watch
from scanners.simulator.pods import Cloud

START: Final = datetime(2027, 1, 11, tzinfo=UTC)
"""A Monday, at the start of a day of the quota."""
EVERY_MARKET: Final = frozenset({"vast", "runpod"})
VAST_PER_MINUTE: Final = 10.0
VAST_ROWS_A_DAY: Final = 20_000
RUNPOD_PER_MINUTE: Final = 30.0
SIZES: Final = (1, 2, 4, 8)

RULES: Final = (
    "RTX 4090 <=0.24",
    "RTX 4090 <=0.27 x1+ vast",
    "RTX 4090 <=0.75 runpod any tier",
    "RTX 5090 <=0.30 community",
    "RTX 5090 <=1.00 x1+ secure",
    "A100 SXM <=0.45 vast spot",
    "A100 SXM <=1.80 secure",
    "H100 SXM <=1.60 datacenter",
    "B200 <=7.00 x1+",
    "RTX 3090 <=0.20 vast",
)
"""The last one is no hunt: something always matches it, and its answers cost rows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stock:
    """What Vast.ai usually has of a card. No machine of it ever asks less than `cheapest`, whatever the hour."""

    spelling: str
    machines: int
    cheapest: float
    dearest: float
    racks: bool = False
    """In data centres, with more GPUs a machine."""


STANDING: Final = (
    Stock(spelling="RTX 4090", machines=80, cheapest=0.29, dearest=0.60),
    Stock(spelling="RTX 5090", machines=70, cheapest=0.33, dearest=0.75),
    Stock(spelling="RTX 3090", machines=55, cheapest=0.12, dearest=0.30),
    Stock(spelling="A100 SXM4", machines=25, cheapest=0.80, dearest=1.90, racks=True),
    Stock(spelling="H100 SXM", machines=14, cheapest=1.75, dearest=3.20, racks=True),
    Stock(spelling="B200", machines=4, cheapest=7.30, dearest=9.00, racks=True),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scarcity:
    """One thing somebody waits for: while it is there, at least one rule matches it."""

    card: str
    """Canonical name."""
    gpus: int = 1
    spelling: str = ""
    """On Vast.ai; empty on RunPod."""
    price: float = 0.0
    datacenter: bool = False
    bid_share: float = 0.6
    type_id: str = ""
    """On RunPod; empty on Vast.ai."""
    cloud: Cloud = "secure"

    @property
    def market(self) -> str:
        """The marketplace it is on."""
        return "runpod" if self.type_id else "vast"


def _vast(card: str, spelling: str, price: float, *sizes: int, datacenter: bool = False) -> tuple[Scarcity, ...]:
    return tuple(
        Scarcity(card=card, spelling=spelling, price=price, gpus=gpus, datacenter=datacenter) for gpus in sizes
    )


def _runpod(card: str, type_id: str, cloud: Cloud, *sizes: int) -> tuple[Scarcity, ...]:
    return tuple(Scarcity(card=card, type_id=type_id, cloud=cloud, gpus=gpus) for gpus in sizes)


SCARCE: Final = (
    *_vast("RTX 4090", "RTX 4090", 0.22, *SIZES),
    *_vast("RTX 4090", "RTX 4090", 0.25, *SIZES, datacenter=True),
    *_runpod("RTX 4090", "NVIDIA GeForce RTX 4090", "secure", 1),
    *_runpod("RTX 4090", "NVIDIA GeForce RTX 4090", "community", 1),
    *_vast("RTX 5090", "RTX 5090", 0.28, 1),
    *_runpod("RTX 5090", "NVIDIA GeForce RTX 5090", "secure", *SIZES),
    Scarcity(card="A100 SXM", spelling="A100 SXM4", price=1.30, bid_share=0.3, datacenter=True),
    *_runpod("A100 SXM", "NVIDIA A100-SXM4-80GB", "secure", 1),
    *_vast("H100 SXM", "H100 SXM", 1.50, 1, datacenter=True),
    *_vast("B200", "B200", 5.90, *SIZES, datacenter=True),
    *_runpod("B200", "NVIDIA B200", "secure", *SIZES),
)
"""On Vast.ai each is a machine that is rented out as a whole; on RunPod a pod size of a type that is sold out else."""


def understood(text: str) -> Rule:
    """The rule of a text."""
    return read_rule(text, catalogue=CATALOGUE, today=date.min)


def watches(rules: Sequence[Rule]) -> tuple[Watch, ...]:
    """Rules that have been there for a while: their first pass is over, each in a chat of its own."""
    return tuple(
        Watch(
            id=number,
            chat=str(number),
            rule=rule,
            text=write_rule(rule, catalogue=CATALOGUE),
            set_at=START,
            passed=EVERY_MARKET,
        )
        for number, rule in enumerate(rules, start=1)
    )


def the_rules() -> list[Rule]:
    """The ten."""
    return [understood(text) for text in RULES]


def ten_times(rules: list[Rule], chance: Random) -> list[Rule]:
    """Each, and nine of the same cards, counts, tiers and verification with any ceilings, disks and places."""
    return [
        replace(
            rule,
            ceiling=round((rule.ceiling or 0) * (1.0 if number == 0 else chance.uniform(0.3, 1.5))),
            disk_gb=rule.disk_gb if number == 0 else chance.choice((8, 50, 200)),
            countries=frozenset() if number == 0 or chance.random() < 0.5 else frozenset({chance.choice(("US", "DE"))}),
        )
        for rule in rules
        for number in range(10)
    ]

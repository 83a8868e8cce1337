"""Invents plausible hardware, prices and owners for simulated Vast.ai machines. All chance comes from the caller."""

from __future__ import annotations

import math
from random import Random
from typing import Final

from scanners.simulator.cards import CARDS, GPUS_PER_MACHINE, CardSpec
from scanners.simulator.machine import Hardware, Verification
from scanners.simulator.places import PLACES

_CPUS: Final = (
    ("AMD EPYC 7543", 64, 2.8),
    ("AMD EPYC 9354", 64, 3.2),
    ("Xeon E5-2680 v4", 28, 2.4),
    ("Ryzen 9 7950X", 32, 4.5),
)
_DISKS: Final = ("Samsung SSD 990 PRO 2TB", "KIOXIA CM7", "WD_BLACK SN850X", "MICRON 7450", "")
_DRIVERS: Final = (("550.163.1", 12.4), ("570.211.1", 12.8), ("580.105.8", 13.0), ("590.48.1", 13.1))
_CARD_WEIGHTS: Final = tuple(card.hosts for card in CARDS)
_PLACE_WEIGHTS: Final = tuple(weight for _, weight in PLACES)


def pick_card(chance: Random) -> CardSpec:
    """A card, the common ones more often."""
    return chance.choices(CARDS, _CARD_WEIGHTS)[0]


def pick_gpus(chance: Random, card: CardSpec) -> int:
    """How many of them a machine has."""
    sizes = GPUS_PER_MACHINE[card.sort]
    return chance.choices([size for size, _ in sizes], [weight for _, weight in sizes])[0]


def furnish(chance: Random, card: CardSpec, gpus: int, first_gpu_id: int) -> Hardware:
    """A machine with so many of that card."""
    cpu, cores, ghz = chance.choice(_CPUS)
    driver, cuda = chance.choice(_DRIVERS[1:] if card.compute_cap >= 1000 else _DRIVERS)
    rack = card.sort == "rack"
    down = round(chance.lognormvariate(math.log(4000.0 if rack else 700.0), 0.9), 1)
    known = chance.random() > 0.03
    chunks = [size for size in (1, 2, 4, 8) if size <= gpus]
    return Hardware(
        card=card,
        gpus=gpus,
        gpu_ids=tuple(range(first_gpu_id, first_gpu_id + gpus)),
        min_chunk=1 if chance.random() < 0.66 else chance.choice(chunks),
        gpu_ram=chance.choice(card.ram_mb),
        cpu_name=cpu if known else None,
        cpu_cores=cores if known else None,
        cpu_ghz=ghz if known else None,
        cpu_ram=chance.choice((32, 48, 64, 96) if gpus < 3 else (128, 256, 384, 512)) * 1007 * (2 if rack else 1),
        mobo_name="ROME2D32GM" if known else None,
        disk_name=chance.choice(_DISKS),
        disk_space=round(chance.lognormvariate(math.log(300.0 * gpus), 0.8), 6),
        disk_mbps=round(chance.uniform(400, 6000), 1),
        inet_down=down,
        inet_up=round(down * chance.uniform(0.2, 1.0), 1),
        inet_cost=chance.choice((0.0, 0.0, 0.0025, 0.004375, 0.01, 0.02)),
        storage_cost=chance.choice((0.1, 0.15, 0.15, 0.15, 0.1875, 0.2, 0.3)),
        cuda=cuda,
        driver=driver,
        pci_gen=chance.choice((3.0, 4.0, 5.0)),
        ports=chance.choice((0, 20, 99, 199, 499)),
        static_ip=chance.random() < 0.6,
        place=chance.choices(PLACES, _PLACE_WEIGHTS)[0][0],
        datacenter=chance.random() < (0.45 if rack else 0.05),
        address=f"203.0.113.{chance.randrange(1, 255)}",
        unbundled=chance.random() < 0.08,
    )


def pick_price(chance: Random, card: CardSpec) -> float:
    """USD per GPU-hour: around the typical price, a few far above it."""
    factor = chance.lognormvariate(0.0, 0.16) if chance.random() < 0.94 else chance.uniform(1.4, 3.0)
    return round(card.usd * max(factor, 0.72), 4)


def pick_bid_share(chance: Random) -> float:
    """The lowest bid as a share of the price: often half of it, often all of it, now and then more."""
    kind = chance.random()
    if kind < 0.07:
        return round(chance.uniform(1.05, 1.5), 3)
    return 1.0 if kind < 0.33 else round(chance.uniform(0.4, 0.9), 3)


def pick_reliability(chance: Random, verification: Verification) -> float:
    """0.57 to 0.9997; most verified machines are far above 0.95."""
    median = 0.0045 if verification == "verified" else 0.02
    return min(max(1.0 - chance.lognormvariate(math.log(median), 1.35), 0.57), 0.9997)

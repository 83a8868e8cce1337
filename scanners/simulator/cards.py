"""The cards of simulated Vast.ai hosts, spelt as Vast.ai spells them; prices and speeds are round invented figures."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Sort = Literal["home", "office", "rack"]


class CardSpec(NamedTuple):
    """One card model."""

    name: str
    ram_mb: tuple[int, ...]
    """Memory as reported, MB; the first is the common one, the others are rarer versions under the same name."""
    hosts: int
    """How common it is, relative to the others."""
    usd: float
    """Typical price, USD per GPU-hour."""
    tflops: float
    memory_gbps: float
    watts: int
    compute_cap: int
    sort: Sort = "home"
    """At home, in workstations, or in racks: decides how many cards a machine has."""
    scarce: float = 1.0
    """How long rentals last compared with an ordinary card; the longer, the rarer a free one."""
    nvlink_gbps: float = 0.0
    arch: str = "nvidia"


CARDS: Final[tuple[CardSpec, ...]] = (
    CardSpec("RTX 4090", (24564, 24564, 24564, 24564, 49140, 23028), 104, 0.36, 82.6, 1008, 450, 890, scarce=1.2),
    CardSpec("RTX 5090", (32607,), 96, 0.44, 104.8, 1792, 575, 1200, scarce=1.3),
    CardSpec("RTX 3090", (24576,), 70, 0.17, 35.6, 936, 350, 860),
    CardSpec("RTX 5060 Ti", (16311, 16311, 8151), 66, 0.12, 23.7, 448, 180, 1200),
    CardSpec("RTX 3060", (12288,), 60, 0.066, 12.7, 360, 170, 860),
    CardSpec("RTX PRO 6000 WS", (97887,), 42, 1.38, 125.0, 1792, 600, 1200, "office", 1.3),
    CardSpec("RTX PRO 6000 S", (97887,), 30, 1.58, 120.0, 1597, 600, 1200, "rack", 1.3),
    CardSpec("RTX 5080", (16303,), 40, 0.175, 56.3, 960, 360, 1200),
    CardSpec("RTX 5070 Ti", (16303,), 35, 0.135, 43.9, 896, 300, 1200),
    CardSpec("RTX 5070", (12227,), 22, 0.12, 30.9, 672, 250, 1200),
    CardSpec("RTX 5060", (8151,), 8, 0.073, 19.2, 448, 145, 1200),
    CardSpec("RTX A4000", (16376,), 34, 0.12, 19.2, 448, 140, 860, "office"),
    CardSpec("RTX A5000", (24564,), 17, 0.23, 27.8, 768, 230, 860, "office"),
    CardSpec("RTX A6000", (49140,), 12, 0.46, 38.7, 768, 300, 860, "office", 1.4),
    CardSpec("RTX A2000", (12282, 6138), 9, 0.07, 8.0, 288, 70, 860, "office"),
    CardSpec("RTX 3080", (10240, 12288, 20480), 34, 0.11, 29.8, 760, 320, 860),
    CardSpec("RTX 3080 Ti", (12288,), 32, 0.12, 34.1, 912, 350, 860),
    CardSpec("RTX 3070", (8192,), 32, 0.08, 20.3, 448, 220, 860),
    CardSpec("RTX 3070 Ti", (8192,), 8, 0.1, 21.7, 608, 290, 860),
    CardSpec("RTX 3060 Ti", (8192,), 20, 0.07, 16.2, 448, 200, 860),
    CardSpec("RTX 3090 Ti", (24564,), 6, 0.21, 40.0, 1008, 450, 860),
    CardSpec("RTX 3060 laptop", (12288,), 6, 0.067, 10.9, 336, 115, 860),
    CardSpec("RTX 2080 Ti", (11264, 11264, 22528), 30, 0.08, 13.4, 616, 250, 750),
    CardSpec("RTX 2060S", (8192,), 10, 0.065, 7.2, 448, 175, 750),
    CardSpec("RTX 4080S", (16376, 16376, 32760), 28, 0.16, 52.2, 736, 320, 890),
    CardSpec("RTX 4080", (16376,), 12, 0.17, 48.7, 716, 320, 890),
    CardSpec("RTX 4070S", (12282,), 26, 0.09, 35.5, 504, 220, 890),
    CardSpec("RTX 4070S Ti", (16376,), 20, 0.155, 44.1, 672, 285, 890),
    CardSpec("RTX 4070 Ti", (12282,), 17, 0.095, 40.1, 504, 285, 890),
    CardSpec("RTX 4070", (12282,), 22, 0.083, 29.1, 504, 200, 890),
    CardSpec("RTX 4060 Ti", (16380, 8188), 22, 0.107, 22.1, 288, 165, 890),
    CardSpec("RTX 4060", (8188,), 12, 0.065, 15.1, 272, 115, 890),
    CardSpec("RTX 4090D", (24564,), 3, 0.39, 73.5, 1008, 425, 890),
    CardSpec("RTX PRO 4000", (24467,), 24, 0.265, 46.9, 672, 140, 1200, "office"),
    CardSpec("RTX PRO 4500", (32623,), 4, 0.34, 54.9, 896, 200, 1200, "office"),
    CardSpec("RTX PRO 5000", (48935,), 16, 0.67, 73.7, 1344, 300, 1200, "office"),
    CardSpec("RTX 4000Ada", (20475,), 5, 0.2, 26.7, 360, 130, 890, "office"),
    CardSpec("RTX 5000Ada", (32760,), 5, 0.42, 65.3, 576, 250, 890, "office"),
    CardSpec("RTX 6000Ada", (49140,), 10, 0.63, 91.1, 960, 300, 890, "office", 1.4),
    CardSpec("Q RTX 6000", (24576, 23040), 6, 0.135, 16.3, 672, 260, 750, "office"),
    CardSpec("Q RTX 8000", (49152, 46080), 5, 0.25, 16.3, 672, 260, 750, "office"),
    CardSpec("A100 SXM4", (81920, 81920, 40960), 30, 1.15, 19.5, 2039, 400, 800, "rack", 1.5, 600.0),
    CardSpec("A100 PCIE", (81920, 40960), 25, 0.87, 19.5, 1935, 300, 800, "rack", 1.4),
    CardSpec("H100 SXM", (81559,), 14, 2.35, 66.9, 3350, 700, 900, "rack", 2.2, 900.0),
    CardSpec("H100 PCIE", (81559,), 8, 1.99, 51.2, 2039, 350, 900, "rack", 2.0),
    CardSpec("H100 NVL", (95830,), 4, 2.45, 60.0, 3938, 400, 900, "rack", 2.2, 600.0),
    CardSpec("H200", (143771,), 8, 3.6, 66.9, 4800, 700, 900, "rack", 2.2, 900.0),
    CardSpec("H200 NVL", (143771,), 8, 3.2, 60.3, 4800, 600, 900, "rack", 1.9, 900.0),
    CardSpec("B200", (183359,), 8, 5.2, 74.4, 8000, 1000, 1000, "rack", 2.2, 900.0),
    CardSpec("B300", (275040,), 4, 7.1, 76.0, 8000, 1100, 1030, "rack", 2.4, 900.0),
    CardSpec("L40S", (46068,), 11, 0.78, 91.6, 864, 350, 890, "rack", 1.4),
    CardSpec("L40", (46068,), 5, 0.68, 90.5, 864, 300, 890, "rack", 1.4),
    CardSpec("L4", (23034,), 9, 0.33, 30.3, 300, 72, 890, "rack"),
    CardSpec("A10", (23028,), 6, 0.24, 31.2, 600, 150, 860, "rack"),
    CardSpec("A40", (46068,), 7, 0.42, 37.4, 696, 300, 860, "rack"),
    CardSpec("Tesla V100", (32768, 16384), 26, 0.15, 15.7, 900, 300, 700, "rack", 1.0, 300.0),
    CardSpec("Tesla T4", (15360, 16384), 5, 0.14, 8.1, 320, 70, 750, "rack"),
    CardSpec("Tesla P40", (24576,), 3, 0.1, 11.8, 346, 250, 610, "rack"),
    CardSpec("GTX 1080 Ti", (11264,), 16, 0.063, 11.3, 484, 250, 610),
    CardSpec("GTX 1080", (8192,), 10, 0.054, 8.9, 320, 180, 610),
    CardSpec("GTX 1070", (8192,), 8, 0.047, 6.5, 256, 150, 610),
    CardSpec("GTX 1660 S", (6144,), 16, 0.056, 5.0, 336, 125, 750),
    CardSpec("Titan Xp", (12288,), 5, 0.06, 12.1, 548, 250, 610),
    CardSpec("InstinctMI50", (32752,), 3, 0.11, 13.3, 1024, 300, 900, "rack", arch="amd"),
)

GPUS_PER_MACHINE: Final[dict[Sort, tuple[tuple[int, int], ...]]] = {
    "home": ((1, 62), (2, 20), (3, 3), (4, 9), (6, 3), (7, 1), (8, 4)),
    "office": ((1, 46), (2, 26), (4, 18), (5, 2), (8, 8)),
    "rack": ((1, 24), (2, 20), (4, 22), (8, 32), (10, 2)),
}
"""(GPUs in a machine, how common)."""


def card_spec(name: str, ram_mb: int | None = None) -> CardSpec:
    """The card of that spelling; one that is not in the list gets middling figures, for cards nobody has seen yet."""
    for card in CARDS:
        if card.name == name:
            return card
    return CardSpec(name, (ram_mb or 24576,), 1, 0.5, 40.0, 900, 350, 890)

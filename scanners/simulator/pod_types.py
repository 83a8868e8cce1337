"""The GPU types of a simulated RunPod: names and sizes as RunPod has them, invented stock, and its contradictions.

A cloud that does not offer a type shows a filler price (0 or 0.50); flags and counts disagree for some types; one row
is a sentinel that is no card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

FILLER: Final = 0.5

DATA_CENTERS: Final = (
    "US-KS-2", "EU-RO-1", "US-TX-3", "CA-MTL-1", "EUR-IS-1", "US-GA-2", "EU-SE-1", "US-IL-1", "EU-CZ-1", "US-NC-1",
    "EU-NL-1", "US-CA-2", "AP-JP-1", "US-WA-1", "EU-FR-1", "CA-MTL-3", "OC-AU-1", "EUR-NO-1",
)  # fmt: skip


class PodType(NamedTuple):
    """One GPU type. Prices are USD per GPU-hour, memory GB."""

    id: str
    name: str
    memory: int
    secure_usd: float
    community_usd: float
    secure_stock: float | None
    """Usual stock in Secure Cloud on the scale of `pods`: above 0 low, 1 medium, 1.6 high. None: not offered."""
    community_stock: float | None
    max_secure: int = 8
    max_community: int = 8
    centers: int = 2
    """In how many data centres Secure Cloud has it."""
    cuda: tuple[str, ...] = ("12.4", "12.8", "13.0")
    secure: bool | None = None
    """The flag, where it contradicts the stock."""
    community: bool | None = None
    stray_center: bool = False
    """Names one data centre with low stock while there is none overall."""

    @property
    def pool(self) -> str | None:
        """The serverless pool; None for types that have none."""
        return _POOLS.get(self.name)

    @property
    def silent(self) -> bool:
        """Names no data centre even while there is stock."""
        return self.name in _SILENT

    def offered(self, cloud: str) -> bool:
        """The flag of a cloud ("secure" or "community") as the catalogue shows it."""
        flag = self.secure if cloud == "secure" else self.community
        return self.usual_stock(cloud) is not None if flag is None else flag

    def usual_stock(self, cloud: str) -> float | None:
        """None where the cloud has no such machine."""
        return self.secure_stock if cloud == "secure" else self.community_stock

    def biggest(self, cloud: str) -> int:
        """GPUs of the biggest pod."""
        return self.max_secure if cloud == "secure" else self.max_community


_POOLS: Final[Mapping[str, str]] = {
    "A100 PCIe": "AMPERE_80",
    "A100 SXM": "AMPERE_80",
    "A40": "AMPERE_48",
    "B200": "BLACKWELL_180",
    "B300": "BLACKWELL_288",
    "RTX 3090": "AMPERE_24",
    "RTX 4090": "ADA_24",
    "RTX 5090": "ADA_32_PRO",
    "H100 SXM": "ADA_80_PRO",
    "H100 NVL": "ADA_80_PRO",
    "H100 PCIe": "ADA_80_PRO",
    "H200 SXM": "HOPPER_141",
    "L4": "AMPERE_24",
    "L40": "ADA_48_PRO",
    "L40S": "ADA_48_PRO",
    "RTX 2000 Ada": "AMPERE_16",
    "RTX 4000 Ada": "AMPERE_16",
    "RTX 6000 Ada": "ADA_48_PRO",
    "RTX A4000": "AMPERE_16",
    "RTX A4500": "AMPERE_16",
    "RTX A5000": "AMPERE_24",
    "RTX A6000": "AMPERE_48",
    "RTX PRO 4500": "BLACKWELL_32",
    "RTX PRO 6000": "BLACKWELL_96",
    "RTX PRO 6000 WK": "BLACKWELL_96",
}
_SILENT: Final = frozenset(
    {"MI350X", "A100 PCIe", "A100 SXM 40GB", "RTX 3090 Ti", "RTX 5080", "RTX 5090", "RTX PRO 5000"}
)
_GEFORCE: Final = "NVIDIA GeForce RTX "
_MIG: Final = "NVIDIA B300 SXM6 AC MIG 1g.34gb"
_SERVER: Final = "NVIDIA RTX PRO 6000 Blackwell Server Edition"
_PRO: Final = "NVIDIA RTX PRO "

POD_TYPES: Final = (
    PodType("AMD Instinct MI300X OAM", "MI300X", 192, 2.51, FILLER, -0.6, None, max_community=0, centers=1, cuda=()),
    PodType("AMD Instinct MI350 OAM", "MI350X", 294, 5.27, FILLER, 0.2, None, max_community=0, cuda=()),
    PodType("NVIDIA A100 80GB PCIe", "A100 PCIe", 80, 1.7, 1.14, 0.7, -0.5, max_community=4),
    PodType("NVIDIA A100-SXM4-40GB", "A100 SXM 40GB", 40, 0, 1.07, None, 0.1, max_secure=0, max_community=4),
    PodType("NVIDIA A100-SXM4-80GB", "A100 SXM", 80, 1.7, 1.49, 1.0, 0.0, centers=4),
    PodType("NVIDIA A40", "A40", 48, 0.51, 0.32, 0.8, None, max_secure=10, max_community=1),
    PodType("NVIDIA B200", "B200", 180, 6.99, 5.62, 0.1, None, max_community=0, centers=3, community=True),
    PodType("NVIDIA B300 SXM6 AC", "B300", 288, 8.44, 6.38, -0.5, None, max_community=0, centers=1, community=True),
    PodType(_MIG, "B300 MIG 34GB", 34, FILLER, FILLER, -0.3, None, 56, 0, 1, stray_center=True),
    PodType(_GEFORCE + "3070", "RTX 3070", 8, 0, 0.12, None, -0.2, max_secure=0),
    PodType(_GEFORCE + "3080", "RTX 3080", 10, 0, 0.16, None, -0.2, max_secure=0, max_community=4),
    PodType(_GEFORCE + "3080 Ti", "RTX 3080 Ti", 12, 0, 0.17, None, -0.3, max_secure=0, max_community=2),
    PodType(_GEFORCE + "3090", "RTX 3090", 24, 0.47, 0.21, 0.1, 0.1),
    PodType(_GEFORCE + "3090 Ti", "RTX 3090 Ti", 24, 0.47, 0.28, None, 0.1, max_secure=0, max_community=2),
    PodType(_GEFORCE + "4070 Ti", "RTX 4070 Ti", 12, FILLER, 0.17, None, -0.4, max_secure=0, max_community=6),
    PodType(_GEFORCE + "4080", "RTX 4080", 16, FILLER, 0.28, None, -0.4, max_secure=0, max_community=4),
    PodType(_GEFORCE + "4080 SUPER", "RTX 4080 SUPER", 16, FILLER, 0.26, None, -0.3, max_secure=0, max_community=2),
    PodType(_GEFORCE + "4090", "RTX 4090", 24, 0.68, 0.36, 1.3, 0.5, centers=5),
    PodType(_GEFORCE + "5080", "RTX 5080", 16, 0.55, 0.4, None, 0.2, max_secure=0),
    PodType(_GEFORCE + "5090", "RTX 5090", 32, 0.95, 0.65, 1.2, 0.3, centers=4),
    PodType("NVIDIA H100 80GB HBM3", "H100 SXM", 80, 3.59, 2.53, 1.1, -0.7, max_community=1, centers=8),
    PodType("NVIDIA H100 NVL", "H100 NVL", 94, 2.93, 2.43, 0.3, -0.4, max_community=8, centers=1),
    PodType("NVIDIA H100 PCIe", "H100 PCIe", 80, 3.03, 2.09, -0.3, -0.9, max_community=1),
    PodType("NVIDIA H200", "H200 SXM", 141, 4.73, 3.37, 0.9, -0.6, centers=6),
    PodType("NVIDIA H200 NVL", "H200 NVL", 143, 3.56, FILLER, -0.2, None, max_community=0, centers=1),
    PodType("NVIDIA L4", "L4", 24, 0.45, 0.4, 0.2, None, max_secure=9, max_community=1),
    PodType("NVIDIA L40", "L40", 48, 0.77, 0.65, 0.3, -0.6, max_community=8, centers=1),
    PodType("NVIDIA L40S", "L40S", 48, 1.02, 0.74, 0.6, 0.0, centers=3),
    PodType("NVIDIA RTX 2000 Ada Generation", "RTX 2000 Ada", 16, 0.23, FILLER, 0.3, None, max_community=0),
    PodType("NVIDIA RTX 4000 Ada Generation", "RTX 4000 Ada", 20, 0.27, 0.19, 0.4, -0.2),
    PodType("NVIDIA RTX 5000 Ada Generation", "RTX 5000 Ada", 32, 0.87, 0.52, None, -0.4, 0, 2),
    PodType("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", 48, 0.9, 0.7, 0.5, 0.0, centers=2),
    PodType("NVIDIA RTX A2000", "RTX A2000", 6, FILLER, 0.11, None, -0.5, max_secure=0, max_community=2),
    PodType("NVIDIA RTX A4000", "RTX A4000", 16, 0.27, 0.16, 0.5, 0.2),
    PodType("NVIDIA RTX A4500", "RTX A4500", 20, 0.26, 0.18, 0.4, -0.3, 4, 4),
    PodType("NVIDIA RTX A5000", "RTX A5000", 24, 0.25, 0.15, 0.7, 0.3, 10, 10),
    PodType("NVIDIA RTX A6000", "RTX A6000", 48, 0.55, 0.31, 0.6, -0.1, 10, 3),
    PodType(_PRO + "4000 Blackwell", "RTX PRO 4000", 24, 0.54, FILLER, 0.3, None, 4, 0, 1),
    PodType(_PRO + "4500 Blackwell", "RTX PRO 4500", 32, 0.69, 0.31, 1.2, None, max_community=0),
    PodType(_PRO + "5000 Blackwell", "RTX PRO 5000", 48, 0.92, 0.79, None, 0.1, max_secure=0, secure=True),
    PodType(_PRO + "6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 MaxQ", 96, FILLER, 1.72, None, -0.2, 0, 2),
    PodType(_SERVER, "RTX PRO 6000", 96, 2.19, 1.55, 0.9, 0.0, 9, 9, 6),
    PodType(_SERVER + " MIG 1g.24gb", "PRO 6000 MIG 24GB", 24, 0.62, FILLER, 0.6, None, 32, 0, 3),
    PodType(_SERVER + " MIG 2g.48gb", "PRO 6000 MIG 48GB", 48, 1.17, 1.07, 0.5, None, 16, 0, 3),
    PodType(_PRO + "6000 Blackwell Workstation Edition", "RTX PRO 6000 WK", 96, 2.1, 1.55, 0.4, 0.0, 8, 4, 1),
    PodType("Tesla V100-PCIE-16GB", "Tesla V100", 16, 0, 0.18, None, -0.1, max_secure=0, cuda=("12.4",)),
    PodType("Tesla V100-SXM2-16GB", "V100 SXM2", 16, 0, 0.22, None, -0.1, max_secure=0, cuda=("12.4",)),
    PodType("unknown", "unknown", 0, 0, 0, None, None, 1, 1, 0, cuda=()),
)  # fmt: skip

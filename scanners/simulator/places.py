"""Where simulated hosts stand: place names as Vast.ai writes them, with how common they are."""

from __future__ import annotations

import zlib
from typing import Final

PLACES: Final[tuple[tuple[str | None, int], ...]] = (
    ("California, US", 90),
    ("Texas, US", 80),
    ("Washington, US", 55),
    ("Utah, US", 40),
    ("Georgia, US", 40),
    ("New York, US", 40),
    ("Oregon, US", 30),
    (", US", 40),
    ("Quebec, CA", 80),
    ("British Columbia, CA", 45),
    ("Ontario, CA", 35),
    ("South Korea, KR", 90),
    ("Norway, NO", 50),
    ("Taiwan, TW", 45),
    ("United Kingdom, GB", 40),
    ("Vietnam, VN", 40),
    ("Japan, JP", 40),
    ("Czechia, CZ", 40),
    ("China, CN", 35),
    ("Germany, DE", 32),
    ("Spain, ES", 28),
    ("Portugal, PT", 14),
    ("France, FR", 24),
    ("Poland, PL", 20),
    ("Romania, RO", 20),
    ("Bulgaria, BG", 18),
    ("Hungary, HU", 16),
    ("Sweden, SE", 16),
    ("Thailand, TH", 14),
    ("Estonia, EE", 14),
    ("Iceland, IS", 14),
    ("Hong Kong, HK", 12),
    ("Netherlands, NL", 14),
    ("Italy, IT", 10),
    ("Slovakia, SK", 8),
    ("Brazil, BR", 14),
    ("Argentina, AR", 6),
    ("South Africa, ZA", 5),
    ("Australia, AU", 8),
    (None, 6),
)
"""A place may lack its region (", US") or be missing altogether."""


def country_of(place: str | None) -> str | None:
    """The ISO code after the last comma; None when the host did not say."""
    code = (place or "").rpartition(",")[2].strip()
    return code or None


def geolocode(place: str | None) -> int | None:
    """One number for each country, as the service keeps for its searches."""
    country = country_of(place)
    return None if country is None else zlib.crc32(country.encode()) & 0x7FFFFFFF


def data_center_country(data_center: str) -> str:
    """ISO code from a RunPod data centre id such as "US-KS-2", "EU-RO-1" or "CA-MTL-1"."""
    area, _, rest = data_center.partition("-")
    return rest.partition("-")[0] if area in {"EU", "EUR", "AP", "OC"} else area

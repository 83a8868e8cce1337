"""Single fields of a Vast.ai row in the product's own terms."""

from __future__ import annotations

from typing import Final

from market.gpu import Catalogue
from market.money import HOURS_PER_MONTH, MICRO
from market.offer import DEFAULT_DISK_GB
from market.place import COUNTRIES
from scanners.client import printable

LONGEST_PLACE: Final = 80
SAME_USD: Final = 0.000_001


class Cards(dict[tuple[str, float | None], tuple[str, int]]):
    """(spelling, MB of one GPU) to (canonical card, nominal GB), worked out once: a book names few cards.

    A size that was not told is taken from the catalogue if the card has only one, else it is 0: unknown.
    """

    def __init__(self, catalogue: Catalogue, market: str) -> None:
        super().__init__()
        self._catalogue = catalogue
        self._market = market

    def __missing__(self, seen: tuple[str, float | None]) -> tuple[str, int]:
        spelling, reported_mb = seen
        name = self._catalogue.card_of(self._market, spelling)
        if reported_mb:
            vram_gb = self._catalogue.nominal_gb(name, reported_mb)
        else:
            sizes = self._catalogue.sizes([name])
            vram_gb = sizes[0] if len(sizes) == 1 else 0
        self[seen] = name, vram_gb
        return name, vram_gb


class Places(dict[str | None, tuple[str | None, str | None]]):
    """A location as the host wrote it to (ISO country, text fit to show): ", US" is a country without a region."""

    def __missing__(self, seen: str | None) -> tuple[str | None, str | None]:
        text = printable(seen or "", LONGEST_PLACE).strip(" ,")
        code = text.rpartition(",")[2].strip().upper()
        country = code if code in COUNTRIES else None
        self[seen] = country, text or None
        return self[seen]


class CudaVersions(dict[float | None, int | None]):
    """12.8 to 12,008, 12.11 to 12,011: what follows the dot is a whole number and no fraction. Nothing to None."""

    def __missing__(self, seen: float | None) -> int | None:
        # the shortest decimal text is what was sent; three decimals drop the noise of a narrower float
        major, _, minor = str(round(seen or 0, 3)).partition(".")
        self[seen] = int(major) * 1000 + int(minor or 0) or None
        return self[seen]


def price_without_extra_disk(total: float, base: float | None, storage: float, asked_gb: int) -> int:
    """Micro-dollars an hour with the usual disk, for a `total` (US$) that was asked for with `asked_gb`; `storage` is
    US$ per GB and month.

    Rounded down, so that with the disk that was asked for the offer never costs more than the market said. A row
    that shows by its own base price that the server left out the wish is taken as it is.
    """
    price, unit = round(total * MICRO), storage / HOURS_PER_MONTH
    if base is not None:
        surcharge = total - base
        if abs(surcharge - DEFAULT_DISK_GB * unit) < SAME_USD < abs(surcharge - asked_gb * unit):
            return price
    return price + (DEFAULT_DISK_GB - asked_gb) * round(storage * MICRO) // HOURS_PER_MONTH

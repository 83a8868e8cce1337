"""REST v2, the source with a key: `GET /v2/catalog/gpus`, one read for each cloud and pod size.

The cloud is always named, because a read without it shows one cloud's stock beside the other's price.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from market.offer import Tier
from scanners.client import Response
from scanners.errors import OddAnswer
from scanners.markets.runpod.account import Account
from scanners.markets.runpod.listing import Listing, cuda, level
from scanners.markets.runpod.wire import NAME, Memory, Size, Soft, TypeId, Usd, Wire, cloud, document, rows

PATH: Final = "/v2/catalog/gpus"
_ABSENT: Final = "absent"
"""No level came at all: not understood, while a null says that there is nothing."""


class ByCloud(Wire):
    """A price in each cloud, US$ an hour for one GPU."""

    secure: Soft[Usd] = None
    community: Soft[Usd] = None


class MostByCloud(Wire):
    """The biggest pod in each cloud."""

    secure: Soft[Size] = None
    community: Soft[Size] = None


class DataCenter(Wire):
    """A site of Secure Cloud."""

    id: TypeId
    availability: Any = _ABSENT


class CudaVersion(Wire):
    """A CUDA version that hosts of the type have."""

    version: str
    available: Soft[bool] = None


class GpuType(Wire):
    """One row of the catalogue. Memory is GB."""

    id: TypeId
    name: Soft[TypeId] = None
    memory: Soft[Memory] = None
    secure: Soft[bool] = None
    community: Soft[bool] = None
    price: Soft[ByCloud] = None
    most: Soft[MostByCloud] = Field(default=None, alias="maxCount")
    availability: Any = _ABSENT
    data_centers: Soft[list[Soft[DataCenter]]] = Field(default=None, alias="dataCenters")
    cuda_versions: Soft[list[Soft[CudaVersion]]] = Field(default=None, alias="cudaVersions")


async def ask(account: Account, tier: Tier, gpu_count: int) -> Response:
    """The catalogue's answer for one cloud and pod size. Raises ScanError, also for every answer but a success."""
    query: dict[str, str | int] = {"include": "AVAILABILITY", "product": "POD"}
    return await account.get(PATH, query | {"count": gpu_count, "cloud": cloud(tier).upper()})


def read(answer: Response, tier: Tier) -> tuple[list[Listing], int]:
    """What the catalogue says about every type in one cloud, and the number of unreadable rows. Raises OddAnswer."""
    types, skipped = rows(GpuType, document(answer).get("gpus"), answer)
    if all(row.availability == _ABSENT for row in types):
        raise OddAnswer(NAME, "the catalogue tells no stock at all")
    return [_listing(row, tier) for row in types], skipped


def _listing(row: GpuType, tier: Tier) -> Listing:
    here, there = ("secure", "community") if tier == "secure" else ("community", "secure")
    versions = [cuda(each.version) for each in row.cuda_versions or [] if each and each.available]
    return Listing(
        type_id=row.id,
        name=row.name or row.id,
        memory_gb=row.memory,
        offered=getattr(row, here) is True,
        price=getattr(row.price, here, None),
        other_price=getattr(row.price, there, None),
        most=getattr(row.most, here, None),
        level=level(row.availability),
        word=str(row.availability),
        data_centers=_data_centers(row) if tier == "secure" else (),
        cuda=max((version for version in versions if version is not None), default=None),
    )


def _data_centers(row: GpuType) -> tuple[str, ...] | None:
    """Those with stock; None where the row names none at all, which it may do although there is stock."""
    named = [center for center in row.data_centers or [] if center]
    if not named:
        return None
    return tuple(center.id for center in named if level(center.availability) in ("low", "medium", "high"))

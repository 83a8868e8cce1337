"""REST v2, the source with a key: `GET /v2/catalog/gpus`, one read for each cloud and pod size.

The cloud is always named, because a read without it shows one cloud's stock beside the other's price.
"""

from __future__ import annotations

import re
from typing import Any, Final

import httpx
from pydantic import Field, SecretStr

from market.offer import Tier
from scanners.client import Response, fetch, seconds
from scanners.errors import KeyRejected, OddAnswer, RateLimited, Refused, Retired, ScanError
from scanners.markets.runpod.listing import Listing, cuda, level
from scanners.markets.runpod.wire import NAME, Memory, Size, Soft, TypeId, Usd, Wire, cloud, document, rows

PATH: Final = "/v2/catalog/gpus"
_LEFT: Final = re.compile(r";\s*r=(\d+)")
_WAIT: Final = re.compile(r";\s*t=(\d+)")
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


async def ask(client: httpx.AsyncClient, url: str, key: SecretStr, tier: Tier, gpu_count: int) -> Response:
    """The catalogue's answer for one cloud and pod size. Raises ScanError, also for every answer but a success."""
    answer = await fetch(
        client,
        NAME,
        "GET",
        url + PATH,
        key=key,
        params={"include": "AVAILABILITY", "product": "POD", "count": gpu_count, "cloud": cloud(tier).upper()},
    )
    if answer.status != 200:
        raise refusal(answer)
    return answer


def read(answer: Response, tier: Tier) -> tuple[list[Listing], int]:
    """What the catalogue says about every type in one cloud, and the number of unreadable rows. Raises OddAnswer."""
    types, skipped = rows(GpuType, document(answer).get("gpus"), answer)
    if all(row.availability == _ABSENT for row in types):
        raise OddAnswer(NAME, "the catalogue tells no stock at all")
    return [_listing(row, tier) for row in types], skipped


def _listing(row: GpuType, tier: Tier) -> Listing:
    here, there = ("secure", "community") if tier == "secure" else ("community", "secure")
    sites = row.data_centers or [] if tier == "secure" else []
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
        data_centers=tuple(site.id for site in sites if site and level(site.availability) in ("low", "medium", "high")),
        cuda=max((version for version in versions if version is not None), default=None),
    )


def refusal(answer: Response) -> ScanError:
    """The error that an answer without success stands for."""
    status, said = answer.status, f"{answer.status} {answer.excerpt}".strip()
    problem = answer.content_type.endswith("json")
    if status == 429:
        return RateLimited(NAME, f"asked too often ({said})", longest_wait(answer))
    if answer.is_html:
        return Refused(NAME, f"a web page came with status {status}")
    if status == 401:
        return KeyRejected(NAME, f"the key was rejected ({said})")
    if status == 403:
        if problem:
            return KeyRejected(NAME, f"the key has no permission for this ({said})")
        return Refused(NAME, f"blocked on the way to the service ({said})")
    if status in (404, 410):
        return Retired(NAME, f"the catalogue is not there any more ({said})")
    if status < 400:
        return OddAnswer(NAME, f"status {status} is no answer; is `url` right?")
    return Refused(NAME, f"refused ({said})")


def longest_wait(answer: Response) -> float | None:
    """Seconds until every exhausted window is open again: several can be, and the shortest wait only loops."""
    waits = [answer.retry_after]
    for window in answer.headers.get("ratelimit", "").split(","):
        left, wait = _LEFT.search(window), _WAIT.search(window)
        if left and wait and int(left[1]) == 0:
            waits.append(seconds(wait[1]))
    return max((wait for wait in waits if wait is not None), default=None)

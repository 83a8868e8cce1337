"""GraphQL, the source without a key, until RunPod retires it (announced for early 2027).

No key is ever sent here: a dead one makes even the public query fail. The selection is as small as can be, because
fields vanish from the schema without notice. `lowestPrice` is asked for one cloud, never for the cheaper of both.
"""

from __future__ import annotations

from typing import Any, Final

import httpx
from pydantic import Field

from market.offer import Tier
from scanners.client import Response, fetch, printable
from scanners.errors import KeyRejected, OddAnswer, RateLimited, Refused, Retired, ScanError
from scanners.markets.runpod.listing import Listing, level
from scanners.markets.runpod.wire import NAME, Memory, Size, Soft, TypeId, Usd, Wire, document, rows

PATH: Final = "/graphql"
_QUERY: Final = """query {{ gpuTypes {{
  id displayName memoryInGb secureCloud communityCloud securePrice communityPrice
  lowestPrice(input: {{gpuCount: {count}, secureCloud: {secure}}}) {{ stockStatus uninterruptablePrice }}
}} }}"""
_SCHEMA_WORDS: Final = ("cannot query field", "unknown argument", "unknown type", "is not defined by type")


class LowestPrice(Wire):
    """The cheapest pod of the size and cloud asked for; `total` is US$ an hour for all its GPUs."""

    stock: Any = Field(default=None, alias="stockStatus")
    total: Soft[Usd] = Field(default=None, alias="uninterruptablePrice")


class GpuType(Wire):
    """One row. Memory is GB, list prices are US$ an hour for one GPU."""

    id: TypeId
    name: Soft[TypeId] = Field(default=None, alias="displayName")
    memory: Soft[Memory] = Field(default=None, alias="memoryInGb")
    secure: Soft[bool] = Field(default=None, alias="secureCloud")
    community: Soft[bool] = Field(default=None, alias="communityCloud")
    secure_price: Soft[Usd] = Field(default=None, alias="securePrice")
    community_price: Soft[Usd] = Field(default=None, alias="communityPrice")
    most: Soft[Size] = Field(default=None, alias="maxGpuCount")
    lowest: Soft[LowestPrice] = Field(default=None, alias="lowestPrice")


async def ask(client: httpx.AsyncClient, url: str, tier: Tier, gpu_count: int) -> Response:
    """The answer for one cloud and pod size. Raises ScanError, also for every status but success."""
    query = _QUERY.format(count=int(gpu_count), secure="true" if tier == "secure" else "false")
    answer = await fetch(client, NAME, "POST", url + PATH, json={"query": query, "variables": {}})
    if answer.status != 200:
        raise refusal(answer)
    return answer


def read(answer: Response, tier: Tier) -> tuple[list[Listing], int, str | None]:
    """What is said about every type in one cloud, the number of unreadable rows, and the error beside them, if any.

    Success of the transport says nothing here: errors are looked at first. Raises ScanError.
    """
    content = document(answer)
    data, complaint = content.get("data"), _complaint(content.get("errors"))
    types = data.get("gpuTypes") if isinstance(data, dict) else None
    if complaint is not None and not types:
        raise _refused(complaint)
    found, skipped = rows(GpuType, types, answer)
    return [_listing(row, tier) for row in found], skipped, complaint


def _listing(row: GpuType, tier: Tier) -> Listing:
    here, there = row.secure_price, row.community_price
    if tier != "secure":
        here, there = there, here
    lowest = row.lowest or LowestPrice()
    return Listing(
        type_id=row.id,
        name=row.name or row.id,
        memory_gb=row.memory,
        offered=(row.secure if tier == "secure" else row.community) is True,
        price=here,
        other_price=there,
        most=row.most,
        level=level(lowest.stock),
        word=str(lowest.stock),
        pod_price=lowest.total,
        needs_pod_price=True,
        data_centers=None if tier == "secure" else (),
    )


def _complaint(errors: Any) -> str | None:
    """The first message of `errors`; None when there is no error."""
    if not errors:
        return None
    first = errors[0] if isinstance(errors, list) else errors
    message = first.get("message") if isinstance(first, dict) else first
    return printable(str(message)) or "an error without a message"


def _refused(complaint: str) -> ScanError:
    if any(word in complaint.lower() for word in _SCHEMA_WORDS):
        return Retired(NAME, f"the public catalogue has changed; use a key for REST v2 ({complaint})")
    return Refused(NAME, f"refused ({complaint})")


def refusal(answer: Response) -> ScanError:
    """The error that an answer without success stands for."""
    status, said = answer.status, f"{answer.status} {answer.excerpt}".strip()
    if status == 429:
        return RateLimited(NAME, f"asked too often ({said})", answer.retry_after)
    if answer.is_html:
        return Refused(NAME, f"a web page came with status {status}")
    if status == 401:
        return KeyRejected(NAME, f"the public catalogue asks for a key now; set one to use REST v2 ({said})")
    if status in (404, 410):
        return Retired(NAME, f"the public catalogue has been shut down; set a key to use REST v2 ({said})")
    if status < 400:
        return OddAnswer(NAME, f"status {status} is no answer; is `url` right?")
    return _refused(said)

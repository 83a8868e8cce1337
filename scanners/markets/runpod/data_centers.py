"""`GET /v2/catalog/datacenters`: which GPU types stand in which data centre, in one read.

It tells neither a pod size nor a cloud. Community Cloud has no data centre, so it speaks of Secure Cloud; that a pod
of several GPUs is to be had in a data centre it never proves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

from scanners.client import Response
from scanners.errors import OddAnswer
from scanners.markets.runpod.account import Account
from scanners.markets.runpod.listing import level
from scanners.markets.runpod.wire import NAME, Soft, TypeId, Wire, document, rows

PATH: Final = "/v2/catalog/datacenters"
DEADLINE_S: Final = 8.0
"""The answer of the catalogue waits for this one."""


class Standing(Wire):
    """The stock of one GPU type in a data centre."""

    id: TypeId
    availability: Any = None


class DataCenter(Wire):
    """One data centre."""

    id: TypeId
    gpus: Soft[list[Soft[Standing]]] = Field(default=None, alias="gpuAvailability")


async def ask(account: Account) -> Response:
    """The data centres with their GPUs. Raises ScanError."""
    return await account.get(PATH, {"include": "GPU_AVAILABILITY"}, deadline_s=DEADLINE_S)


def read(answer: Response) -> Mapping[str, tuple[str, ...]]:
    """For each GPU type, by id, the data centres that have some. Raises OddAnswer."""
    centers, _ = rows(DataCenter, document(answer).get("dataCenters"), answer, what="data centres")
    if not any(center.gpus for center in centers):
        raise OddAnswer(NAME, "no data centre tells its GPUs")
    found: dict[str, list[str]] = {}
    for center in centers:
        for each in center.gpus or []:
            if each and level(each.availability) in ("low", "medium", "high"):
                found.setdefault(each.id, []).append(center.id)
    return {type_id: tuple(dict.fromkeys(names)) for type_id, names in found.items()}

"""The simulated public GraphQL catalogue of RunPod: `gpuTypes` with `lowestPrice`, no key needed.

Errors travel inside HTTP 200. A dead key makes even this public query fail. Nothing else of the schema is here, and
mutations are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from scanners.simulator.exchange import Answer, Asked, json_answer
from scanners.simulator.graphql_syntax import DocumentError, Field, read_operation
from scanners.simulator.places import data_center_country
from scanners.simulator.pod_row import LEVELS
from scanners.simulator.pod_types import PodType
from scanners.simulator.pods import CLOUDS, Cloud, Level, PodBook

_WORDS: Final[Mapping[Level, str | None]] = {"NONE": None, "LOW": "Low", "MEDIUM": "Medium", "HIGH": "High"}
_LOWEST_INPUTS: Final = frozenset({
    "gpuCount", "secureCloud", "dataCenterId", "countryCode", "minDisk", "totalDisk", "minMemoryInGb",
    "minVcpuCount", "minDownload", "minUpload", "supportPublicIp", "cudaVersion", "minCudaVersion",
    "allowedCudaVersions", "compliance", "includeAiApi", "globalNetwork",
})  # fmt: skip
_LOWEST_NULLS: Final = (
    "availableGpuCounts", "maxUnreservedGpuCount", "rentedCount", "totalCount", "rentalPercentage", "minDisk",
    "minDownload", "minUpload", "supportPublicIp", "countryCode", "compliance", "gpuTypeCudaVersions",
)  # fmt: skip


class GraphError(ValueError):
    """A query that is refused, with the code of its error."""

    def __init__(self, message: str, code: str = "GRAPHQL_VALIDATION_FAILED") -> None:
        self.code = code
        super().__init__(message)


class GraphQLService:
    """Answers catalogue queries about a book."""

    def __init__(self, book: PodBook, *, keys: Collection[str]) -> None:
        self._book = book
        self._keys = frozenset(keys)

    def answer(self, asked: Asked) -> Answer:
        """The answer to any request for /graphql."""
        key = asked.bearer()
        if key is None:
            key = asked.query.get("api_key")
        if key is not None and key not in self._keys:
            return json_answer({"error": {}}, status=401)
        if asked.method != "POST":
            return json_answer({"message": "Method Not Allowed"}, status=405)
        try:
            data, rows = self._data(asked.body)
        except GraphError as problem:
            return json_answer({"errors": [{"message": str(problem), "extensions": {"code": problem.code}}]})
        return json_answer({"data": data}, rows=rows)

    def _data(self, body: bytes) -> tuple[dict[str, Any], int]:
        try:
            document = json.loads(body)
        except ValueError as error:
            raise GraphError("POST body is not JSON.", "BAD_REQUEST") from error
        if not isinstance(document, dict) or not isinstance(document.get("query"), str):
            raise GraphError("POST body missing, invalid Content-Type, or JSON object has no keys.", "BAD_REQUEST")
        variables = document.get("variables") or {}
        try:
            operation = read_operation(document["query"], variables if isinstance(variables, dict) else {})
        except DocumentError as error:
            raise GraphError(str(error), "GRAPHQL_PARSE_FAILED") from error
        if operation.kind != "query":
            raise GraphError("You must be logged in to perform this action.", "UNAUTHENTICATED")
        data, rows = {}, 0
        for field in operation.fields:
            if field.name in ("__schema", "__type"):
                raise GraphError("GraphQL introspection is not allowed.")
            if field.name != "gpuTypes":
                raise GraphError(f'Cannot query field "{field.name}" on type "Query".')
            if not field.fields:
                raise GraphError('Field "gpuTypes" of type "[GpuType]" must have a selection of subfields.')
            kinds = self._selected(field)
            data[field.alias] = [self._type(kind, field.fields) for kind in kinds]
            for below in field.fields:  # an invalid query is refused whole, even if no type matches
                self._check(below)
            rows += len(kinds)
        return data, rows

    def _selected(self, field: Field) -> list[PodType]:
        wanted = field.arguments.get("input") or {}
        kinds = list(self._book.types.values())
        if wanted.get("id") is not None:
            return [kind for kind in kinds if kind.id == wanted["id"]]
        if wanted.get("ids") is not None:
            return [kind for kind in kinds if kind.id in wanted["ids"]]
        return kinds

    @staticmethod
    def _check(field: Field) -> None:
        if field.name not in _TYPE_FIELDS and field.name not in ("lowestPrice", "__typename"):
            raise GraphError(f'Cannot query field "{field.name}" on type "GpuType".')

    def _type(self, kind: PodType, fields: tuple[Field, ...]) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for field in fields:
            self._check(field)
            if field.name == "lowestPrice":
                row[field.alias] = self._lowest(kind, field)
            elif field.name == "__typename":
                row[field.alias] = "GpuType"
            else:
                row[field.alias] = _TYPE_FIELDS[field.name](self._book, kind)
        return row

    def _lowest(self, kind: PodType, field: Field) -> dict[str, Any]:
        wanted = field.arguments.get("input")
        if not isinstance(wanted, dict) or not _is_count(wanted.get("gpuCount")):
            raise GraphError('Field "GpuLowestPriceInput.gpuCount" of required type "Int!" was not provided.')
        for name in wanted:
            if name not in _LOWEST_INPUTS:
                raise GraphError(f'Field "{name}" is not defined by type "GpuLowestPriceInput".')
        if not field.fields:
            raise GraphError('Field "lowestPrice" of type "LowestPrice" must have a selection of subfields.')
        full = self._lowest_row(kind, wanted)
        for below in field.fields:
            if below.name not in full:
                raise GraphError(f'Cannot query field "{below.name}" on type "LowestPrice".')
        return {below.alias: full[below.name] for below in field.fields}

    def _lowest_row(self, kind: PodType, wanted: Mapping[str, Any]) -> dict[str, Any]:
        count = wanted["gpuCount"]
        secure = wanted.get("secureCloud")
        clouds: tuple[Cloud, ...] = CLOUDS if secure is None else ("secure",) if secure else ("community",)
        levels = [self._placed(kind, cloud, count, wanted) for cloud in clouds]
        level = max(levels, key=LEVELS.index)
        # Without secureCloud the price of one cloud (even a filler) stands beside the stock of the other: so it does
        # in the real service.
        prices = [listed for cloud in clouds if (listed := self._book.price(kind, cloud)) > 0]
        price = round(min(prices) * count, 4) if prices and level != "NONE" else None
        return {
            "stockStatus": _WORDS[level],
            "uninterruptablePrice": price,
            "minimumBidPrice": price,
            "minVcpu": None if price is None else 6 * count,
            "minMemory": None if price is None else 31 * count,
            "gpuName": kind.name,
            "gpuTypeId": kind.id,
            "__typename": "LowestPrice",
            **dict.fromkeys(_LOWEST_NULLS),
        }

    def _placed(self, kind: PodType, cloud: Cloud, count: int, wanted: Mapping[str, Any]) -> Level:
        center, country = wanted.get("dataCenterId"), wanted.get("countryCode")
        if center is None and country is None:
            return self._book.level(kind, cloud, count)
        centers = self._book.centers(kind, count) if cloud == "secure" else {}
        fitting = [
            level
            for name, level in centers.items()
            if center in (None, name) and country in (None, data_center_country(name))
        ]
        return max(fitting, key=LEVELS.index, default="NONE")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _plan(share: float) -> Callable[[PodBook, PodType], float | None]:
    return lambda book, kind: round(book.price(kind, "secure") * share, 3) if kind.secure_stock is not None else None


_TYPE_FIELDS: Final[Mapping[str, Callable[[PodBook, PodType], Any]]] = {
    "id": lambda _, kind: kind.id,
    "displayName": lambda _, kind: kind.name,
    "manufacturer": lambda _, kind: "AMD" if kind.id.startswith("AMD") else "Nvidia",
    "memoryInGb": lambda _, kind: kind.memory,
    "cudaCores": lambda _, __: 0,
    "secureCloud": lambda _, kind: kind.offered("secure"),
    "communityCloud": lambda _, kind: kind.offered("community"),
    "securePrice": lambda book, kind: book.price(kind, "secure"),
    "communityPrice": lambda book, kind: book.price(kind, "community"),
    "secureSpotPrice": lambda book, kind: book.price(kind, "secure"),
    "communitySpotPrice": lambda book, kind: book.price(kind, "community"),
    "oneWeekPrice": lambda _, __: None,
    "oneMonthPrice": lambda _, __: None,
    "threeMonthPrice": _plan(0.94),
    "sixMonthPrice": _plan(0.88),
    "clusterPrice": _plan(1.2),
    "maxGpuCount": lambda _, kind: max(kind.max_secure, kind.max_community),
    "maxGpuCountSecureCloud": lambda _, kind: kind.max_secure,
    "maxGpuCountCommunityCloud": lambda _, kind: kind.max_community,
    "minPodGpuCount": lambda _, __: 1,
    "nodeGroupDatacenters": lambda _, __: [],
}

"""The simulated REST v2 catalogue of RunPod: keys, windows of requests, query rules, problem documents."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from scanners.simulator.exchange import Answer, Asked, json_answer
from scanners.simulator.limits import Window, Windows
from scanners.simulator.pod_centers import FILTERS, CenterQuery, center_rows
from scanners.simulator.pod_row import Stock, pod_row, stands_in
from scanners.simulator.pods import PodBook

_CATALOGUE: Final = "/v2/catalog/gpus"
_CENTERS: Final = "/v2/catalog/datacenters"
_TITLES: Final = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
}
_STOCK_FILTERS: Final = ("product", "count", "cloud", "countryCodes", "cudaVersions", "minCudaVersion")
_PRODUCTS: Final = frozenset({"POD", "CLUSTER", "SERVERLESS"})


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPodPolicy:
    """The terms of the service."""

    windows: tuple[Window, ...] = (
        Window(name="minute", quota=60, seconds=60),
        Window(name="hour", quota=3_000, seconds=3_600),
        Window(name="day", quota=50_000, seconds=86_400),
    )


class ProblemError(Exception):
    """A request that is refused with a problem document."""

    def __init__(self, status: int, detail: str, errors: tuple[str, ...] = ()) -> None:
        self.status = status
        self.errors = errors
        super().__init__(detail)


class RunPodService:
    """Answers questions about a book; counts what each key has had. `scopeless` keys are valid and may read nothing."""

    def __init__(
        self,
        book: PodBook,
        *,
        keys: Collection[str],
        scopeless: Collection[str] = (),
        policy: RunPodPolicy,
        chance: Random,
    ) -> None:
        self._book = book
        self._keys = frozenset(keys)
        self._scopeless = frozenset(scopeless)
        self._chance = chance
        self.windows = Windows(policy.windows)

    def answer(self, asked: Asked) -> Answer:
        """The answer to any request below /v2."""
        limits: dict[str, str] = {"x-request-id": str(uuid.UUID(int=self._chance.getrandbits(128), version=4))}
        try:
            key = self._authorised(asked)
            turn = self.windows.take(key, asked.at.timestamp())
            limits.update(turn.headers)
            if turn.refused_by is not None:
                raise ProblemError(429, f"rate limit exceeded for the {turn.refused_by} window")
            if key in self._scopeless:
                raise ProblemError(403, "access denied")
            document, rows = self._catalogue(asked)
        except ProblemError as problem:
            return _problem(problem, limits)
        return json_answer(document, headers=limits, rows=rows)

    def _authorised(self, asked: Asked) -> str:
        key = asked.bearer()
        if not key:
            raise ProblemError(401, "missing bearer token")
        if key not in self._keys and key not in self._scopeless:
            raise ProblemError(401, "invalid bearer token")
        return key

    def _catalogue(self, asked: Asked) -> tuple[Any, int]:
        """The document of a route and how many rows it holds."""
        routes = {_CATALOGUE: self._types, _CENTERS: self._centers}
        for root, route in routes.items():
            below = asked.path.removeprefix(root)
            if asked.path.startswith(root) and (not below or below.startswith("/")):
                if asked.method != "GET":
                    raise ProblemError(405, "method not allowed")
                return route(asked.query, below[1:] if below else None)
        raise ProblemError(404, "resource not found")

    def _types(self, query: Mapping[str, str], wanted: str | None) -> tuple[Any, int]:
        stock = read_stock(query)
        if wanted is not None:
            kind = self._book.types.get(wanted)
            if kind is None:
                raise ProblemError(404, "resource not found")
            return pod_row(self._book, kind, stock), 1
        kinds = self._book.types.values()
        rows = [
            pod_row(self._book, kind, stock)
            for kind in kinds
            if stock is None or not stock.countries or stands_in(kind, stock.countries)
        ]
        return {"gpus": rows}, len(rows)

    def _centers(self, query: Mapping[str, str], wanted: str | None) -> tuple[Any, int]:
        rows = center_rows(self._book, read_centers(query), wanted)
        if wanted is None:
            return {"dataCenters": rows}, len(rows)
        if not rows:
            raise ProblemError(404, "resource not found")
        return rows[0], 1


def read_centers(query: Mapping[str, str]) -> CenterQuery:
    """What data centres are asked for, and what of them. Raises ProblemError."""
    words = {name: _list(query, name, "|".join(sorted(known))) for name, known in FILTERS.items()}
    networked = words["globalNetwork"]
    return CenterQuery(
        include=words["include"],
        regions=words["regions"],
        volumes=words["networkVolumeTypes"],
        compliance=words["compliance"],
        global_network=networked[0] == "true" if networked else None,
    )


def read_stock(query: Mapping[str, str]) -> Stock | None:
    """What availability is asked for; None when it is not asked for. Raises ProblemError."""
    include = query.get("include")
    if include is None:
        for name in _STOCK_FILTERS:
            if name in query:
                raise ProblemError(400, f"{name} is only valid with include=AVAILABILITY")
        return None
    if include != "AVAILABILITY":
        raise ProblemError(422, "Request validation failed.", (f"include: {include!r} is not supported",))
    if not query.get("product"):
        raise ProblemError(400, "product is required with include=AVAILABILITY")
    if "cudaVersions" in query and "minCudaVersion" in query:
        raise ProblemError(400, "cudaVersions and minCudaVersion are mutually exclusive")
    products = _list(query, "product", "|".join(sorted(_PRODUCTS)))
    cloud = query.get("cloud", "SECURE")
    if cloud not in ("SECURE", "COMMUNITY"):
        raise ProblemError(422, "Request validation failed.", (f"cloud: {cloud!r} is not one of SECURE, COMMUNITY",))
    count = query.get("count", "1")
    if not re.fullmatch(r"[1-9][0-9]{0,5}", count):
        raise ProblemError(
            422, "Request validation failed.", (f"count: {count!r} is not a whole number of at least 1",)
        )
    minimum = _list(query, "minCudaVersion", r"\d+(\.\d+)?")
    return Stock(
        count=int(count),
        cloud="secure" if cloud == "SECURE" else "community",
        products=products,
        countries=_list(query, "countryCodes", "[A-Z]{2}"),
        cuda=_list(query, "cudaVersions", r"\d+\.\d+"),
        min_cuda=tuple(int(part) for part in minimum[0].split(".")) if minimum else None,
    )


def _list(query: Mapping[str, str], name: str, form: str) -> tuple[str, ...]:
    if name not in query:
        return ()
    values = tuple(query[name].split(","))
    for value in values:
        if not re.fullmatch(form, value, re.ASCII):
            raise ProblemError(422, "Request validation failed.", (f"{name}: {value!r} is malformed",))
    return values


def _problem(problem: ProblemError, headers: Mapping[str, str]) -> Answer:
    document: dict[str, Any] = {
        "title": _TITLES[problem.status],
        "status": problem.status,
        "detail": str(problem),
    }
    if problem.errors:
        document["errors"] = list(problem.errors)
    return json_answer(document, status=problem.status, content_type="application/problem+json", headers=headers)

"""The simulated Vast.ai search service: who may ask, how often, how much comes back, and how it errs.

An answer that does not fit is a random sample of the offers that come first in the order asked for, not the first
of them, and says so nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from scanners.simulator.exchange import Answer, Asked, json_answer, web_page
from scanners.simulator.hosts import VastBook
from scanners.simulator.limits import Pace, RowQuota
from scanners.simulator.machine import Machine
from scanners.simulator.vast_query import Query, QueryError, Row, read_query
from scanners.simulator.vast_row import machine_row, slice_row, whole_row


@dataclass(frozen=True, kw_only=True, slots=True)
class VastPolicy:
    """The terms of the service."""

    requests_per_minute: float | None = 10
    """None: no limit."""
    burst: int = 2
    rows_per_day: int = 20_000
    rows_per_answer: int = 512
    rows_without_key: int = 64
    sampled_from: int = 512
    """A cut answer is drawn from at least so many offers, and from three times what it may hold."""


class VastService:
    """Answers questions about a book; counts what each key and address has had."""

    def __init__(self, book: VastBook, *, keys: Collection[str], policy: VastPolicy, chance: Random) -> None:
        self._book = book
        self._keys = frozenset(keys)
        self._policy = policy
        self._chance = chance
        self.pace = Pace(policy.requests_per_minute, policy.burst)
        self.quota = RowQuota(policy.rows_per_day)

    def answer(self, asked: Asked) -> Answer:
        """The answer to any request for this host; wrong paths give the web application's page, with status 200."""
        route = (asked.method, asked.path)
        if route in (("POST", "/api/v0/bundles/"), ("GET", "/api/v0/bundles/"), ("PUT", "/api/v0/search/asks/")):
            return self._search(asked)
        if route == ("GET", "/api/v0/gpu_names/unique/"):
            names = sorted({machine.hardware.card.name for machine in self._book.machines.values()})
            return json_answer({"gpu_names": names})
        if asked.path.startswith("/api/v0/instances"):
            return _refusal(410, "deprecated_endpoint", "This endpoint has been retired")
        return web_page("Vast.ai")

    def _search(self, asked: Asked) -> Answer:
        key, at = asked.bearer(), asked.at.timestamp()
        if key is not None and key not in self._keys:
            return _refusal(404, "auth_error", "Invalid user key")
        caller = f"address {asked.address}" if key is None else f"key {key}"
        if not self.pace.allows(f"{asked.method} {asked.path} {caller}", at):
            text = f"API requests too frequent: endpoint threshold={self.pace.interval:.1f}"
            return Answer(status=429, body=text.encode(), content_type="text/plain")
        if key is not None and self.quota.spent(caller, at):
            reset = {"X-RateLimit-Reset": str(self.quota.resets_at(at))}
            return _refusal(429, "search_quota_exceeded", "Daily search quota exceeded", reset)
        try:
            document, columns = _document(asked)
            query = read_query(document)
        except QueryError as error:
            return _refusal(400, error.code, str(error))
        rows = self._cut(self.select(query), query, keyed=key is not None)
        if key is not None:
            self.quota.charge(caller, at, len(rows))
        if columns is not None:
            rows = [{name: value for name, value in row.items() if name in columns} for row in rows]
        return json_answer({"offers": rows}, rows=len(rows))

    def select(self, query: Query) -> list[Row]:
        """Every row that the query matches, in its order, before anything is cut."""
        now = self._book.now()
        found: list[tuple[Machine, Row, Row]] = []
        for machine in self._book.machines.values():
            common = machine_row(machine)
            if not all(test(common) for test in query.machine_tests):
                continue
            for ask in machine.asks(now, unbundled=query.unbundled):
                row = slice_row(machine, ask, now, query.disk_gb, query.bid)
                if all(test(row) for test in query.slice_tests):
                    found.append((machine, common, row))
        for field, descending in reversed(query.order):
            found.sort(key=partial(_rank, field), reverse=descending)
        return [whole_row(machine, row) for machine, _, row in found]

    def _cut(self, rows: list[Row], query: Query, *, keyed: bool) -> list[Row]:
        policy = self._policy
        limit = min(query.limit, policy.rows_per_answer if keyed else policy.rows_without_key)
        if len(rows) <= limit:
            return rows
        pool = min(len(rows), max(policy.sampled_from, 3 * limit))
        return [rows[index] for index in sorted(self._chance.sample(range(pool), limit))]


def _document(asked: Asked) -> tuple[Any, frozenset[str] | None]:
    """The query object, and the columns wanted (None: all)."""
    text: str | bytes = asked.body if asked.method != "GET" else asked.query.get("q", "{}")
    try:
        document = json.loads(text)
    except ValueError as error:
        raise QueryError("invalid_request", "Invalid json body") from error
    if asked.method != "PUT":
        return document, None
    if not isinstance(document, dict):
        raise QueryError("invalid_request", "Invalid json body")
    columns = document.get("select_cols", ["*"])
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise QueryError("invalid_args", "select_cols must be a list of names")
    return document.get("q", {}), None if "*" in columns else frozenset(columns)


def _rank(field: str, found: tuple[Machine, Row, Row]) -> tuple[bool, Any]:
    """Missing values come last when ascending; text and numbers of one field are never mixed, because odd values that
    a test has put into a row are not looked at."""
    _, common, part = found
    value = part[field] if field in part else common.get(field)
    if isinstance(value, list | dict):
        return True, 0
    return value is None, 0 if value is None else value


def _refusal(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Answer:
    return json_answer({"success": False, "error": code, "msg": message}, status=status, headers=headers)

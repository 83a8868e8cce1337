"""A question to a simulated service and its answer, apart from any HTTP library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One request. `at` is virtual time, header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    address: str
    at: datetime

    def bearer(self) -> str | None:
        """The bearer token; None without an Authorization header, "" when it is something else."""
        header = self.headers.get("authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What goes back. `rows` is how many offers or types it holds."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0


def json_answer(
    document: Any,
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
    rows: int = 0,
) -> Answer:
    """A JSON document as an answer."""
    body = json.dumps(document, separators=(",", ":")).encode()
    return Answer(status=status, body=body, content_type=content_type, headers=headers or {}, rows=rows)


def web_page(title: str) -> Answer:
    """An HTML page with status 200, as a wrong path or a proxy gives."""
    page = f"<!doctype html><html><head><title>{title}</title></head><body><div id='root'></div></body></html>"
    return Answer(status=200, body=page.encode(), content_type="text/html")

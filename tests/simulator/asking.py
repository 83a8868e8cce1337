"""Short ways to ask a simulated service without HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from scanners.simulator.exchange import Answer, Asked

START = datetime(2026, 11, 2, 12, tzinfo=UTC)
KEY = "a-key-for-tests"


def asked(
    path: str,
    *,
    method: str = "GET",
    query: dict[str, str] | None = None,
    body: Any = None,
    key: str | None = None,
    at: datetime = START,
    address: str = "127.0.0.1",
) -> Asked:
    """A request; `body` is text or a JSON document, `key` goes into an Authorization header."""
    return Asked(
        method=method,
        path=path,
        query=query or {},
        headers={} if key is None else {"authorization": f"Bearer {key}"},
        body=body.encode() if isinstance(body, str) else b"" if body is None else json.dumps(body).encode(),
        address=address,
        at=at,
    )


def document(answer: Answer) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.body)

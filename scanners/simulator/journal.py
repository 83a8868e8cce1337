"""What a simulated service was asked and gave, without secrets."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from scanners.simulator.exchange import Asked

_SECRET_HEADERS: Final = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key"})
_SECRET_QUERY: Final = frozenset({"api_key", "key", "token"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One request and its outcome. `at` is virtual time."""

    at: datetime
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    """The JSON document, else the text."""
    keyed: bool
    """Whether it carried any Authorization header."""
    status: int | None
    """None: it never got an answer."""
    rows: int
    fault: str | None


class Journal:
    """The latest requests, oldest first."""

    def __init__(self, keep: int = 10_000) -> None:
        self._entries: deque[Entry] = deque(maxlen=keep)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def of(self, path: str) -> list[Entry]:
        """The requests for paths that begin with `path`."""
        return [entry for entry in self._entries if entry.path.startswith(path)]

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()

    def write(self, asked: Asked, *, status: int | None, rows: int, fault: str | None) -> None:
        """Note a request; secrets are left out."""
        self._entries.append(
            Entry(
                at=asked.at,
                method=asked.method,
                path=asked.path,
                query={name: "***" if name in _SECRET_QUERY else value for name, value in asked.query.items()},
                headers={name: value for name, value in asked.headers.items() if name not in _SECRET_HEADERS},
                body=_readable(asked.body),
                keyed="authorization" in asked.headers,
                status=status,
                rows=rows,
                fault=fault,
            )
        )


def _readable(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")

"""What the tests of the scanners share: a client that never leaves this machine, and a fixed moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import httpx
import pytest

from scanners.client import open_client


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    """The product's own client, without the proxies of whoever runs the tests."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with open_client("0.0") as opened:
        yield opened


@pytest.fixture
def at() -> datetime:
    """The moment of every answer."""
    return datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

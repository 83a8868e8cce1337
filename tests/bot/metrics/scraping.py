"""Asking for metrics as Prometheus does, and reading what comes."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self

import httpx
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from bot.metrics.address import ListenAddress


def parsed(text: str) -> dict[str, Metric]:
    """Families by name."""
    return {family.name: family for family in text_string_to_metric_families(text)}


class Stuck:
    """A client that has said a part of a request and no more."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ends(self) -> bytes:
        """Wait until the server has had enough; what it said, as far as that arrived."""
        try:
            return await self._reader.read()
        except ConnectionError:
            return b""
        finally:
            await self.leaves()

    async def leaves(self) -> None:
        """Close the connection."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()


class Scraper:
    """One client of the metrics."""

    def __init__(self, address: ListenAddress) -> None:
        self.address = address
        self._client = httpx.AsyncClient(base_url=f"http://{address}", trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, path: str, method: str = "GET", **headers: str) -> httpx.Response:
        """One request."""
        return await self._client.request(method, path, headers=headers)

    async def families(self) -> dict[str, Metric]:
        """All metrics by name."""
        answer = await self.ask("/metrics")
        assert answer.status_code == 200, answer.text
        return parsed(answer.text)

    async def values(self, **labels: str) -> dict[str, float]:
        """The value of each sample that has just these labels, by name."""
        return {
            sample.name: sample.value
            for family in (await self.families()).values()
            for sample in family.samples
            if sample.labels == labels
        }

    async def hang(self, said: bytes = b"GET /metrics HT") -> Stuck:
        """Connect, say a part of a request and no more."""
        reader, writer = await asyncio.open_connection(self.address.host, self.address.port)
        writer.write(said)
        await writer.drain()
        return Stuck(reader, writer)

"""A web server on loopback that answers byte for byte what a test says, however wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client asked."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Play = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Stage:
    """The running server: its address, what it was asked, and how it answers from now on."""

    url: str
    play: Play
    requests: list[Request] = field(default_factory=list)


def http(
    body: bytes | str | Any = b"",
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: Iterable[tuple[str, str]] = (),
) -> bytes:
    """A whole answer; anything but bytes and text is sent as JSON."""
    if not isinstance(body, bytes):
        body = (body if isinstance(body, str) else json.dumps(body)).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def sends(*chunks: bytes) -> Play:
    """Answer with these bytes and hang up."""

    async def play(request: Request, writer: asyncio.StreamWriter) -> None:
        for chunk in chunks:
            writer.write(chunk)
            await writer.drain()

    return play


def hangs(*chunks: bytes) -> Play:
    """Send these bytes and then nothing, without hanging up."""

    async def play(request: Request, writer: asyncio.StreamWriter) -> None:
        await sends(*chunks)(request, writer)
        await asyncio.Event().wait()

    return play


@asynccontextmanager
async def stage(play: Play) -> AsyncIterator[Stage]:
    """A server on a free port of 127.0.0.1."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            request = await _read(reader)
            the_stage.requests.append(request)
            await the_stage.play(request, writer)
        finally:
            tasks.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await serve(reader, writer)

    server = await asyncio.start_server(guarded, "127.0.0.1", 0)
    the_stage = Stage(url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", play=play)
    try:
        yield the_stage
    finally:
        server.close()
        running = tuple(tasks)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method=method, target=target, headers=headers, body=body)

"""The one HTTP client: whole answers inside one deadline, and every failure as a `ScanError`.

It refuses to follow redirects, to read more than it was told to, to wait longer than the deadline however slowly
bytes drip, and to put a key anywhere but into the Authorization header. Foreign exceptions are mapped here once.

Proxies of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) are used, except towards this machine
itself; one of another kind than http or https is refused at start, because passing it by would leak the address.
"""

from __future__ import annotations

import asyncio
import functools
import math
import ssl
import urllib.request
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
from pydantic import SecretStr

from scanners.errors import KeyRejected, OddAnswer, Refused, ScanError, Unreachable

DEADLINE_S: Final = 30.0
"""Seconds for a whole request, from name look-up to the last byte."""
MAX_BYTES: Final = 64 * 1024 * 1024
"""The largest decoded body that is read; a whole book of 20,000 offers fits."""
EXCERPT: Final = 200
LONGEST_WAIT_S: Final = 86_400.0

FOREIGN: Final = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.CookieConflict,
    httpx.StreamError,
    zlib.error,
    OSError,  # with ssl.SSLError and TimeoutError
)
"""Everything that asking may raise and that `translated` knows."""

LOOPBACK: Final = ("all://127.0.0.1", "all://localhost", "all://[::1]")


class UnusableProxyError(ValueError):
    """A proxy variable of the environment cannot be used: a configuration error. Its value is not shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """A whole answer of any status. `body` is decoded."""

    status: int
    headers: httpx.Headers
    body: bytes = field(repr=False)
    secret: str | None = field(default=None, repr=False)
    """The key that was sent, so that an echo of it is never shown."""

    @property
    def content_type(self) -> str:
        """The media type without parameters, lower case."""
        return str(self.headers.get("content-type", "")).partition(";")[0].strip().lower()

    @property
    def is_html(self) -> bool:
        """Whether this is a page for people: a wrong path, a maintenance notice, a firewall."""
        return self.content_type in ("text/html", "application/xhtml+xml") or self.body[:64].lstrip().startswith(b"<")

    @property
    def excerpt(self) -> str:
        """The first printable characters of the body, for a log or a person; an echoed key is masked."""
        text = self.body[: 64 * 1024].decode("utf-8", "replace")
        if self.secret:
            text = text.replace(self.secret, "***")
        return printable(text)

    @property
    def retry_after(self) -> float | None:
        """Seconds of the Retry-After header; None when it is missing, zero, a date or nonsense."""
        return seconds(self.headers.get("retry-after"))


def seconds(text: str | None) -> float | None:
    """A positive number of seconds, at most a day; None for anything else."""
    try:
        value = float(text) if text is not None else 0.0
    except ValueError:
        return None
    return min(value, LONGEST_WAIT_S) if math.isfinite(value) and value > 0 else None


def printable(text: str, longest: int = EXCERPT) -> str:
    """Untrusted text as one short line without control characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 8 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


@functools.cache
def certificates() -> ssl.SSLContext:
    """The certificates that this machine trusts, read once a process: reading them takes longer than all else here."""
    return httpx.create_ssl_context()


def open_client(version: str) -> httpx.AsyncClient:
    """A client for all marketplaces; close it with `aclose`.

    Raises UnusableProxyError, which names the variable of the environment that is at fault.
    """
    check_proxies()
    return httpx.AsyncClient(
        verify=certificates(),
        headers={
            "User-Agent": f"atalaia/{version} (+self-hosted GPU availability watcher)",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        },
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=10.0),  # `fetch` sets the deadline of the whole request
        limits=httpx.Limits(max_connections=8, max_keepalive_connections=4),
        mounts=dict.fromkeys(LOOPBACK),
    )


def check_proxies() -> None:
    """Raises UnusableProxyError, naming the variable, for a proxy of the environment that cannot be used."""
    for scheme, address in urllib.request.getproxies().items():
        if scheme in ("http", "https", "all") and not _usable_proxy(address):
            raise UnusableProxyError(f"{scheme.upper()}_PROXY: only http:// and https:// proxies can be used")


def _usable_proxy(address: str) -> bool:
    try:
        url = httpx.URL(address if "://" in address else f"http://{address}")
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and bool(url.host)


async def fetch(
    client: httpx.AsyncClient,
    market: str,
    method: str,
    url: str,
    *,
    key: SecretStr | None = None,
    params: Mapping[str, str | int] | None = None,
    json: Any = None,
    deadline_s: float = DEADLINE_S,
    max_bytes: int = MAX_BYTES,
) -> Response:
    """Ask once and read the whole answer, whatever its status.

    Raises Unreachable, OddAnswer, or KeyRejected when the key cannot even be sent. Cancellation passes through.
    """
    headers = _authorization(market, key)
    try:
        async with (
            asyncio.timeout(deadline_s),
            client.stream(method, url, headers=headers, params=params, json=json) as answer,
        ):
            body = await _read(market, answer, max_bytes)
    except FOREIGN as error:
        raise translated(market, error, deadline_s, where=_host(url)) from error
    secret = key.get_secret_value() if key else None
    return Response(status=answer.status_code, headers=answer.headers, body=body, secret=secret)


def _authorization(market: str, key: SecretStr | None) -> dict[str, str]:
    if key is None:
        return {}
    value = key.get_secret_value()
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise KeyRejected(market, "the API key holds characters that no key has")
    return {"Authorization": f"Bearer {value}"}


async def _read(market: str, answer: httpx.Response, max_bytes: int) -> bytes:
    """The decoded body. Decoded here and not by httpx, which inflates a whole chunk before anyone can count it."""
    encoding = answer.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise OddAnswer(market, "the answer is compressed in a way that was not asked for")
    gunzip = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += gunzip.decompress(chunk, max_bytes - len(body) + 1) if gunzip else chunk
        if len(body) > max_bytes:
            raise OddAnswer(market, f"the answer is larger than {max_bytes} bytes")
    if gunzip and body and not gunzip.eof:
        raise OddAnswer(market, "the compressed answer is cut off")
    return bytes(body)


def _host(url: str) -> str:
    """`host` or `host:port` of an address: what a person needs to look for, without what may hold a key."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return "the server"
    return f"{parsed.host}:{parsed.port}" if parsed.port else parsed.host or "the server"


def translated(
    market: str, error: Exception, deadline_s: float = DEADLINE_S, *, where: str = "the server"
) -> ScanError:
    """The scanning error for a foreign one. Its text names the host, and no path, query, header or body."""
    kind = type(error).__name__
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Unreachable(market, f"no connection to {where} in time", asked=False)
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return Unreachable(market, f"no whole answer within {deadline_s:g} s from {where}")
    if isinstance(error, httpx.DecodingError | zlib.error):
        return OddAnswer(market, "the answer's compression is broken")
    if isinstance(error, httpx.TooManyRedirects | httpx.StreamError | httpx.CookieConflict):
        return OddAnswer(market, f"the answer could not be read ({kind})")
    if isinstance(error, httpx.HTTPStatusError):
        return Refused(market, f"the server answered {error.response.status_code}")
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return Unreachable(market, "the address in `url` cannot be used", asked=False)
    if isinstance(error, httpx.ProtocolError):
        return Unreachable(market, f"the connection to {where} was cut off or is not HTTP")
    asked = not isinstance(error, httpx.ConnectError)
    return Unreachable(market, f"the connection to {where} failed ({kind}: {printable(str(error), 80)})", asked=asked)

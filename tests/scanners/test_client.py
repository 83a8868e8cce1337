"""The HTTP client: one deadline, one limit of size, every failure a ScanError, and no key in any text."""

from __future__ import annotations

import asyncio
import gzip
import inspect
import logging
import ssl
import traceback
import zlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from scanners.client import FOREIGN, Response, UnusableProxyError, fetch, open_client, printable, seconds, translated
from scanners.errors import KeyRejected, OddAnswer, ScanError, Unreachable
from tests.scanners.stage import hangs, http, sends, stage

KEY = SecretStr("secret-" + "K" * 24)


async def ask(client: httpx.AsyncClient, url: str, **how: Any) -> Response:
    return await fetch(client, "vast", "GET", url, **{"deadline_s": 5.0} | how)


async def test_an_answer_of_any_status_is_read_whole(client: httpx.AsyncClient) -> None:
    async with stage(sends(http({"a": 1}, status=503))) as server:
        answer = await ask(client, server.url)
    assert (answer.status, answer.body, answer.content_type) == (503, b'{"a": 1}', "application/json")


async def test_the_client_says_who_it_is(client: httpx.AsyncClient) -> None:
    async with stage(sends(http({}))) as server:
        await ask(client, server.url)
        assert server.requests[0].headers["user-agent"].startswith("atalaia/0.0 (+")


async def test_a_key_travels_in_the_authorization_header_alone(client: httpx.AsyncClient) -> None:
    async with stage(sends(http({}))) as server:
        await ask(client, server.url, key=KEY)
        request = server.requests[0]
    assert request.headers["authorization"] == f"Bearer {KEY.get_secret_value()}"
    assert KEY.get_secret_value() not in request.target


async def test_without_a_key_no_authorization_is_sent(client: httpx.AsyncClient) -> None:
    async with stage(sends(http({}))) as server:
        await ask(client, server.url)
        assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("key", ["two words", "line\nfeed", "clé", "tab\there"])
async def test_a_key_that_no_header_can_hold_is_rejected_without_being_shown(
    client: httpx.AsyncClient, key: str
) -> None:
    with pytest.raises(KeyRejected) as caught:
        await ask(client, "http://127.0.0.1:9", key=SecretStr(key))
    assert key not in "".join(traceback.format_exception(caught.value))


async def test_silence_ends_at_the_deadline(client: httpx.AsyncClient) -> None:
    async with stage(hangs()) as server:
        with pytest.raises(Unreachable, match="no whole answer within"):
            await ask(client, server.url, deadline_s=0.05)


async def test_dripping_bytes_do_not_stretch_the_deadline(client: httpx.AsyncClient) -> None:
    async def drip(request: object, writer: asyncio.StreamWriter) -> None:
        writer.write(http(b"x" * 1000)[:-1000])
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.005)  # the subject itself: a server that is slow, but never silent

    async with stage(drip) as server:
        with pytest.raises(Unreachable, match="no whole answer within"):
            await ask(client, server.url, deadline_s=0.08)


async def test_a_body_over_the_limit_is_not_read_to_its_end(client: httpx.AsyncClient) -> None:
    async with stage(sends(http(b"x" * 5000))) as server:
        with pytest.raises(OddAnswer, match="larger than 1000 bytes"):
            await ask(client, server.url, max_bytes=1000)
        server.play = sends(http(b"x" * 1000))
        assert len((await ask(client, server.url, max_bytes=1000)).body) == 1000


async def test_a_compressed_body_is_measured_by_what_it_unpacks_to(client: httpx.AsyncClient) -> None:
    bomb = gzip.compress(b"\0" * 5_000_000)
    assert len(bomb) < 10_000
    async with stage(sends(http(bomb, headers=[("Content-Encoding", "gzip")]))) as server:
        with pytest.raises(OddAnswer, match="larger than"):
            await ask(client, server.url, max_bytes=100_000)
        assert len((await ask(client, server.url)).body) == 5_000_000


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b'{"offers": []}', "gzip"),
        (gzip.compress(b"cut off here" * 50)[:-12], "gzip"),
        (zlib.compress(b"not asked for"), "deflate"),
        (gzip.compress(gzip.compress(b"twice")), "gzip, gzip"),
    ],
    ids=["plain text called gzip", "cut off", "not asked for", "twice"],
)
async def test_broken_or_strange_compression_is_an_odd_answer(
    client: httpx.AsyncClient, body: bytes, encoding: str
) -> None:
    async with stage(sends(http(body, headers=[("Content-Encoding", encoding)]))) as server:
        with pytest.raises(OddAnswer):
            await ask(client, server.url)


@pytest.mark.parametrize("raw", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", b"SSH-2.0-OpenSSH_9.2\r\n"])
async def test_a_cut_connection_is_unreachable(client: httpx.AsyncClient, raw: bytes) -> None:
    async with stage(sends(raw)) as server:
        with pytest.raises(Unreachable):
            await ask(client, server.url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://[", "nonsense", "ftp://127.0.0.1/x", "http://x:99999/"])
async def test_an_address_that_leads_nowhere_is_unreachable(client: httpx.AsyncClient, url: str) -> None:
    with pytest.raises(Unreachable):
        await ask(client, url)


async def test_redirects_are_not_followed(client: httpx.AsyncClient) -> None:
    async with stage(sends(http(status=302, headers=[("Location", "http://127.0.0.1:1/")]))) as server:
        answer = await ask(client, server.url, key=KEY)
    assert answer.status == 302


async def test_cancelling_a_request_is_not_a_failure_of_the_market(client: httpx.AsyncClient) -> None:
    asked = asyncio.Event()

    async def never(request: object, writer: object) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with stage(never) as server:
        task = asyncio.create_task(ask(client, server.url))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def foreign_errors() -> Iterator[type[Exception]]:
    """Every exception that httpx may raise, found by walking it."""
    for _, kind in inspect.getmembers(httpx, inspect.isclass):
        if issubclass(kind, Exception):
            yield kind


@pytest.mark.parametrize("kind", [*foreign_errors(), ssl.SSLError, TimeoutError, ConnectionResetError, zlib.error])
def test_every_foreign_error_has_a_scanning_error(kind: type[Exception]) -> None:
    assert issubclass(kind, FOREIGN)
    error = kind.__new__(kind)
    error.args = (f"https://x/?api_key={KEY.get_secret_value()}",)
    if isinstance(error, httpx.HTTPStatusError):
        error.response = httpx.Response(500)
    assert isinstance(translated("vast", error), ScanError)


def test_the_walk_over_httpx_finds_its_errors() -> None:
    assert {"ReadTimeout", "DecodingError", "InvalidURL", "CookieConflict"} <= {
        kind.__name__ for kind in foreign_errors()
    }


async def test_an_error_names_neither_the_query_nor_the_key(client: httpx.AsyncClient) -> None:
    for url in ("http://127.0.0.1:1/?q=private", "http://[?q=private", "odd://host/?q=private"):
        with pytest.raises(ScanError) as caught:
            await ask(client, url, key=KEY, params={"more": "private"})
        assert "private" not in str(caught.value)
        assert KEY.get_secret_value() not in "".join(traceback.format_exception(caught.value))


async def test_the_key_is_not_logged(client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with stage(sends(http({}))) as server:
        await ask(client, server.url, key=KEY)
    assert KEY.get_secret_value() not in caplog.text


async def test_an_echoed_key_is_masked_where_a_body_is_shown(client: httpx.AsyncClient) -> None:
    async with stage(sends(http(f"no such key {KEY.get_secret_value()}", status=404))) as server:
        answer = await ask(client, server.url, key=KEY)
    assert answer.excerpt == "no such key ***"
    assert KEY.get_secret_value() not in repr(answer)


def test_a_shown_text_is_one_short_printable_line() -> None:
    assert printable("a\r\n\tb\x00\x1b[31m  c\u202e") == "a b [31m c"
    assert len(printable("x" * 10_000)) == 200


@pytest.mark.parametrize(
    ("text", "wait"),
    [("12", 12.0), ("0.5", 0.5), ("1e12", 86_400.0), ("0", None), ("-3", None), ("nan", None), ("inf", None),
     ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("", None), (None, None)],
)  # fmt: skip
def test_a_wait_is_a_believable_number_of_seconds_or_unknown(text: str | None, wait: float | None) -> None:
    assert seconds(text) == wait


@pytest.mark.parametrize("name", ["ALL_PROXY", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY"])
@pytest.mark.parametrize("value", ["socks://127.0.0.1:9", "socks5://u:hidden@127.0.0.1:9", "http://x:port"])
def test_a_proxy_that_cannot_be_used_is_one_clear_line_naming_the_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UnusableProxyError) as caught:
        open_client("0.0")
    assert name.upper() in str(caught.value)
    assert "hidden" not in str(caught.value)


async def test_this_machine_is_asked_directly_whatever_proxy_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with open_client("0.0") as proxied, stage(sends(http({}))) as server:
        assert (await ask(proxied, server.url)).status == 200

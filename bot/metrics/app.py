"""The two pages: `/metrics` for Prometheus and `/healthz` for supervisors. Nothing can be changed by either."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CollectorRegistry, ProcessCollector, make_wsgi_app

from bot.logs import Redactor
from bot.metrics.families import ReadingCollector
from bot.metrics.reading import Reading
from storage.errors import StoreError

OK, UNAVAILABLE = "200 OK", "503 Service Unavailable"
_TEXT = ("Content-Type", "text/plain; charset=utf-8")


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: its status line, headers and body."""

    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class MetricsApp:
    """A WSGI application. What the marketplaces said of a failure is repeated with secrets masked."""

    def __init__(self, latest: Callable[[], Reading], redact: Redactor) -> None:
        registry = CollectorRegistry()
        registry.register(ReadingCollector(latest))
        ProcessCollector(registry=registry)
        self._metrics: WSGIApplication = make_wsgi_app(registry)
        self._latest = latest
        self._redact = redact

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        page = self._page(environ)
        length = ("Content-Length", str(len(page.body)))
        start_response(page.status, [*page.headers, length, ("Cache-Control", "no-store")])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [page.body]

    def _page(self, environ: WSGIEnvironment) -> Page:
        pages = {"/metrics": self._numbers, "/healthz": self._health}
        page = pages.get(environ["PATH_INFO"])
        if page is None:
            return _plain("404 Not Found", "there are /metrics and /healthz")
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return _plain("405 Method Not Allowed", "only GET and HEAD are answered", ("Allow", "GET, HEAD"))
        try:
            return page(environ)
        except StoreError as error:  # without the path: who asks need not know it
            return _plain(UNAVAILABLE, f"database: {error.problem}")

    def _numbers(self, environ: WSGIEnvironment) -> Page:
        told: list[tuple[str, list[tuple[str, str]]]] = []

        def note(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
            told.append((status, headers))
            return _unwritten

        body = b"".join(self._metrics({**environ, "REQUEST_METHOD": "GET"}, note))
        ((status, headers),) = told
        return Page(status, tuple(headers), body)

    def _health(self, _: WSGIEnvironment) -> Page:
        found = self._latest().problems
        return _plain(UNAVAILABLE, *(self._redact(each) for each in found)) if found else _plain(OK, "ok")


def _plain(status: str, *lines: str | tuple[str, str]) -> Page:
    """Lines of text; a pair is a header."""
    headers = tuple(line for line in lines if isinstance(line, tuple))
    text = "".join(f"{line}\n" for line in lines if isinstance(line, str))
    return Page(status, (_TEXT, *headers), text.encode())


def _unwritten(_: bytes) -> None:
    raise RuntimeError("a page is returned whole")

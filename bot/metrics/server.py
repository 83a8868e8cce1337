"""The HTTP server of the metrics: threads of its own, few of them, none for long.

The product's event loop takes no part in it, and whoever asks slowly, hangs or comes in crowds is cut off.
"""

from __future__ import annotations

import contextlib
import io
import logging
import socket
import sys
import threading
from collections.abc import Callable
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import WSGIApplication

from bot.metrics.address import ListenAddress

log = logging.getLogger(__name__)

MOST: Final = 16
"""Connections at a time; further ones are closed at once."""
DEADLINE_S: Final = 10.0
"""From accepting a connection to the end of its answer."""
GLANCE_S: Final = 0.1
"""Between two looks at the deadlines, and at whether it is to stop."""
ENDING_S: Final = 1.0
"""How long an answer that is being made may take when it is to stop."""


class MetricsServer(ThreadingMixIn, WSGIServer):
    """Serves an application from `start` to `stop`. Making it takes the port; raises OSError where that cannot be had.

    `elapsed` tells the seconds since some fixed moment.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST

    def __init__(self, address: ListenAddress, app: WSGIApplication, elapsed: Callable[[], float]) -> None:
        self.address_family = address.family
        self._elapsed = elapsed
        self._open: dict[socket.socket, float] = {}
        self._changed = threading.Condition()
        super().__init__((address.host, address.port), _Handler)
        self.set_app(app)
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": GLANCE_S}, name="metrics", daemon=True
        )

    @property
    def address(self) -> ListenAddress:
        """Where it really listens."""
        host, port = self.server_address[:2]
        return ListenAddress(host=str(host), port=int(port))

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Let go of the port and of everybody who is connected. Blocks for a moment."""
        self.shutdown()
        self._thread.join()
        self.server_close()
        with self._changed:
            if not self._changed.wait_for(lambda: not self._open, timeout=ENDING_S):
                self._cut_off(list(self._open))
                self._changed.wait_for(lambda: not self._open, timeout=ENDING_S)

    # -- what the library calls ------------------------------------------------------------------------------------

    def server_bind(self) -> None:
        """Take the port; unlike the library's own, ask no name server for the name of the address."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether there is room for one more."""
        with self._changed:
            if len(self._open) >= MOST:
                return False
            self._open[request] = self._elapsed()
            return True

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        super().shutdown_request(request)
        with self._changed:
            self._open.pop(request, None)
            self._changed.notify_all()

    def service_actions(self) -> None:
        """Cut off those that have had their time."""
        limit = self._elapsed() - DEADLINE_S
        with self._changed:
            self._cut_off([request for request, since in self._open.items() if since < limit])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is no fault of ours."""
        log.debug("a request for metrics ended early: %r", sys.exception())

    def _cut_off(self, requests: list[socket.socket]) -> None:
        for request in requests:
            with contextlib.suppress(OSError):  # gone already
                request.shutdown(socket.SHUT_RDWR)


class _Handler(WSGIRequestHandler):
    """Reads one request and has it answered; says nothing of it."""

    server_version = "atalaia"
    sys_version = ""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Nothing: who asks is not logged."""

    def get_stderr(self) -> Any:
        """Where a fault of the application is told."""
        return _Fault()


class _Fault(io.StringIO):
    """A traceback on its way into the log: its last line, and the whole for those who debug."""

    def flush(self) -> None:
        """Log what was written."""
        text = self.getvalue().strip()
        if text:
            log.error("metrics cannot be told: %s", text.splitlines()[-1])
            log.debug("%s", text)
            self.seek(0)
            self.truncate()

"""Log lines on standard error, with every secret masked whatever the level.

Libraries put tokens into URLs, and URLs into their records: the formatter is the last gate that all text passes.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TextIO

MASK = "***"
DEBUG, INFO, WARNING = logging.DEBUG, logging.INFO, logging.WARNING
_TOKEN = re.compile(r"\d{5,12}:[A-Za-z0-9_-]{20,}")
_BEARER = re.compile(r"(?i)(bearer\s+)[^\s'\",]+")
_KEY_PARAMETER = re.compile(r"(?i)([?&](?:api_?key|token)=)[^&\s'\"]+")


class Redactor:
    """Masks configured secrets, and whatever looks like a bot token or a key."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # the longest first, so that a secret that contains another is masked whole
        self._secrets = tuple(sorted({secret for secret in secrets if secret}, key=len, reverse=True))

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        text = _TOKEN.sub(MASK, text)
        text = _BEARER.sub(rf"\1{MASK}", text)
        return _KEY_PARAMETER.sub(rf"\1{MASK}", text)


class RedactingFormatter(logging.Formatter):
    """`2026-12-01T12:00:00Z INFO scanners.poller: …`, one line unless there is a traceback, secrets masked."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redact = redact

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - logging's name
        """UTC to the second."""
        return datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def format(self, record: logging.LogRecord) -> str:
        """The whole record, exception text included, with secrets masked."""
        return self._redact(super().format(record))


def set_up(redact: Redactor, *, level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Send all log records to standard error (or `stream`) through the redacting formatter."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(RedactingFormatter(redact))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("httpx", "httpcore", "apscheduler", "aiohttp.access", "alembic", "asyncio"):
        logging.getLogger(noisy).setLevel(max(level, logging.WARNING))

"""The process's three streams, whatever they are: closed, full, a pipe that nobody reads, or of a narrow encoding."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TextIO


class ClosedStream(io.TextIOBase):
    """Stands for a standard output that the process was started without: every write fails."""

    def write(self, text: str, /) -> int:
        """Raises OSError."""
        raise OSError("standard output is closed")


def prepare() -> None:
    """Give a stream to each name that has none, and let no character be one that cannot be written."""
    if sys.stdin is None:
        sys.stdin = io.StringIO()
    if sys.stdout is None:
        sys.stdout = ClosedStream()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flushed() -> bool:
    """Write out what is left; whether that was possible. What cannot be written is dropped, so that the interpreter
    does not stumble over it at its end."""
    return all([_flush(sys.stdout), _flush(sys.stderr)])


def tell(text: str) -> None:
    """A line on standard error; nothing where that cannot be written."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def is_unicode(stream: TextIO) -> bool:
    """Whether every character can be written to a stream as it is."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-").startswith(("utf-", "utf8"))


def _flush(stream: TextIO) -> bool:
    try:
        stream.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
        return False
    return True

"""Is this file a database at all? Asked before anything is opened, so that a file that is not one stays untouched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from storage.errors import StoreError, StoreUnwritable, damaged, store_error

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
THOROUGH_UP_TO = 32_000_000
"""Bytes: larger files are checked by their header and length only at a start, because reading them whole takes longer
than a command may."""


def check_file(path: Path, *, thorough_up_to: float = THOROUGH_UP_TO) -> bool:
    """Whether there is a database to open; False for no file and for an empty one, which begin afresh.

    Every page of files up to `thorough_up_to` bytes is read. Raises StoreError when the place cannot be used, and
    StoreDamaged when the file is something else or broken.
    """
    if not path.parent.is_dir():
        raise StoreError(path, "its folder does not exist", f"make the folder {path.parent} or correct storage.url")
    if path.is_dir():
        raise StoreError(path, "is a folder", "name a file in storage.url")
    try:
        if not path.exists() or path.stat().st_size == 0:
            return False
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise StoreUnwritable(path, f"cannot be read ({error.strerror})", "correct its permissions") from error
    _check_header(path, header)
    if path.stat().st_size <= thorough_up_to:
        _check_pages(path)
    return True


def _check_header(path: Path, header: bytes) -> None:
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise damaged(path, "it does not begin like one")
    if _pending_log(path):
        return
    page = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    if path.stat().st_size < pages * (65_536 if page == 1 else page):
        raise damaged(path, "it is cut short")


def _check_pages(path: Path) -> None:
    # with no log pending nobody has it open, and it can be looked at without leaving a trace
    mode = "mode=rw" if _pending_log(path) else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=10.0)
        try:
            (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    if answer != "ok":
        raise damaged(path, str(answer).splitlines()[-1])


def _pending_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0

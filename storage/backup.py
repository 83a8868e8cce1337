"""Consistent copies of a live database, and putting one back.

A copy is made beside its target and moved there when it is whole: whoever finds the file finds a good one.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

from storage.engine import database_path
from storage.errors import StoreError, StoreUnwritable, mapped
from storage.soundness import check_file
from storage.store import Store
from storage.upgrade import beside, known_revision


def backup(store: Store, target: Path) -> int:
    """Copy a database, running or not, to a file, replacing it; bytes written. Raises StoreError."""
    if target.resolve() == store.path.resolve():
        raise StoreError(target, "is the database itself", "name another file")
    _copy(store.path, target)
    return target.stat().st_size


def restore(source: Path, url: str, *, now: datetime) -> Path | None:
    """Put a checked copy in the database's place; the file that stood there, now beside it, if there was one.

    The caller makes sure that nobody has the database open. Raises StoreError, and then nothing was changed.
    """
    path = database_path(url)
    if not check_file(source, thorough_up_to=float("inf")):
        raise StoreError(source, "holds no database", "name a file that backup made")
    if known_revision(source) is None:
        raise StoreError(source, "is a database of another program", "name a file that backup made")
    if source.resolve() == path.resolve():
        raise StoreError(source, "is the database itself", "name a file that backup made")
    part = path.with_name(path.name + ".part")
    _copy(source, part)
    old = beside(path, "before-restore", now) if path.exists() else None
    try:
        for end in ("-wal", "-shm", ""):
            there = path.with_name(path.name + end)
            if there.exists() and old is not None:
                there.rename(old.with_name(old.name + end))
        part.rename(path)
    except OSError as error:
        raise StoreUnwritable(path, f"cannot be replaced ({error.strerror})", "correct its permissions") from error
    return old


def _copy(source: Path, target: Path) -> None:
    part = target.with_name(target.name + ".copying")
    try:
        part.unlink(missing_ok=True)
        with mapped(target):
            here = sqlite3.connect(source, timeout=10.0)
            try:
                there = sqlite3.connect(part)
                try:
                    # in one step: it reads one state, writers go on beside it, and nothing makes it start over
                    here.backup(there)
                finally:
                    there.close()
            finally:
                here.close()
        part.replace(target)
    except OSError as error:
        raise StoreUnwritable(target, f"cannot be written ({error.strerror})", "name another file") from error
    finally:
        part.unlink(missing_ok=True)

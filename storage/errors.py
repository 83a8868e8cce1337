"""What can go wrong with the store, as one small tree. Every text is one line for a person: path, problem, remedy.

StoreError
├── StoreBusy        another process kept the database locked for longer than the wait
├── StoreUnwritable  the disk is full, the file or its folder is read-only, or input and output failed
├── StoreDamaged     the file is not a database, is cut short or fails its own check
└── StoreTooNew      the file was written by a newer version of the program

Errors of SQLAlchemy and sqlite3 are mapped here, once, and chained. Violated constraints are not mapped: they are
faults of the program, never of the machine it runs on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError, IntegrityError


class StoreError(Exception):
    """The store cannot do what was asked."""

    def __init__(self, path: Path | str, problem: str, remedy: str) -> None:
        self.path = path
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{path}: {problem}; {remedy}")


class StoreBusy(StoreError):
    """Another process holds the write lock."""


class StoreUnwritable(StoreError):
    """Nothing can be written; what is stored can mostly still be read."""


class StoreDamaged(StoreError):
    """The file is not a sound database. It is never changed or deleted."""


class StoreTooNew(StoreError):
    """The file belongs to a newer version."""


_BUSY = ("locked", "busy")
_UNWRITABLE = ("full", "readonly", "read-only", "i/o error", "unable to open", "too big")
_DAMAGED = ("malformed", "not a database", "corrupt")


def store_error(path: Path | str, error: sqlite3.Error) -> StoreError:
    """The store's own error for one of sqlite3."""
    text = str(error)
    low = text.lower()
    if any(word in low for word in _BUSY):
        return StoreBusy(path, "another process keeps the database locked", "stop it, or try again later")
    if any(word in low for word in _UNWRITABLE):
        return StoreUnwritable(path, f"cannot be written ({text})", "free disk space or correct its permissions")
    if any(word in low for word in _DAMAGED):
        return damaged(path, text)
    return StoreError(path, f"the database refused ({text})", "run the program's doctor command")


def damaged(path: Path | str, detail: str) -> StoreDamaged:
    """A damaged file, with the way out."""
    return StoreDamaged(
        path,
        f"is not a sound database ({detail})",
        "restore a backup, or move it away to start afresh; it was left as it is",
    )


@contextmanager
def mapped(path: Path | str) -> Iterator[None]:
    """Turn errors of the database inside the block into StoreError."""
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise store_error(path, error.orig) from error
        raise
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        raise store_error(path, error) from error

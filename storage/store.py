"""The open database: short transactions to read and to write, and nothing else.

One writer at a time, in this process by a lock and among processes by the database. Calls block: an event loop makes
them in a worker thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine

from storage.engine import WRITES, database_path, open_engine
from storage.errors import mapped
from storage.soundness import check_file
from storage.upgrade import upgrade


class Store:
    """An open database file. `close` it when done; it may be used from any thread."""

    def __init__(self, path: Path, engine: Engine, *, copy: Path | None = None) -> None:
        self.path = path
        self.engine = engine
        self.copy = copy
        """The copy made beside the file when opening it changed its schema."""
        self._lock = threading.Lock()
        self._writer: int | None = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent state of the data. Raises StoreError."""
        with mapped(self.path), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that holds the write lock from its beginning: kept on leaving, undone by any exception.

        Raises StoreError; RuntimeError when the thread is inside one already, which would wait for itself.
        """
        if self._writer == threading.get_ident():
            raise RuntimeError("a write transaction inside a write transaction")
        with self._lock:
            self._writer = threading.get_ident()
            try:
                with mapped(self.path), self.engine.connect().execution_options(**WRITES) as connection:
                    connection.begin()
                    yield connection
                    connection.commit()
            finally:
                self._writer = None

    def bytes(self) -> int:
        """Size of the database on disk, its log included."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close every connection; the log is folded into the file by the last of them."""
        self.engine.dispose()


def open_store(url: str, *, now: datetime) -> Store:
    """Open the database that a `sqlite:///FILE` address names, making or upgrading it first. Raises StoreError."""
    path = database_path(url)
    check_file(path)
    copy = upgrade(path, now=now)
    return Store(path, open_engine(path), copy=copy)

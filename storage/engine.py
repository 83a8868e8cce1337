"""How the database file is reached: the address, and connections that are set up alike every time.

Readers begin plainly and see one state; writers begin immediately, because a transaction that reads first and writes
later fails at once when somebody else wrote in between, however long it would be willing to wait.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from storage.errors import StoreError

BUSY_S = 10.0
"""Real seconds a writer waits for another process."""
CACHE_KIB = 16_384
"""For each connection; a few are kept open."""
_SCHEME = "sqlite:///"

WRITES = {"writes": True}
"""Execution options of a connection that begins by taking the write lock."""


def database_path(url: str) -> Path:
    """The file that a `sqlite:///FILE` address names. Raises StoreError for any other address."""
    rest = url.removeprefix(_SCHEME)
    if not url.startswith(_SCHEME) or not rest or rest == ":memory:" or "?" in rest:
        raise StoreError(url, "is not an address of a database file", "write it as sqlite:///name.db")
    return Path(rest)


def open_engine(path: Path, *, foreign_keys: bool = True) -> Engine:
    """An engine on one file.

    Migrations switch foreign keys off, because rebuilding a table would empty those that refer to it.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_S, "isolation_level": None, "check_same_thread": False},
        pool_size=4,
        max_overflow=28,
        pool_use_lifo=True,
    )
    pragmas = (
        f"PRAGMA busy_timeout = {int(BUSY_S * 1000)}",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = NORMAL",
        f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        f"PRAGMA cache_size = -{CACHE_KIB}",
    )

    def set_up(connection: Any, _record: Any) -> None:
        for pragma in pragmas:
            connection.execute(pragma)

    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", begin)
    return engine

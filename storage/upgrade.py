"""Brings a database file to the schema of this version: fresh files, older ones, and a plain no to newer ones.

An existing file is copied beside itself first. The change itself is one transaction: it happens whole or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from storage.engine import BUSY_S, WRITES, open_engine
from storage.errors import StoreError, StoreTooNew, mapped
from storage.migrations import HEAD, REVISIONS
from storage.times import from_ms, to_ms

MIGRATIONS = Path(__file__).with_name("migrations")


def upgrade(path: Path, *, now: datetime) -> Path | None:
    """Make the file ready; the copy made of an older one, else None.

    Raises StoreTooNew for a file of a later version and StoreError for a database of another program.
    """
    revision = known_revision(path)
    if revision == HEAD:
        return None
    engine = open_engine(path, foreign_keys=False)
    try:
        with mapped(path):
            copy = _copy(path, revision, now) if revision is not None else None
            with engine.connect().execution_options(**WRITES) as connection, connection.begin():
                # asked again under the lock: another process may have been quicker
                if _revision(path, connection.exec_driver_sql) != HEAD:
                    _migrate(path, connection)
            return copy
    finally:
        engine.dispose()


def known_revision(path: Path) -> str | None:
    """The version of the schema in a file, None for no file and an empty one. Looks only, changes nothing.

    Raises StoreTooNew and StoreError as `upgrade` does.
    """
    if not path.exists() or path.stat().st_size == 0:
        return None
    with mapped(path):
        connection = sqlite3.connect(path, timeout=BUSY_S)
        try:
            return _revision(path, connection.execute)
        finally:
            connection.close()


def beside(path: Path, what: str, now: datetime) -> Path:
    """A free name beside the database, such as `atalaia.before-0001-20261201T120000Z.db`."""
    stamp = from_ms(to_ms(now)).strftime("%Y%m%dT%H%M%SZ")
    name = path.with_name(f"{path.stem}.{what}-{stamp}{path.suffix}")
    number = 1
    while name.exists():
        number += 1
        name = path.with_name(f"{path.stem}.{what}-{stamp}-{number}{path.suffix}")
    return name


def _revision(path: Path, run: Callable[[str], Iterable[Any]]) -> str | None:
    tables = {row[0] for row in run("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "alembic_version" not in tables:
        if tables - {"sqlite_sequence"}:
            raise StoreError(path, "is a database of another program", "name another file in storage.url")
        return None
    revision = next((str(row[0]) for row in run("SELECT version_num FROM alembic_version")), None)
    if revision is not None and revision not in REVISIONS:
        raise StoreTooNew(
            path,
            f"was written by a newer version of the program (schema {revision}, this one knows up to {HEAD})",
            "install that version, or name another file in storage.url",
        )
    return revision


def _copy(path: Path, revision: str, now: datetime) -> Path:
    copy = beside(path, f"before-{revision}", now)
    part = copy.with_name(copy.name + ".part")
    part.unlink(missing_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        connection.execute("VACUUM INTO ?", (str(part),))
        return part.rename(copy)
    finally:
        connection.close()
        part.unlink(missing_ok=True)


def _migrate(path: Path, connection: Connection) -> None:
    # imported here: loading the migration machinery takes longer than opening an up-to-date file
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, "head")
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise StoreError(path, f"{len(broken)} rows lost what they refer to", "restore the copy made beside it")

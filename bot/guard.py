"""One running product a database: a second `run` is refused before it asks or sends anything."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.errors import StoreUnwritable


class AlreadyRunning(Exception):
    """Another process runs on the same database."""


@contextmanager
def sole_instance(database: Path) -> Iterator[None]:
    """Hold the lock file beside the database; the kernel frees it whatever way the process ends.

    Raises AlreadyRunning when another process holds it, StoreUnwritable when no file can be made there.
    """
    path = database.with_name(database.name + ".lock")
    try:
        file = path.open("a")
    except OSError as error:
        remedy = f"make the folder {path.parent}, correct its permissions, or correct storage.url"
        raise StoreUnwritable(database, f"{path.name} cannot be made beside it ({error.strerror})", remedy) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AlreadyRunning(f"{database}: another atalaia already runs on this database; stop it first") from error
        yield

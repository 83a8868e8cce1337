"""One running product a database: a second `run` is refused before it asks or sends anything."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AlreadyRunning(Exception):
    """Another process runs on the same database."""


@contextmanager
def sole_instance(database: Path) -> Iterator[None]:
    """Hold the lock file beside the database; the kernel frees it whatever way the process ends.

    Raises AlreadyRunning when another process holds it.
    """
    path = database.with_name(database.name + ".lock")
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AlreadyRunning(f"{database}: another atalaia already runs on this database; stop it first") from error
        yield

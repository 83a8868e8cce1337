"""Every storage test gets a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.storage.stage import Stage


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of this version: copying it is quicker than making each one."""
    stage = Stage(tmp_path_factory.mktemp("blank") / "blank.db")
    stage.store.close()
    return stage.path


@pytest.fixture
def stage(tmp_path: Path, blank: Path) -> Iterator[Stage]:
    """A store on a fresh file."""
    path = tmp_path / "atalaia.db"
    path.write_bytes(blank.read_bytes())
    stage = Stage(path)
    yield stage
    stage.store.close()

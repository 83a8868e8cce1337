"""Every storage test gets a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.outbox import Outbox
from storage.watches import Watches
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


@pytest.fixture
def outbox(stage: Stage) -> Outbox:
    """Its outbox."""
    return Outbox(stage.store, stage.rules)


@pytest.fixture
def watch_id(stage: Stage) -> int:
    """A watch of chat 111 on any RTX 4090."""
    return Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=stage.now).id

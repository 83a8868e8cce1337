"""Every test of the commands gets a parlour of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage.store import open_store
from tests.bot.commands.parlour import START, Parlour, parlour


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An empty database of this version: copying it is quicker than making each one."""
    path = tmp_path_factory.mktemp("blank") / "blank.db"
    open_store(f"sqlite:///{path}", now=START).close()
    return path.read_bytes()


@pytest.fixture
async def room(tmp_path: Path, blank: bytes) -> AsyncIterator[Parlour]:
    """A parlour where nobody has spoken yet."""
    (tmp_path / "atalaia.db").write_bytes(blank)
    async with parlour(tmp_path) as made:
        yield made

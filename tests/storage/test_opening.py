"""Opening a file: fresh, older, newer, damaged, or none of ours."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from storage import upgrade as upgrading
from storage.errors import StoreDamaged, StoreError, StoreTooNew, StoreUnwritable
from storage.offers import current
from storage.store import open_store
from storage.watches import Watches
from tests.storage.stage import START, Stage, vast


def filled(stage: Stage) -> Path:
    """A closed file with something in it."""
    stage.scan(*(vast(machine) for machine in range(300)))
    Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=START)
    stage.store.close()
    return stage.path


def opened(path: Path) -> None:
    open_store(f"sqlite:///{path}", now=START).close()


@pytest.mark.parametrize(
    "url",
    ["", "atalaia.db", "sqlite://", "sqlite:///", "sqlite:///:memory:", "postgresql://x/y", "sqlite:///a?mode=ro"],
)
def test_only_the_address_of_a_file_is_understood(url: str) -> None:
    with pytest.raises(StoreError, match=r"sqlite:///name\.db"):
        open_store(url, now=START)


def test_no_file_and_an_empty_file_begin_afresh(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    for name in ("none.db", "empty.db"):
        opened(tmp_path / name)
        opened(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "none.db"]


def test_every_connection_enforces_foreign_keys_and_writes_ahead(stage: Stage) -> None:
    connections = [stage.store.engine.connect() for _ in range(4)]
    for connection in connections:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 10_000
        connection.close()


@pytest.mark.parametrize("content", [b"hello, I am a text file\n" * 100, b"x", b"SQLite format 3\x00", b"\x00" * 5000])
def test_what_is_no_database_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(content)
    with pytest.raises(StoreDamaged) as problem:
        opened(path)
    assert str(path) in str(problem.value)
    assert "\n" not in str(problem.value)
    assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["notes.db"]


@pytest.mark.parametrize("share", [0.6, 0.99, 0.1])
def test_a_file_cut_short_is_named_and_left_alone(stage: Stage, share: float) -> None:
    path = filled(stage)
    content = path.read_bytes()[: int(path.stat().st_size * share)]
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="restore a backup"):
        opened(path)
    assert path.read_bytes() == content


def test_a_file_with_spoilt_pages_is_named_and_left_alone(stage: Stage) -> None:
    path = filled(stage)
    content = bytearray(path.read_bytes())
    content[8192:40960] = os.urandom(32768)
    path.write_bytes(content)
    with pytest.raises(StoreDamaged):
        opened(path)
    assert path.read_bytes() == bytes(content)


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE music (title)")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        opened(path)
    assert path.read_bytes() == content


def test_a_missing_folder_and_a_folder_as_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder does not exist"):
        opened(tmp_path / "nowhere" / "a.db")
    with pytest.raises(StoreError, match="is a folder"):
        opened(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="folder does not exist"):
        opened(tmp_path / "file" / "a.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read and write everything")
def test_a_file_that_may_not_be_read_is_named(stage: Stage) -> None:
    path = filled(stage)
    path.chmod(0)
    with pytest.raises(StoreUnwritable):
        opened(path)


# -- versions -------------------------------------------------------------------------------------------------------


def mark(path: Path, revision: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    connection.close()


def older(stage: Stage) -> Path:
    """A file as a version before the first one might have left it: a column and a table are missing."""
    path = filled(stage)
    with sqlite3.connect(path) as connection:
        connection.executescript("ALTER TABLE outbox DROP COLUMN ended_at; DROP TABLE meta;")
    connection.close()
    mark(path, "0000")
    return path


@pytest.fixture
def with_an_older_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Migrations in which the present version follows on one that lacked a column and a table."""
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    here = Path(upgrading.__file__).with_name("migrations")
    (folder / "env.py").write_text((here / "env.py").read_text())
    (folder / "versions" / "r0000.py").write_text(
        'revision = "0000"\ndown_revision = None\ndef upgrade() -> None:\n    raise AssertionError\n'
    )
    (folder / "versions" / "r0001.py").write_text(
        "import sqlalchemy as sa\n"
        "from alembic import op\n"
        'revision = "0001"\ndown_revision = "0000"\n'
        "def upgrade() -> None:\n"
        '    op.add_column("outbox", sa.Column("ended_at", sa.Integer()))\n'
        '    op.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID")\n'
    )
    monkeypatch.setattr(upgrading, "MIGRATIONS", folder)
    monkeypatch.setattr(upgrading, "REVISIONS", ("0000", "0001"))
    return folder


def test_an_older_file_is_copied_and_brought_up_to_date_once(stage: Stage, with_an_older_version: Path) -> None:
    path = older(stage)
    stage.open()
    assert stage.store.copy is not None
    assert stage.store.copy.name == "atalaia.before-0000-20261201T120100Z.db"
    assert len(current(stage.store)) == 300
    assert len(Watches(stage.store, stage.rules).list()) == 1
    with sqlite3.connect(stage.store.copy) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == ("0000",)
        assert copy.execute("SELECT count(*) FROM cur").fetchone() == (300,)
    copy.close()
    stage.reopen()
    assert stage.store.copy is None
    assert len(list(path.parent.glob("atalaia.before-*"))) == 1


def test_a_migration_that_breaks_off_leaves_the_file_as_it_was_and_can_be_run_again(
    stage: Stage, with_an_older_version: Path
) -> None:
    path = older(stage)
    script = with_an_older_version / "versions" / "r0001.py"
    good = script.read_text()
    script.write_text(good + "    raise ArithmeticError\n")
    with pytest.raises(ArithmeticError):
        opened(path)
    with sqlite3.connect(path) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(outbox)")]
        assert "ended_at" not in columns
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0000",)
    connection.close()
    script.write_text(good)
    stage.open()
    assert len(current(stage.store)) == 300
    assert len(list(path.parent.glob("atalaia.before-*.db"))) == 2


def test_a_file_of_a_newer_version_is_refused_in_one_line_and_left_alone(stage: Stage) -> None:
    path = filled(stage)
    mark(path, "9999")
    content = path.read_bytes()
    with pytest.raises(StoreTooNew, match="newer version") as problem:
        opened(path)
    assert "\n" not in str(problem.value)
    assert path.read_bytes() == content


def test_several_processes_may_make_one_file_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from datetime import UTC, datetime; from storage.store import open_store;"
        "open_store(sys.argv[1], now=datetime.now(UTC)).close()"
    )
    root = Path(upgrading.__file__).parents[1]
    workers = [subprocess.Popen([sys.executable, "-c", code, f"sqlite:///{tmp_path}/a.db"], cwd=root) for _ in range(2)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0]

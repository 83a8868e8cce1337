"""Copies of a live database, and putting one back."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.backup import backup, restore
from storage.errors import StoreDamaged, StoreError
from storage.offers import current
from storage.store import open_store
from tests.storage.stage import START, Stage, vast


def test_a_copy_of_a_live_database_holds_what_was_committed(stage: Stage, tmp_path: Path) -> None:
    stage.scan(vast(1), vast(2))
    target = tmp_path / "copy.db"
    with stage.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM cur")
        assert backup(stage.store, target) == target.stat().st_size
        connection.rollback()
        connection.begin()
    copy = open_store(f"sqlite:///{target}", now=START)
    assert len(current(copy)) == 2
    copy.close()
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.db"]


def test_a_copy_replaces_the_one_before(stage: Stage, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    backup(stage.store, target)
    stage.scan(vast())
    backup(stage.store, target)
    copy = open_store(f"sqlite:///{target}", now=START)
    assert len(current(copy)) == 1
    copy.close()


def test_a_place_that_cannot_be_written_is_named(stage: Stage, tmp_path: Path) -> None:
    for target in (tmp_path / "nowhere" / "copy.db", stage.path):
        with pytest.raises(StoreError):
            backup(stage.store, target)


def test_a_restored_copy_takes_the_place_of_the_database_which_stays_beside_it(stage: Stage, tmp_path: Path) -> None:
    stage.scan(vast(1))
    target = tmp_path / "copy.db"
    backup(stage.store, target)
    stage.scan(vast(1), vast(2))
    stage.store.close()
    old = restore(target, f"sqlite:///{stage.path}", now=START)
    assert old is not None
    assert old.name == "atalaia.before-restore-20261201T120000Z.db"
    stage.open()
    assert [row.offer.machine for row in current(stage.store)] == ["1"]
    before = open_store(f"sqlite:///{old}", now=START)
    assert len(current(before)) == 2
    before.close()


def test_a_copy_can_be_restored_where_there_is_nothing(stage: Stage, tmp_path: Path) -> None:
    stage.scan(vast())
    backup(stage.store, tmp_path / "copy.db")
    assert restore(tmp_path / "copy.db", f"sqlite:///{tmp_path}/new.db", now=START) is None
    new = open_store(f"sqlite:///{tmp_path}/new.db", now=START)
    assert len(current(new)) == 1
    new.close()


def test_what_is_no_sound_copy_is_refused_and_the_database_left_alone(stage: Stage, tmp_path: Path) -> None:
    stage.scan(vast())
    stage.store.close()
    content = stage.path.read_bytes()
    bad = tmp_path / "bad.db"
    for spoilt in (b"text", content[:8192], b""):
        bad.write_bytes(spoilt)
        with pytest.raises(StoreError):
            restore(bad, f"sqlite:///{stage.path}", now=START)
        assert stage.path.read_bytes() == content
    with pytest.raises(StoreError):
        restore(stage.path, f"sqlite:///{stage.path}", now=START)
    assert issubclass(StoreDamaged, StoreError)
    stage.open()

"""The database file as the command line meets it: empty, damaged, out of place; and what deleting leaves behind."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bot.__main__ import call
from tests.end_to_end.house import House

COMMANDS = (["run"], ["status"], ["watch", "add", "RTX 4090"])


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text("", encoding="utf-8")
    return tmp_path / "atalaia.db"


def test_an_empty_file_is_a_fresh_database(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database.touch()
    assert call(["watch", "add", "RTX 4090 <=0.40", "--json"]) == 0
    assert call(["watch", "list"]) == 0
    assert "RTX 4090 <=0.4" in capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("share", [0.6, None])
def test_a_damaged_file_is_named_with_what_to_do_and_left_as_it_is(
    database: Path, capsys: pytest.CaptureFixture[str], share: float | None, words: list[str]
) -> None:
    if share is None:
        database.write_text("this is no database\n" * 50, encoding="utf-8")
    else:
        assert call(["status"]) == 0
        whole = database.read_bytes()
        database.write_bytes(whole[: int(len(whole) * share)])
    before = database.read_bytes()
    capsys.readouterr()
    assert call(words) == 1
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert str(database) in line
    assert "restore a backup" in line
    assert database.read_bytes() == before
    assert call(["doctor"]) == 1
    assert "FAIL database" in capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS)
def test_a_folder_that_does_not_exist_is_named(
    database: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    database.with_name("config.toml").write_text("[storage]\nurl = 'sqlite:///nowhere/atalaia.db'", encoding="utf-8")
    assert call(words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert str(database.parent / "nowhere") in line
    assert "storage.url" in line


def test_the_database_is_looked_for_beside_the_configuration(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert call(["--config", "../config.toml", "status"]) == 0
    assert database.exists()
    assert list(elsewhere.iterdir()) == []


async def test_deleting_rules_leaves_no_orphans_and_keeps_the_log(house: House) -> None:
    house.market.vast.add_machine()
    for chat in ("1", "2", "2"):
        await house.watch("RTX 4090 <=0.40 vast", chat=chat)
    async with house.running("vast") as life:
        await life.passes(minutes=2)
        for watch in (await house.ask("watch", "list", "--json")).json["watches"]:
            assert (await house.ask("watch", "remove", str(watch["id"]))).code == 0
        told = len(house.alerts())
        house.market.vast.add_machine(price=0.1)
        await life.passes(minutes=10)
    assert len(house.alerts()) == told == 2
    assert len(await house.log()) == 2
    connection = sqlite3.connect(house.folder / "atalaia.db")
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()

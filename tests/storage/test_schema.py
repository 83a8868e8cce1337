"""The declarations and the migrations describe one schema."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import sqlalchemy
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import __version__ as sqlmodel_version

from storage.migrations import HEAD, REVISIONS
from storage.tables import metadata
from storage.times import from_ms, to_ms
from storage.upgrade import MIGRATIONS
from tests.storage.stage import Stage


def definitions(connection: sqlite3.Connection) -> dict[str, tuple[str, frozenset[str], str]]:
    """Every table and index as SQLite keeps it: its head, its parts whatever their order, and its options."""
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: _taken_apart(sql) for name, sql in found if name not in ("alembic_version", "sqlite_sequence")}


def _taken_apart(sql: str) -> tuple[str, frozenset[str], str]:
    plain = re.sub(r'["\s]+', " ", sql)
    start, end = plain.index("("), plain.rindex(")")
    parts = re.split(r",(?![^(]*\))", plain[start + 1 : end])
    return plain[:start].strip(), frozenset(part.strip() for part in parts), plain[end + 1 :].replace(" ", "")


def test_migrations_lead_to_what_is_declared(stage: Stage, tmp_path: Path) -> None:
    declared = create_engine(f"sqlite:///{tmp_path}/declared.db")
    metadata.create_all(declared)
    declared.dispose()
    one, other = sqlite3.connect(tmp_path / "declared.db"), sqlite3.connect(stage.path)
    assert definitions(other) == definitions(one)
    one.close()
    other.close()


def test_there_is_nothing_left_to_migrate(stage: Stage) -> None:
    with stage.store.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_the_list_of_versions_is_the_chain_of_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == REVISIONS
    assert scripts.get_heads() == [HEAD]


def test_every_table_is_strict() -> None:
    assert all(table.dialect_options["sqlite"]["strict"] for table in metadata.tables.values())


def test_a_text_where_a_number_belongs_is_refused_by_the_database(stage: Stage) -> None:
    usage = metadata.tables["usage"]
    row = {"market": "vast", "day": "2026-12-01", "requests": "many", "rows": 0, "reserved": 0}
    with pytest.raises(IntegrityError), stage.store.write() as connection:
        connection.execute(insert(usage).values(**row))
    with pytest.raises(IntegrityError), stage.store.write() as connection:
        connection.execute(insert(usage).values(**{**row, "requests": -1}))
    with stage.store.read() as connection:
        assert connection.execute(select(usage)).all() == []


@given(
    moment=st.datetimes(
        min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
        max_value=datetime(2200, 1, 1),  # noqa: DTZ001 - the same
        timezones=st.integers(-720, 840).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    )
)
def test_a_moment_of_any_zone_comes_back_as_the_same_moment_in_utc(moment: datetime) -> None:
    back = from_ms(to_ms(moment))
    assert back.tzinfo is UTC
    assert timedelta(0) <= moment - back < timedelta(milliseconds=1)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="names no zone"):
        to_ms(datetime(2027, 1, 10, 9, 0))  # noqa: DTZ001 - the point


def test_the_libraries_are_of_the_generation_this_was_written_for() -> None:
    assert tuple(map(int, sqlmodel_version.split(".")))[:2] == (0, 0)
    assert sqlalchemy.__version__.startswith("2.1.")

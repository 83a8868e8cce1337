"""The page on metrics names what there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bot.metrics.families import families
from bot.metrics.reading import Reading
from bot.metrics.tallies import ON_THEIR_WAY, OUTCOMES, RULE_STATES
from storage.tables.delivery import OutboxRow
from storage.tables.people import WatchRow
from tests.storage.stage import START

PAGE = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")


def names() -> Iterator[str]:
    """As they are told to Prometheus."""
    suffixes = {"counter": "_total", "info": "_info"}
    yield from (family.name + suffixes.get(family.type, "") for family in families(Reading(at=START)))


def test_the_page_names_every_metric_and_no_other() -> None:
    assert re.findall(r"^\| `(atalaia_\w+)` \|", PAGE, re.MULTILINE) == list(names())


def test_every_metric_in_an_example_exists() -> None:
    parts = {name + part for name in names() for part in ("", "_bucket")}
    used = re.findall(r"^        expr: .*?(atalaia_\w+)", PAGE, re.MULTILINE)
    assert len(used) >= 3
    assert set(used) <= parts


def test_the_states_that_the_page_names_are_those_that_can_be() -> None:
    for words in (ON_THEIR_WAY, RULE_STATES, OUTCOMES):
        assert ", ".join(f"`{word}`" for word in words) in PAGE
    assert set(ON_THEIR_WAY) | set(OUTCOMES) == allowed(OutboxRow, "state")
    assert set(RULE_STATES) == allowed(WatchRow, "state")


def allowed(table: type[OutboxRow] | type[WatchRow], column: str) -> set[str]:
    """The values that the table's own check lets into a column."""
    (check,) = [str(each) for each in map(sqltext, table.__table_args__) if each.startswith(f"{column} IN")]
    return set(re.findall(r"'(\w+)'", check))


def sqltext(constraint: object) -> str:
    """What a check says; empty for anything else."""
    return str(getattr(constraint, "sqltext", ""))

"""The past told again: as answers to try a rule on, and as tables for other tools."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.snapshot import Snapshot
from storage.export import EXPORTS, export
from storage.replay import replay
from storage.watches import Watches
from tests.storage.stage import CENSUS, PROBE, SECURE, START, Decided, Stage, alert, runpod, vast
from tests.storage.test_laws import answers, staged

CARD = frozenset({"RTX 4090"})


def played(stage: Stage, cards: frozenset[str] | None = CARD, **more: Any) -> list[Snapshot]:
    return list(replay(stage.store, **{"cards": cards, "start": START, "end": stage.now, **more}))


def test_each_good_answer_comes_back_with_what_it_showed(stage: Stage) -> None:
    stage.scan(vast(1), vast(2, price=0.50))
    stage.fail()
    stage.scan(vast(1), coverage=PROBE)
    stage.scan(vast(2, price=0.45), complete=False)
    told = played(stage)
    shown = [(each.coverage, each.complete, {offer.key: offer.price for offer in each.offers}) for each in told]
    assert shown == [
        (CENSUS, True, {"vast:1:1": 350_000, "vast:2:1": 500_000}),
        (PROBE, True, {"vast:1:1": 350_000}),
        (CENSUS, False, {"vast:1:1": 350_000, "vast:2:1": 450_000}),
    ]
    assert [each.taken_at for each in told] == [START + timedelta(seconds=s) for s in (0, 120, 180)]


def test_only_the_cards_markets_and_times_asked_for_come_back(stage: Stage) -> None:
    stage.scan(vast(), wait=0)
    stage.scan(runpod(), coverage=SECURE)
    stage.scan(vast(), wait=0)
    assert {each.market for each in played(stage)} == {"vast", "runpod"}
    assert [each.market for each in played(stage, market="runpod")] == ["runpod"]
    assert [each.market for each in played(stage, cards=frozenset({"L4"}))] == ["runpod"]
    assert len(played(stage, start=stage.now)) == 1
    assert len(played(stage, cards=None)) == 3


@settings(max_examples=20, deadline=None)
@given(history=st.lists(answers, max_size=8))
def test_a_census_comes_back_as_it_was(blank: Path, history: list[list[Any]]) -> None:
    with staged(blank) as stage:
        coverage = replace(CENSUS, verified_only=False)
        for shown in history:
            stage.scan(*shown, coverage=coverage)
        told = played(stage)
    assert [{(o.key, o.price, o.tier) for o in each.offers} for each in told] == [
        {(o.key, o.price, o.tier) for o in shown} for shown in history
    ]


@pytest.mark.parametrize("table", EXPORTS)
def test_every_export_has_columns_and_rows(stage: Stage, table: str) -> None:
    watch = Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=START)
    stage.scan(vast(), decide=lambda _: Decided(alerts=(alert(vast(), watch_ids=[watch.id]),)))
    stage.scan(vast(price=0.30))
    columns, rows = export(stage.store, table)
    (first, *_) = rows
    assert len(columns) == len(first) == len(set(columns))


def test_an_export_is_in_dollars_and_utc(stage: Stage) -> None:
    stage.scan(vast(555, 2, price=0.35))
    stage.scan()
    columns, rows = export(stage.store, "spans")
    (row,) = [dict(zip(columns, values, strict=True)) for values in rows]
    assert (row["usd_per_hour"], row["usd_per_gpu_hour"]) == (0.7, 0.35)
    assert (row["start"], row["end"]) == ("2026-12-01T12:00:00Z", "2026-12-01T12:01:00Z")


def test_an_unknown_export_is_refused(stage: Stage) -> None:
    with pytest.raises(KeyError):
        export(stage.store, "secrets")

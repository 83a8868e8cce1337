"""What is too old goes; what is open, queued or needed to understand the rest stays."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.history import history
from storage.offers import current
from storage.retention import Retention
from storage.watches import Watches
from tests.storage.stage import START, Decided, Stage, alert, vast

DAY = 86_400.0


@pytest.fixture
def retention(stage: Stage) -> Retention:
    return Retention(stage.store, raw_days=90)


def everything(retention: Retention, stage: Stage) -> int:
    """All bites at once."""
    total = 0
    while bite := retention.bite(stage.now):
        total += bite
    return total


def test_old_spans_prices_and_heartbeats_go_and_recent_ones_stay(stage: Stage, retention: Retention) -> None:
    for day in range(120):
        stage.scan(*([vast(price=0.30 + day % 3 / 100)]), wait=DAY)
    assert everything(retention, stage) > 0
    oldest = round((stage.now - timedelta(days=90)).timestamp())
    assert stage.rows("SELECT min(t1) >= ? FROM span", oldest) == [(1,)]
    assert stage.rows("SELECT min(at) >= ? FROM scan", oldest * 1000) == [(1,)]
    assert stage.rows("SELECT count(*) FROM span") == [(90,)]
    assert retention.bite(stage.now) == 0
    told = history(
        stage.store,
        cards=frozenset({"RTX 4090"}),
        start=stage.now - timedelta(days=80),
        end=stage.now,
        gap_s={},
        contact_s=DAY,
        tier="community",
    )
    assert told.available_share == 1.0


def test_the_price_that_held_at_the_edge_is_kept(stage: Stage, retention: Retention) -> None:
    stage.scan(vast(), wait=50 * DAY)
    stage.scan(vast(price=0.30), wait=100 * DAY)
    stage.scan(vast(price=0.30))
    everything(retention, stage)
    assert stage.rows("SELECT price FROM floor WHERE terms = 0 AND class = 0") == [(300_000,)]


def test_the_recorder_goes_on_after_old_queries_are_forgotten(stage: Stage, retention: Retention) -> None:
    stage.scan(wait=100 * DAY)
    everything(retention, stage)
    assert stage.rows("SELECT count(*) FROM coverage") == [(0,)]
    stage.scan(vast())
    assert len(current(stage.store)) == 1


def test_alerts_on_their_way_stay_however_old(stage: Stage, retention: Retention) -> None:
    watch = Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=START)
    told = alert(vast(), watch_ids=[watch.id])
    stage.scan(vast(), wait=200 * DAY, decide=lambda _: Decided(alerts=(told,)))
    everything(retention, stage)
    assert stage.rows("SELECT state FROM outbox") == [("queued",)]


def test_an_offer_nobody_saw_for_a_day_is_closed_when_it_was_last_seen(stage: Stage, retention: Retention) -> None:
    stage.scan(vast(1), vast(2), wait=600)
    stage.scan(vast(1), vast(2), wait=DAY / 2)
    assert retention.close_unseen(stage.now) == 0
    stage.wait(DAY)
    assert retention.close_unseen(stage.now) == 2
    assert current(stage.store) == []
    assert stage.rows("SELECT DISTINCT dur FROM span") == [(600,)]
    assert stage.rows("SELECT price FROM floor WHERE terms = 0 AND class = 0 ORDER BY at DESC LIMIT 1") == [(None,)]
    recorded = stage.scan(vast(1))
    assert [offer.machine for offer in recorded.changes.appeared] == ["1"]


def test_descriptions_that_nothing_names_are_forgotten(stage: Stage, retention: Retention) -> None:
    stage.scan(vast(1), vast(2), vast(3))
    stage.scan(vast(2), vast(3), wait=100 * DAY)
    stage.scan(vast(3))
    everything(retention, stage)
    assert retention.drop_unused(stage.now) == 1
    assert stage.rows("SELECT machine FROM offer ORDER BY machine") == [("2",), ("3",)]
    stage.scan(vast(1), vast(3))
    assert len(current(stage.store)) == 2
    assert stage.rows("PRAGMA foreign_key_check") == []

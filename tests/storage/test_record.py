"""Recording answers: what opens, changes, closes, and what stays unknown."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from storage.heartbeat import freshness
from storage.offers import current
from storage.record import Recording
from storage.times import to_s
from storage.watches import Watches
from tests.storage.stage import CENSUS, PROBE, SECURE, START, Decided, Stage, alert, episode, runpod, vast

SPANS = "SELECT t1 - dur, t1, price FROM span ORDER BY t1"


def test_an_offer_comes_back_as_it_was_stored(stage: Stage) -> None:
    offers = (vast(1, 4, verified=None, reliability_ppm=None, place="São Paulo, BR"), vast(2))
    stage.scan(*offers)
    stage.scan(runpod(), coverage=SECURE)
    stage.reopen()
    assert {row.offer for row in current(stage.store)} == {*offers, runpod()}


def test_a_price_change_closes_one_span_and_opens_another(stage: Stage) -> None:
    stage.scan(vast(price=0.35))
    stage.scan(vast(price=0.30))
    recorded = stage.scan()
    assert [offer.key for offer in recorded.changes.gone] == ["vast:555:1"]
    start = to_s(START)
    assert stage.rows(SPANS) == [(start, start + 60, 350_000), (start + 60, start + 120, 300_000)]
    assert current(stage.store) == []


def test_a_new_ask_id_at_each_scan_is_one_span(stage: Stage) -> None:
    for ask in ("1001", "1002", "1003", "1004"):
        stage.scan(vast(offer_id=ask))
    (row,) = current(stage.store)
    assert (row.offer.offer_id, row.since) == ("1004", START)
    stage.scan()
    assert stage.rows(SPANS) == [(to_s(START), to_s(START) + 240, 350_000)]


def test_reliability_that_drifts_inside_its_class_opens_no_span(stage: Stage) -> None:
    stage.scan(vast(reliability_ppm=991_000))
    stage.scan(vast(reliability_ppm=990_500))
    stage.scan(vast(reliability_ppm=940_000))
    assert [row[:2] for row in stage.rows("SELECT dur, rel_bp FROM span")] == [(120, 9905)]


def test_reliability_just_above_the_class_stays_above_it_in_history(stage: Stage) -> None:
    stage.scan(vast(reliability_ppm=950_001))
    stage.scan()
    assert stage.rows("SELECT rel_bp FROM span") == [(9501,)]


def test_a_failed_or_cut_answer_closes_nothing(stage: Stage) -> None:
    stage.scan(vast())
    stage.fail()
    stage.scan(complete=False)
    assert [row.offer for row in current(stage.store)] == [vast()]
    assert stage.rows(SPANS) == []


def test_an_absence_under_a_ceiling_closes_nothing_and_is_doubtful(stage: Stage) -> None:
    stage.scan(vast())
    recorded = stage.scan(coverage=PROBE)
    assert [offer.key for offer in recorded.changes.doubtful] == ["vast:555:1"]
    assert len(current(stage.store)) == 1


def test_a_machine_that_changes_its_tier_keeps_its_stay_in_another_line_of_history(stage: Stage) -> None:
    stage.scan(vast())
    stage.scan(vast(tier="datacenter"))
    (row,) = current(stage.store)
    assert (row.offer.tier, row.since) == ("datacenter", START)
    assert stage.rows("SELECT m.tier, s.dur FROM span s JOIN market m USING (market_id)") == [("community", 60)]
    stage.scan(vast())
    stage.scan()
    tiers = stage.rows("SELECT m.tier, s.dur FROM span s JOIN market m USING (market_id) ORDER BY t1")
    assert tiers == [("community", 60), ("datacenter", 60), ("community", 60)]


def test_a_machine_that_returns_keeps_its_row_and_its_newest_description(stage: Stage) -> None:
    stage.scan(vast())
    stage.scan()
    stage.scan(vast(place="Porto, PT"))
    assert stage.rows("SELECT count(*) FROM offer") == [(1,)]
    (row,) = current(stage.store)
    assert (row.offer.place, row.since) == ("Porto, PT", START + timedelta(seconds=120))


def test_no_span_is_longer_than_a_week(stage: Stage) -> None:
    stage.scan(vast(), wait=20 * 86_400)
    stage.scan()
    days = [(dur / 86_400, t1) for dur, t1 in stage.rows("SELECT dur, t1 FROM span ORDER BY t1")]
    assert [dur for dur, _ in days] == [7, 7, 6]
    assert days[-1][1] == to_s(START) + 20 * 86_400


# -- last seen ----------------------------------------------------------------------------------------------------


def test_every_offer_was_last_seen_when_its_query_last_showed_it(stage: Stage) -> None:
    stage.scan(vast(1), vast(2, price=0.50))
    stage.scan(vast(1), coverage=PROBE)
    stage.scan(vast(1), coverage=PROBE)
    seen = {row.offer.machine: (row.seen_at - START).total_seconds() for row in current(stage.store)}
    assert seen == {"1": 120, "2": 0}


def test_an_offer_its_query_no_longer_shows_keeps_the_time_it_was_last_shown(stage: Stage) -> None:
    stage.scan(vast(), coverage=PROBE)
    stage.scan(vast(), coverage=PROBE)
    for _ in range(3):
        stage.scan(coverage=PROBE)
    stage.reopen()
    (row,) = current(stage.store)
    assert (row.seen_at - START).total_seconds() == 60


def test_a_scan_that_shows_the_same_writes_no_offer(stage: Stage) -> None:
    offers = [vast(machine) for machine in range(50)]
    stage.scan(*offers)
    stage.scan(*offers)
    assert stage.rows("SELECT count(*) FROM scan") == [(2,)]
    assert stage.rows("SELECT DISTINCT coverage_id IS NULL, seen_at FROM cur") == [(0, None)]


# -- the decision -------------------------------------------------------------------------------------------------


def test_the_decision_sees_the_state_after_the_answer(stage: Stage) -> None:
    seen: list[Any] = []

    def decide(recording: Recording) -> Decided:
        seen.append(
            (
                sorted(recording.known),
                recording.since("vast:2:1"),
                recording.seen_at("vast:2:1"),
                [offer.key for offer in recording.changes.appeared],
                [offer.key for offer in recording.changes.gone],
            )
        )
        return Decided()

    stage.scan(vast(1))
    stage.scan(vast(2), decide=decide)
    at = START + timedelta(seconds=60)
    assert seen == [(["vast:2:1"], at, at, ["vast:2:1"], ["vast:1:1"])]


def test_when_the_decision_fails_nothing_of_the_answer_is_kept(stage: Stage) -> None:
    def fail(_: Recording) -> Decided:
        raise ArithmeticError("a fault in a rule")

    stage.scan(vast(1))
    with pytest.raises(ArithmeticError):
        stage.scan(vast(2), decide=fail, wait=0)
    assert [row.offer.machine for row in current(stage.store)] == ["1"]
    recorded = stage.scan(vast(2))
    assert [offer.machine for offer in recorded.changes.appeared] == ["2"]
    assert [offer.machine for offer in recorded.changes.gone] == ["1"]


def test_the_same_alert_is_queued_once_whatever_is_decided_again(stage: Stage) -> None:
    watch = Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=stage.now)
    told = alert(vast(), watch_ids=[watch.id])
    first = stage.scan(vast(), decide=lambda _: Decided(alerts=(told,)))
    again = stage.scan(vast(), decide=lambda _: Decided(alerts=(told,)))
    assert (len(first.queued), again.queued) == (1, ())


def test_nothing_is_decided_about_a_watch_that_was_deleted_meanwhile(stage: Stage) -> None:
    told = alert(vast(), watch_ids=[77])
    recorded = stage.scan(vast(), decide=lambda _: Decided(alerts=(told,), episodes=(episode(77, "vast:555:1"),)))
    assert recorded.queued == ()
    assert stage.rows("SELECT count(*) FROM episode") == [(0,)]


# -- what no offer may hold -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spoilt",
    [
        {"price": "abc"},
        {"price": 0},
        {"price": 2**64},
        {"price": 0.35},
        {"reliability_ppm": 97_000_000},
        {"ends_at": "not a date"},
        {"tier": "gold"},
        {"stock": "plenty"},
        {"gpu_count": 0},
        {"verified": "yes"},
        {"place": b"bytes"},
        {"gpu_ids": (object(),)},
        {"data_centers": "EU-RO-1"},
        {"place": "\ud800"},
        {"disk_gb": True},
        {"storage_price": -1},
        {"gpu_ids": (-1,)},
        {"gpu_ids": (2**63,)},
        {"data_centers": (1,)},
        {"key": ""},
        {"ram_gb": 1.5},
    ],
)
def test_an_unsound_offer_is_left_out_alone(stage: Stage, spoilt: dict[str, Any]) -> None:
    recorded = stage.scan(vast(1), vast(2)._replace(**spoilt), vast(3))
    assert recorded.unsound == 1
    assert sorted(row.offer.machine for row in current(stage.store)) == ["1", "3"]


def test_a_key_told_twice_is_the_cheapest_ask_of_it(stage: Stage) -> None:
    stage.scan(vast(price=0.40, gpu_ids=(1,)), vast(price=0.30, gpu_ids=(2,)))
    (row,) = current(stage.store)
    assert (row.offer.price, row.offer.gpu_ids) == (300_000, (1, 2))


def test_an_unsound_answer_about_an_open_offer_does_not_close_it(stage: Stage) -> None:
    stage.scan(vast(1), vast(2))
    recorded = stage.scan(vast(1), vast(2)._replace(price=-5))
    assert (recorded.unsound, recorded.changes.gone) == (1, ())
    assert stage.recorder._mirror.book.asked[CENSUS.to_text()].members == {"vast:1:1"}
    assert {row.offer.machine: row.offer.price for row in current(stage.store)} == {"1": 350_000, "2": 350_000}


# -- time -----------------------------------------------------------------------------------------------------------


def test_an_answer_overtaken_by_a_newer_one_undoes_nothing(stage: Stage) -> None:
    stage.scan(vast(1), wait=10)
    stage.scan(vast(1), vast(2), wait=-2)
    recorded = stage.scan(vast(1, price=0.99), vast(3))
    assert (recorded.changes.gone, recorded.changes.changed) == ((), ())
    assert {row.offer.machine for row in current(stage.store)} == {"1", "2", "3"}
    assert stage.recorder._mirror.book.asked[CENSUS.to_text()].members == {"vast:3:1"}
    prices = {row.offer.machine: row.offer.price for row in current(stage.store)}
    assert prices == {"1": 350_000, "2": 350_000, "3": 350_000}


def test_a_clock_that_is_set_back_shortens_spans_and_overlaps_none(stage: Stage) -> None:
    stage.scan(vast(1), wait=600)
    stage.scan(wait=-3600)
    stage.scan(vast(1, price=0.30))
    stage.scan(vast(1, price=0.20))
    stage.scan(wait=7200)
    stage.scan(vast(1))
    stage.scan()
    spans = stage.rows("SELECT t1 - dur, t1 FROM span ORDER BY t1")
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert spans[0] == (to_s(START), to_s(START) + 600)


def test_a_naive_moment_is_refused(stage: Stage) -> None:
    stage.now = START.replace(tzinfo=None)
    with pytest.raises(ValueError, match="names no zone"):
        stage.scan(vast())


# -- how a market is doing --------------------------------------------------------------------------------------------


def test_failures_are_counted_until_the_next_good_answer(stage: Stage) -> None:
    stage.scan(vast())
    stage.fail()
    stage.fail(error="HTTP 500")
    state = freshness(stage.store)["vast"]
    assert (state.failures_in_a_row, state.error, state.last_ok_at) == (2, "HTTP 500", START)
    stage.scan(complete=False)
    state = freshness(stage.store)["vast"]
    assert (state.failures_in_a_row, state.error) == (0, None)
    assert (state.last_ok_at, state.last_complete_at) == (START + timedelta(seconds=180), START)


def test_a_market_never_asked_has_no_state(stage: Stage) -> None:
    assert freshness(stage.store) == {}


def test_another_recorder_on_the_file_is_noticed(stage: Stage) -> None:
    other = Stage(stage.path)
    stage.scan(vast(1))
    other.now = stage.now
    assert [offer.key for offer in other.scan(vast(1), vast(2)).changes.appeared] == ["vast:2:1"]
    other.store.close()
    stage.wait()
    assert [offer.key for offer in stage.scan(vast(1)).changes.gone] == ["vast:2:1"]

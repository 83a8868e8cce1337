"""History: what is told of the past, and what is admitted to be unknown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from market.coverage import Coverage
from market.money import micro
from storage.history import History, history
from storage.offers import seen_cards
from tests.storage.stage import BOTH, CENSUS, PROBE, SECURE, START, Stage, runpod, vast

CARD = frozenset({"RTX 4090"})


def past(stage: Stage, *, gap_s: float = 60, cards: frozenset[str] = CARD, **options: Any) -> History:
    """The history from the start until now."""
    return history(
        stage.store,
        **{
            "cards": cards,
            "start": START,
            "end": stage.now,
            "gap_s": {},
            "contact_s": gap_s,
            "step_s": 60,
            **options,
        },
    )


def seconds(stretches: tuple[tuple[datetime, datetime], ...]) -> list[tuple[float, float]]:
    return [((one - START).total_seconds(), (other - START).total_seconds()) for one, other in stretches]


def test_four_slices_of_one_machine_are_its_eight_gpus_and_four_offers(stage: Stage) -> None:
    for _ in range(3):
        stage.scan(*(vast(555, count) for count in (1, 2, 4, 8)))
    told = past(stage)
    point = next(point for point in told.series if point.terms == "on_demand")
    assert (point.gpus, point.offers, point.best, point.median) == (8, 4, 350_000, 350_000)


def test_a_machine_whose_gpus_are_not_listed_counts_as_its_largest_slice(stage: Stage) -> None:
    stage.scan(*(vast(555, count, gpu_ids=()) for count in (1, 2, 4)), vast(556, 2, gpu_ids=(4, 5)))
    stage.scan()
    assert max(point.gpus or 0 for point in past(stage, end=START + timedelta(seconds=30)).series) == 6


def test_every_other_answer_is_half_the_time(stage: Stage) -> None:
    for index in range(24):
        stage.scan(*([vast()] if index % 2 == 0 else []), wait=300)
    told = past(stage, gap_s=300)
    assert (told.samples, told.available_share, told.gaps) == (24, 0.5, ())


def test_failed_answers_are_a_gap_and_not_an_absence(stage: Stage) -> None:
    stage.scan(vast())
    stage.fail()
    stage.fail(error="HTTP 500")
    stage.scan(vast())
    told = past(stage)
    assert told.available_share == 1.0
    assert seconds(told.gaps) == [(60, 180)]
    assert seconds(told.known) == [(0, 60), (180, 240)]
    assert told.samples == 2


def test_an_answer_holds_for_two_gaps_at_most(stage: Stage) -> None:
    stage.scan(vast(), wait=3600)
    stage.scan(wait=60)
    told = past(stage)
    assert seconds(told.known) == [(0, 120), (3600, 3660)]
    assert told.available_share == pytest.approx(120 / 180)


def test_time_before_the_first_answer_is_unknown(stage: Stage) -> None:
    stage.wait(600)
    stage.scan(vast())
    assert seconds(past(stage).gaps) == [(0, 600)]


def test_an_answer_from_before_the_stretch_still_holds_in_it(stage: Stage) -> None:
    stage.scan(vast(), wait=100)
    told = past(stage, start=START + timedelta(seconds=50))
    assert (seconds(told.known), told.available_share, told.samples) == ([(50, 100)], 1.0, 0)


def test_nothing_known_is_no_share_and_no_points(stage: Stage) -> None:
    stage.wait()
    told = past(stage)
    assert (told.available_share, told.series, told.samples, seconds(told.gaps)) == (None, (), 0, [(0, 60)])


def test_none_on_offer_is_known_and_told_as_such(stage: Stage) -> None:
    stage.scan(wait=60)
    told = past(stage)
    assert (told.available_share, told.gaps) == (0.0, ())
    assert {(point.best, point.median, point.gpus, point.offers) for point in told.series} == {(None, None, 0, 0)}


def test_a_probe_under_a_ceiling_proves_presence_and_never_absence(stage: Stage) -> None:
    for offers in ([vast()], [vast()], [], []):
        stage.scan(*offers, coverage=PROBE)
    told = past(stage, end=START + timedelta(seconds=120))
    assert (told.available_share, seconds(told.known)) == (1.0, [(0, 120)])
    stage.now = START + timedelta(seconds=240)
    assert 0.0 < (past(stage).available_share or 0.0) <= 1.0


def test_an_offer_that_a_probe_would_not_show_is_not_proved_by_it(stage: Stage) -> None:
    stage.scan(vast(price=0.99), wait=60)
    stage.fail(wait=60)
    for _ in range(3):
        stage.scan(coverage=PROBE)
    assert seconds(past(stage).known) == [(0, 60)]


def test_a_cut_answer_proves_what_it_shows_only(stage: Stage) -> None:
    stage.scan(vast(), complete=False)
    stage.scan(complete=False)
    told = past(stage, end=START + timedelta(seconds=60))
    assert (told.available_share, seconds(told.known)) == (1.0, [(0, 60)])
    other = past(stage, cards=frozenset({"H100 SXM"}))
    assert (other.available_share, other.known) == (None, ())


def test_one_market_in_the_dark_leaves_absence_unknown_but_not_presence(stage: Stage) -> None:
    stage.scan(wait=0)
    stage.scan(coverage=SECURE, wait=60)
    stage.scan(wait=0)
    stage.fail(coverage=SECURE, wait=60)
    stage.scan(vast(), wait=0)
    stage.fail(coverage=SECURE, wait=60)
    told = past(stage)
    assert seconds(told.known) == [(0, 60), (120, 180)]
    assert seconds(told.available) == [(120, 180)]


def test_a_market_that_was_switched_on_later_does_not_make_the_time_before_unknown(stage: Stage) -> None:
    for _ in range(3):
        stage.scan()
    stage.scan(coverage=SECURE, wait=0)
    stage.scan()
    assert past(stage).gaps == ()


def test_a_card_that_was_never_on_offer_is_known_from_a_scan_of_everything(stage: Stage) -> None:
    stage.scan(vast(), coverage=Coverage(market="vast", tiers=BOTH))
    told = past(stage, cards=frozenset({"H100 SXM"}))
    assert (told.available_share, told.gaps) == (0.0, ())


def test_money_comes_out_exact(stage: Stage) -> None:
    stage.scan(vast(1, price=0.35), vast(2, price=0.35), vast(3, price=0.36))
    point = past(stage).series[0]
    assert (point.best, point.median) == (350_000, 350_000)
    third = micro(0.1) + micro(0.2)
    stage.scan(vast(4)._replace(price=third))
    assert stage.rows("SELECT count(*) FROM cur WHERE price <= 300000") == [(1,)]


def test_runpod_tells_a_level_and_no_number_of_gpus(stage: Stage) -> None:
    stage.scan(runpod(), coverage=SECURE)
    stage.scan(runpod(stock="low"), coverage=SECURE)
    stage.scan(coverage=SECURE)
    points = past(stage).series
    assert [(point.stock, point.offers) for point in points] == [("low", 1), (None, 0), (None, 0)]
    assert {point.gpus for point in points} == {None}


def test_sizes_of_one_pod_type_are_one_thing_on_offer(stage: Stage) -> None:
    other = runpod(key="runpod:NVIDIA GeForce RTX 4090 D:secure:1", machine="NVIDIA GeForce RTX 4090 D")
    sizes = replace(SECURE, counts=(1, 4))
    stage.scan(*(runpod(count=count) for count in (1, 2, 3, 4)), coverage=sizes)
    stage.scan(runpod(), runpod(count=2), other, coverage=sizes)
    stage.scan(coverage=sizes)
    assert [point.offers for point in past(stage, end=START + timedelta(seconds=120)).series] == [2, 2]
    assert [point.offers for point in past(stage, end=START + timedelta(seconds=59)).series] == [1]


def test_interruptible_prices_have_a_line_of_their_own(stage: Stage) -> None:
    offer = vast(interruptible_price=100_000, storage_price=720_000)
    stage.scan(offer)
    stage.scan(offer._replace(interruptible_price=90_000))
    prices = [point.best for point in past(stage).series if point.terms == "interruptible"]
    assert prices == [98_000, 98_000]
    assert {point.median for point in past(stage).series if point.terms == "interruptible"} == {None}


def test_unverified_hosts_are_nobodys_price(stage: Stage) -> None:
    wide = replace(CENSUS, verified_only=False)
    stage.scan(vast(1, price=0.10, verified=False), vast(2, price=0.40), coverage=wide)
    stage.scan(vast(1, price=0.10, verified=False), coverage=wide)
    told = past(stage)
    assert told.available_share == 0.5
    assert {point.best for point in told.series if point.terms == "on_demand"} == {None}


def test_market_tier_and_memory_narrow_the_question(stage: Stage) -> None:
    stage.scan(vast(1), vast(2, tier="datacenter", price=0.50), vast(3, vram_gb=48, price=0.20), wait=0)
    stage.scan(runpod(), coverage=SECURE)
    assert {(p.market, p.tier) for p in past(stage).series} == {
        ("vast", "community"),
        ("vast", "datacenter"),
        ("runpod", "secure"),
    }
    assert {p.best for p in past(stage, tier="datacenter").series if p.terms == "on_demand"} == {500_000}
    assert {p.market for p in past(stage, market="runpod").series} == {"runpod"}
    vast_24 = past(stage, market="vast", tier="community", vram_gb=24).series
    assert {p.best for p in vast_24 if p.terms == "on_demand"} == {350_000}


def test_a_family_is_told_together(stage: Stage) -> None:
    both = replace(CENSUS, cards=frozenset({"H100 SXM", "H100 PCIe"}))
    stage.scan(vast(1, gpu="H100 SXM", price=2.0), vast(2, gpu="H100 PCIe", price=1.5), coverage=both)
    told = past(stage, cards=frozenset({"H100 SXM", "H100 PCIe"}))
    assert {(p.best, p.offers) for p in told.series if p.terms == "on_demand" and p.offers} == {(1_500_000, 2)}
    assert seen_cards(stage.store) == {"H100 SXM", "H100 PCIe"}


def test_points_stand_at_regular_moments_and_are_never_many(stage: Stage) -> None:
    for _ in range(30):
        stage.scan(vast(), wait=1800)
    told = past(stage, gap_s=1800, start=stage.now - timedelta(days=7), step_s=None)
    moments = sorted({point.at for point in told.series})
    assert moments[-1] >= stage.now - timedelta(seconds=1)
    assert len(moments) <= 200
    assert all(other - one >= timedelta(minutes=5) for one, other in pairwise(moments[:-1]))


def test_a_moment_without_knowledge_is_told_as_the_last_known_one_before_it(stage: Stage) -> None:
    stage.scan(vast(), wait=30)
    stage.fail(wait=7200)
    told = past(stage, step_s=None)
    assert {round((point.at - START).total_seconds(), 1) for point in told.series} == {30.0}


def test_a_price_span_of_weeks_is_found_in_the_middle(stage: Stage) -> None:
    stage.scan(vast(), wait=18 * 86_400)
    stage.scan(vast(price=0.30), wait=86_400)
    middle = START + timedelta(days=9)
    with stage.store.write() as connection:  # somebody was watching then
        connection.exec_driver_sql("INSERT INTO scan VALUES (1, ?, 0, 1, 1, NULL)", (round(middle.timestamp() * 1000),))
    told = past(stage, start=middle, end=middle + timedelta(seconds=60), tier="community")
    assert [p.best for p in told.series if p.terms == "on_demand"] == [350_000]


def test_moments_in_another_zone_are_the_same_moments(stage: Stage) -> None:
    stage.scan(vast(), wait=60)
    there = ZoneInfo("America/Sao_Paulo")
    assert past(stage, start=START.astimezone(there), end=stage.now.astimezone(there)).series == past(stage).series
    with pytest.raises(ValueError, match="names no zone"):
        past(stage, start=START.replace(tzinfo=None))
    assert past(stage).series[0].at.tzinfo is UTC

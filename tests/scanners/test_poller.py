"""The poll cycle: what is asked next, how long is waited, and that no limit is ever broken."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scanners.agenda import Agenda
from tests.scanners.polling import START, Bench, coverage, offer


async def test_every_rules_query_has_its_turn_at_the_pace_of_the_request_limit() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"), coverage("B")))
    assert [await bench.turn() for _ in range(4)] == [6.0] * 4
    assert [next(iter(each.cards or ())) for each in bench.market.asked] == ["A", "B", "A", "B"]


async def test_with_no_rules_one_cheap_query_keeps_freshness_honest() -> None:
    bench = Bench()
    await bench.until(1500)
    assert len(bench.market.asked) == 5
    assert {next(iter(each.cards or ())) for each in bench.market.asked} == {"HEARTBEAT"}


async def test_a_query_that_a_new_rule_waits_for_goes_first() -> None:
    bench = Bench()
    urgent = coverage("NEW")
    bench.agenda = Agenda(probes=(coverage("OLD"), urgent), urgent=(urgent,), censuses=(coverage("CENSUS"),))
    await bench.turn()
    assert bench.market.asked == [urgent]


async def test_a_census_never_takes_a_probes_turn_twice_in_a_row() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),), censuses=(coverage("C1"), coverage("C2")))
    for _ in range(5):
        await bench.turn()
    assert [next(iter(each.cards or ())) for each in bench.market.asked] == ["C1", "A", "C2", "A", "A"]


async def test_an_offer_in_doubt_is_asked_for_by_machine_and_then_at_most_each_minute() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),), doubtful=(offer("555"),))
    await bench.until(120)
    confirms = [each for each in bench.market.asked if each.machines == frozenset({"555"})]
    assert len(confirms) == 2


async def test_the_days_rows_are_never_exceeded_and_the_wait_lasts_until_the_reset() -> None:
    bench = Bench(rows_per_day=1000)
    bench.market.rows = 400
    spent = 0
    while bench.ledger.rows_left > 0:
        before = bench.ledger.rows_left
        # every query is another one, so that none is known to be costly
        bench.agenda = Agenda(probes=(coverage(str(len(bench.market.asked))),))
        await bench.poller.turn()
        spent += before - bench.ledger.rows_left
    assert spent == 1000
    assert bench.market.row_limits[-1] == 200
    bench.agenda = Agenda(probes=(coverage("one more"),))
    midnight = datetime(2027, 1, 11, tzinfo=UTC)
    assert await bench.poller.turn() == pytest.approx((midnight - START).total_seconds())


async def test_costly_answers_stretch_the_pace_so_that_the_rows_last() -> None:
    bench = Bench(rows_per_day=20_000)
    bench.market.rows = 100
    bench.agenda = Agenda(probes=(coverage("A"),))
    await bench.until(12 * 3600 - 1)
    assert 0 < bench.ledger.rows_left < 4_000
    assert bench.poller.pace.reason.startswith("stretched")


async def test_a_probe_that_costs_nothing_keeps_its_pace_beside_one_that_costs_much() -> None:
    bench = Bench(rows_per_day=20_000)
    dear, free = coverage("PLENTY"), coverage("SCARCE")
    bench.market.rows_of = {"PLENTY": 100}
    bench.agenda = Agenda(probes=(dear, free))
    await bench.until(3600)
    asked = [next(iter(each.cards or ())) for each in bench.market.asked]
    assert asked.count("SCARCE") > 500
    assert 10 < asked.count("PLENTY") < 30


async def test_a_new_rules_queries_do_not_wait_for_the_days_rows_to_be_stretched() -> None:
    bench = Bench(rows_per_day=20_000)
    bench.market.rows = 200
    probes = tuple(coverage(f"NEW {number}") for number in range(5))
    waiting = {probe.to_text() for probe in probes}
    bench.market.after_ask = lambda: waiting.discard(bench.market.asked[-1].to_text())
    waits = []
    while waiting:
        bench.agenda = Agenda(probes=probes, urgent=tuple(each for each in probes if each.to_text() in waiting))
        waits.append(await bench.turn())
    assert waits[:4] == [6.0] * 4


async def test_when_another_process_has_just_asked_this_one_waits_its_turn() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.ledger.busy_s = 4.5
    assert await bench.turn() == 4.5
    assert bench.market.asked == []
    assert await bench.turn() == 6.0
    assert bench.poller.pace.failures == 0


async def test_censuses_use_at_most_half_of_the_days_rows() -> None:
    bench = Bench(rows_per_day=2_000)
    bench.market.rows = 300
    bench.agenda = Agenda(censuses=(coverage("C1"),))
    bench.poller.plan.census_s = 60.0
    bench.poller.plan.slowest_s = 100_000.0
    await bench.until(12 * 3600 - 1)
    assert 2_000 - bench.ledger.rows_left <= 1_000 + 300


# -- machines that are known ---


def kept_out(bench: Bench) -> list[set[str]]:
    return [set(each.excluded_machines) for each in bench.market.asked if each.cards == frozenset({"A"})]


async def test_known_machines_are_kept_out_of_probes_until_they_were_not_seen_for_long() -> None:
    bench = Bench()
    ages = {"1": 60.0, "2": 2 * 3600.0}
    bench.agenda = Agenda(probes=(coverage("A", ceiling=400_000),), known=lambda probe: ages)
    await bench.turn()
    assert kept_out(bench) == [{"1"}]


async def test_what_somebody_was_told_of_is_let_in_before_it_is_asked_for_by_machine() -> None:
    bench = Bench()
    probe = coverage("A", ceiling=400_000)
    bench.agenda = Agenda(probes=(probe,), told=((offer("1"), 60.0),), known=lambda _: {"1": 1.0, "2": 1.0})
    await bench.until(59)
    assert kept_out(bench)[0] == {"1", "2"}
    assert kept_out(bench)[-1] == {"2"}
    assert not [each for each in bench.market.asked if each.machines]
    await bench.until(70)
    assert [each.machines for each in bench.market.asked if each.machines] == [frozenset({"1"})]


async def test_little_more_is_set_aside_than_a_question_cost_last() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.rows = 0
    await bench.turn()
    await bench.turn()
    assert bench.market.row_limits == [512, 64]
    bench.market.rows = 100
    await bench.turn()
    await bench.turn()
    assert bench.market.row_limits[2:] == [64, 512]  # the list was cut by that, and is asked for in full at once
    assert await bench.turn() == 6.0 or bench.market.row_limits[-1] == 200


async def test_a_machine_may_be_asked_for_with_as_many_rows_as_it_has_offers() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),), doubtful=(offer("555"),))
    await bench.until(20)
    limits = [
        limit
        for each, limit in zip(bench.market.asked, bench.market.row_limits, strict=True)
        if each.machines is not None
    ]
    assert limits == [64]

"""The poll cycle when markets fail: how long it waits, what it is charged, and what it says of it."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from scanners.agenda import Agenda
from scanners.errors import KeyRejected, OddAnswer, QuotaExhausted, RateLimited, Retired, ScanError, Unreachable
from tests.scanners.polling import START, Bench, coverage


async def test_being_rate_limited_makes_the_waits_grow_up_to_ten_minutes() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [RateLimited("vast", "API requests too frequent") for _ in range(12)]
    waits = [await bench.turn() for _ in range(12)]
    growing = [wait for wait in waits if wait < 600]
    assert all(after >= 1.5 * before for before, after in pairwise(growing))
    assert waits[-1] == 600
    assert sum(1 for at in _moments(waits) if at < 300) <= 6


async def test_the_wait_a_server_asks_for_is_obeyed() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [RateLimited("vast", "slow down", retry_after=1812.0)]
    assert await bench.turn() == 1812.0


async def test_a_rejected_key_is_tried_again_at_most_each_ten_minutes() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [KeyRejected("vast", "bad key") for _ in range(3)]
    assert all(wait >= 600 for wait in [await bench.turn() for _ in range(3)])


async def test_a_spent_quota_waits_for_the_reset_that_the_server_names() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [QuotaExhausted("vast", "quota", resets_at=START + timedelta(hours=3))]
    assert await bench.turn() == 3 * 3600


async def test_a_retired_endpoint_is_hardly_asked_again() -> None:
    bench = Bench()
    bench.market.failures = [Retired("vast", "gone")]
    assert 3600 <= await bench.turn() <= 4000


async def test_failures_never_wait_longer_than_the_slowest_pace_and_one_good_answer_heals() -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [Unreachable("vast", "no answer") for _ in range(10)]
    waits = [await bench.turn() for _ in range(10)]
    assert max(waits) == 300
    assert await bench.turn() == 6.0
    assert bench.poller.pace.failures == 0


async def test_a_break_and_a_recovery_are_logged_once_each(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [Unreachable("vast", "no answer") for _ in range(4)]
    for _ in range(6):
        await bench.turn()
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == ["vast is failing: no answer", "vast answers again after 4 failures"]


@pytest.mark.parametrize(
    ("error", "charged"),
    [
        (Unreachable("vast", "refused", asked=False), 0),
        (RateLimited("vast", "too often"), 0),
        (Unreachable("vast", "cut off"), 20),
        (OddAnswer("vast", "broken"), 20),
    ],
    ids=["never asked", "refused", "answer lost", "answer broken"],
)
async def test_a_query_without_an_answer_is_charged_what_it_cost_last_if_it_may_have_been(
    error: ScanError, charged: int
) -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.rows = 20
    await bench.turn()
    bench.market.failures = [error]
    await bench.turn()
    assert bench.ledger.rows_left == 20_000 - 20 - charged
    assert bench.sink.failed_with == [error]


async def test_a_market_that_never_answers_costs_no_rows() -> None:
    bench = Bench(rows_per_day=1000)
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [OddAnswer("vast", "a page for people") for _ in range(20)]
    for _ in range(20):
        await bench.turn()
    assert bench.ledger.rows_left == 1000


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (RateLimited("vast", "slow down", retry_after=1812.0), 1812.0),
        (QuotaExhausted("vast", "quota", resets_at=START + timedelta(hours=3)), 3 * 3600.0),
        (KeyRejected("vast", "bad key"), None),
        (Retired("vast", "gone"), None),
        (Unreachable("vast", "no answer"), None),
    ],
    ids=["told to wait", "quota gone", "key", "retired", "network"],
)
async def test_what_the_service_asked_for_is_kept_for_a_restart_and_nothing_else(
    error: ScanError, kept: float | None
) -> None:
    bench = Bench()
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.failures = [error]
    await bench.turn()
    assert max(bench.ledger.rests, default=None) == kept


async def test_rows_that_our_own_limit_has_used_up_are_no_wish_of_the_service() -> None:
    bench = Bench(rows_per_day=100)
    bench.agenda = Agenda(probes=(coverage("A"),))
    bench.market.rows = 100
    await bench.turn()
    with pytest.raises(QuotaExhausted):
        await bench.poller.ask(coverage("A"))
    assert bench.ledger.rests == []  # a higher limit in the configuration counts at once


def _moments(waits: list[float]) -> list[float]:
    moments, at = [], 0.0
    for wait in waits:
        moments.append(at)
        at += wait
    return moments

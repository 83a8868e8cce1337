"""Counting alerts at their end: each once, and never less than before."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from bot.metrics.tallies import DELAY_EDGES_S, EndedAlerts
from storage.outbox import Outbox
from storage.watches import Watches
from tests.storage.queueing import put
from tests.storage.stage import START, Stage, alert, vast


@pytest.fixture
def outbox(stage: Stage) -> Outbox:
    Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=START)
    return Outbox(stage.store, stage.rules)


def queue(stage: Stage, *names: str) -> tuple[int, ...]:
    """Alerts in the outbox; their ids."""
    return put(stage, *(alert(vast(), dedup=name) for name in names))


def send(outbox: Outbox, alert_id: int, after_s: float) -> None:
    outbox.sent(alert_id, START + timedelta(seconds=after_s), alert=alert(vast()), message_id="1")


def sent(ended: EndedAlerts) -> int:
    ended.take_up()
    return ended.outcomes()["available", "sent"]


def test_what_ended_before_the_start_is_not_counted(stage: Stage, outbox: Outbox) -> None:
    waiting, gone = queue(stage, "waiting", "gone")
    send(outbox, gone, 1)
    ended = EndedAlerts(stage.store)
    assert sent(ended) == 0
    send(outbox, waiting, 2)
    assert sent(ended) == 1


def test_an_alert_is_counted_once_however_often_one_asks_and_in_whatever_order_they_end(
    stage: Stage, outbox: Outbox
) -> None:
    ended = EndedAlerts(stage.store)
    first, second, third = queue(stage, "a", "b", "c")
    counts = []
    for alert_id in (third, first, second):
        send(outbox, alert_id, 1)
        counts += [sent(ended), sent(ended)]
    (later,) = queue(stage, "d")
    send(outbox, later, 1)
    assert [*counts, sent(ended)] == [1, 1, 2, 2, 3, 3, 4]


def test_a_count_stays_when_the_log_is_pruned(stage: Stage, outbox: Outbox) -> None:
    ended = EndedAlerts(stage.store)
    waiting, gone = queue(stage, "waiting", "gone")
    send(outbox, gone, 1)
    assert sent(ended) == 1
    with stage.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM outbox WHERE id = ?", (gone,))
    assert sent(ended) == 1
    send(outbox, waiting, 1)
    assert sent(ended) == 2
    with stage.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM outbox")
    assert sent(ended) == 2
    (later,) = queue(stage, "later")
    send(outbox, later, 1)
    assert sent(ended) == 3


def test_outcomes_are_kept_apart(stage: Stage, outbox: Outbox) -> None:
    ended = EndedAlerts(stage.store)
    for alert_id, state in zip(queue(stage, "a", "b", "c"), ("expired", "suppressed", "failed"), strict=True):
        outbox.close(alert_id, state, "why")
    ended.take_up()
    assert {pair for pair, count in ended.outcomes().items() if count} == {
        ("available", "expired"),
        ("available", "suppressed"),
        ("available", "failed"),
    }


def test_a_delay_belongs_to_the_first_class_that_is_not_shorter(stage: Stage, outbox: Outbox) -> None:
    ended = EndedAlerts(stage.store)
    delays = (0.2, 0.5, 0.501, 1000.0)
    for alert_id, delay in zip(queue(stage, "a", "b", "c", "d"), delays, strict=True):
        send(outbox, alert_id, delay)
    ended.take_up()
    told = ended.delays()
    assert [
        edge for edge, count in zip((*DELAY_EDGES_S, math.inf), told.classes, strict=True) for _ in range(count)
    ] == [
        0.25,
        0.5,
        1.0,
        math.inf,
    ]
    assert told.sum_s == pytest.approx(sum(delays))


def test_an_alert_that_was_held_back_says_nothing_about_delay(stage: Stage, outbox: Outbox) -> None:
    ended = EndedAlerts(stage.store)
    (held,) = queue(stage, "held")
    outbox.hold(held, START, "quiet hours")
    send(outbox, held, 28_000)
    assert sent(ended) == 1
    assert sum(ended.delays().classes) == 0


def test_a_clock_that_was_set_back_makes_no_negative_delay(stage: Stage, outbox: Outbox) -> None:
    ended = EndedAlerts(stage.store)
    (early,) = queue(stage, "early")
    send(outbox, early, -5)
    ended.take_up()
    assert (ended.delays().classes[0], ended.delays().sum_s) == (1, 0.0)

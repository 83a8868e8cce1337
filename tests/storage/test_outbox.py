"""The outbox: what is due, who holds it, and what giving it up takes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from market.alert import Alert
from market.watch import Memory, Told
from storage.alertlog import AlertLog
from storage.memory import load_memory
from storage.outbox import Claimed, Outbox
from storage.record import Recording
from storage.watches import Watches
from tests.storage.stage import START, Decided, Stage, alert, episode, vast


@pytest.fixture
def outbox(stage: Stage) -> Outbox:
    return Outbox(stage.store, stage.rules)


@pytest.fixture
def watch_id(stage: Stage) -> int:
    return Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=stage.now).id


def put(stage: Stage, *alerts: Alert) -> tuple[int, ...]:
    """Queue alerts, as an answer would."""
    return stage.scan(vast(), wait=1, decide=lambda _: Decided(alerts=alerts)).queued


def claim(outbox: Outbox, at: datetime, limit: int = 30) -> list[Claimed]:
    return outbox.claim(at, lease_s=60, limit=limit)


def memory_of(stage: Stage) -> Memory:
    with stage.store.read() as connection:
        return load_memory(connection)


def test_an_alert_is_claimed_as_it_was_queued(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    told = alert(vast(), vast(2, data_centers=("EU-RO-1",)), watch_ids=[watch_id])
    (id_,) = put(stage, told)
    (row,) = claim(outbox, stage.now)
    assert (row.id, row.alert, row.attempts, row.queued_at, row.was_held) == (id_, told, 0, START, False)


def test_one_alert_a_chat_is_in_flight_and_the_rest_come_in_order(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    told = [alert(vast(), watch_ids=[watch_id], dedup=str(n), chat=chat) for n, chat in enumerate("1121")]
    ids = put(stage, *told)
    assert [row.id for row in claim(outbox, stage.now)] == [ids[0], ids[2]]
    assert claim(outbox, stage.now) == []
    outbox.sent(ids[0], stage.now, alert=told[0], message_id="7")
    assert [row.id for row in claim(outbox, stage.now)] == [ids[1]]


def test_the_other_due_alerts_of_a_chat_can_join_its_message(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    ids = put(stage, *(alert(vast(), watch_ids=[watch_id], dedup=str(n)) for n in range(3)))
    claim(outbox, stage.now)
    assert [row.id for row in outbox.claim_more("111", stage.now, lease_s=60, limit=5)] == [ids[1], ids[2]]
    assert outbox.claim_more("111", stage.now, lease_s=60, limit=5) == []


def test_a_lease_that_ran_out_is_taken_up_again_as_a_second_attempt(
    stage: Stage, outbox: Outbox, watch_id: int
) -> None:
    put(stage, alert(vast(), watch_ids=[watch_id]))
    claim(outbox, stage.now)
    assert outbox.next_due() == stage.now + timedelta(seconds=60)
    (row,) = claim(outbox, stage.now + timedelta(seconds=61))
    assert row.attempts == 1


def test_a_start_takes_up_what_the_last_process_had_claimed(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    put(stage, alert(vast(), watch_ids=[watch_id]))
    claim(outbox, stage.now)
    outbox.release_leases()
    assert len(claim(outbox, stage.now)) == 1


def test_what_is_to_be_tried_again_keeps_later_ones_of_its_chat_waiting(
    stage: Stage, outbox: Outbox, watch_id: int
) -> None:
    ids = put(stage, *(alert(vast(), watch_ids=[watch_id], dedup=str(n)) for n in range(2)))
    claim(outbox, stage.now)
    later = stage.now + timedelta(seconds=300)
    outbox.retry(ids[0], later, "HTTP 429")
    assert claim(outbox, stage.now) == []
    assert outbox.next_due() == later
    (row,) = claim(outbox, later)
    assert (row.id, row.attempts) == (ids[0], 1)


def test_what_is_held_keeps_nobody_waiting(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    later = stage.now + timedelta(seconds=300)
    held = alert(vast(), watch_ids=[watch_id], dedup="held", not_before=later)
    ids = put(stage, held, alert(vast(), watch_ids=[watch_id]))
    assert AlertLog(stage.store).since(START)[0].state == "held"
    (row,) = claim(outbox, stage.now)
    assert row.id == ids[1]
    outbox.sent(row.id, stage.now, alert=row.alert, message_id="7")
    assert outbox.next_due() == later
    (row,) = claim(outbox, later)
    assert (row.id, row.was_held, row.alert.not_before) == (ids[0], True, later)


def test_a_held_alert_waits_for_an_earlier_one_that_is_to_be_tried_again(
    stage: Stage, outbox: Outbox, watch_id: int
) -> None:
    soon, later = stage.now + timedelta(seconds=10), stage.now + timedelta(seconds=300)
    held = alert(vast(), watch_ids=[watch_id], dedup="held", not_before=soon)
    ids = put(stage, alert(vast(), watch_ids=[watch_id]), held)
    claim(outbox, stage.now)
    outbox.retry(ids[0], later, "HTTP 429")
    assert (claim(outbox, soon), outbox.next_due()) == ([], later)
    assert [row.id for row in claim(outbox, later)] == [ids[0]]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(st.tuples(st.sampled_from(["retry", "hold", "sent", "close"]), st.integers(0, 90)), max_size=15))
def test_whoever_waits_until_the_next_is_due_finds_it_due(
    stage: Stage, outbox: Outbox, watch_id: int, deeds: list[tuple[str, int]]
) -> None:
    for number, (deed, seconds) in enumerate(deeds):
        later = stage.now + timedelta(seconds=seconds)
        chat = str(number % 2)
        put(stage, alert(vast(), watch_ids=[watch_id], dedup=f"{stage.now}{number}", chat=chat))
        due = outbox.next_due()
        assert due is not None
        (row, *_) = claim(outbox, max(due, stage.now), limit=1)
        if deed == "retry":
            outbox.retry(row.id, later, "HTTP 500")
        elif deed == "hold":
            outbox.hold(row.id, later, "quiet hours")
        elif deed == "sent":
            outbox.sent(row.id, stage.now, alert=row.alert, message_id=None)
        else:
            outbox.close(row.id, "expired", "gone")


def test_an_alert_can_be_held_when_its_turn_comes(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    (id_,) = put(stage, alert(vast(), watch_ids=[watch_id]))
    claim(outbox, stage.now)
    morning = stage.now + timedelta(hours=8)
    outbox.hold(id_, morning, "quiet hours")
    assert (claim(outbox, stage.now), outbox.next_due()) == ([], morning)
    (row,) = claim(outbox, morning)
    assert row.was_held


def test_nothing_is_due_when_nothing_waits(outbox: Outbox) -> None:
    assert outbox.next_due() is None


def test_the_log_tells_what_became_of_each(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    told = [alert(vast(), watch_ids=[watch_id], dedup=str(n), chat=str(n)) for n in range(3)]
    ids = put(stage, *told)
    claim(outbox, stage.now)
    outbox.sent(ids[0], stage.now, alert=told[0], message_id="7")
    outbox.close(ids[1], "expired", "gone before it could be told")
    log = AlertLog(stage.store)
    sent, expired, queued = log.since(START)
    assert (sent.state, sent.sent_at, sent.reason) == ("sent", stage.now, "a new match")
    assert (sent.gpu, sent.market, sent.key, sent.price_per_gpu) == ("RTX 4090", "vast", "vast:555:1", 350_000)
    assert (expired.state, expired.sent_at, expired.reason) == ("expired", None, "gone before it could be told")
    assert (queued.state, queued.watch_ids) == ("queued", (watch_id,))
    assert (log.waiting().queued, log.waiting().oldest_at) == (1, START)
    assert log.since(stage.now) == []


def test_an_alert_that_shows_no_offer_is_logged_without_one(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    put(stage, alert(watch_ids=[watch_id], kind="shortage_start"))
    (row,) = AlertLog(stage.store).since(START)
    assert (row.gpu, row.market, row.key, row.price_per_gpu) == (None, None, None, None)
    assert claim(outbox, stage.now)[0].alert.kind == "shortage_start"


def test_sending_fresher_figures_logs_them_and_counts_them_as_told(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    queued = alert(vast(price=0.35), watch_ids=[watch_id])
    opened = episode(watch_id, "vast:555:1", told=350_000)
    (id_,) = stage.scan(vast(), decide=lambda _: Decided(alerts=(queued,), episodes=(opened,))).queued
    outbox.sent(id_, stage.now, alert=alert(vast(price=0.33), watch_ids=[watch_id]), message_id=None)
    assert AlertLog(stage.store).since(START)[0].price_per_gpu == 330_000
    assert memory_of(stage).episodes[watch_id, "RTX 4090"].told_price == 330_000


def test_a_message_can_be_found_again_to_say_that_its_offers_have_gone(
    stage: Stage, outbox: Outbox, watch_id: int
) -> None:
    told = alert(vast(), watch_ids=[watch_id])
    (id_,) = put(stage, told)
    outbox.sent(id_, stage.now, alert=told, message_id="42")
    log = AlertLog(stage.store)
    (standing,) = log.standing(START)
    assert (standing.message_id, standing.parts, standing.ended_at) == ("42", told.parts, None)
    log.ended(id_, stage.now)
    assert log.standing(START)[0].ended_at == stage.now
    log.ended(id_, None)
    assert log.standing(START)[0].ended_at is None


# -- what was never sent was never told -------------------------------------------------------------------------------


def tell(stage: Stage, watch_id: int, price: float = 0.35, dedup: str = "a") -> int:
    """Queue an alert that counts as told, as the decision does."""
    at = stage.now
    offer = vast(price=price)
    decided = Decided(
        alerts=(alert(offer, watch_ids=[watch_id], dedup=dedup, at=at),),
        episodes=(replace(episode(watch_id, offer.key), told_price=offer.price),),
        told=(Told(watch_id=watch_id, key=offer.key, told_at=at, wait_s=300),),
    )
    (id_,) = stage.scan(offer, decide=lambda _: decided).queued
    return id_


def test_what_is_never_sent_counts_as_not_told(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    id_ = tell(stage, watch_id)
    outbox.close(id_, "failed", "blocked")
    memory = memory_of(stage)
    assert memory.told == {}
    assert memory.episodes[watch_id, "RTX 4090"].told_price is None


def test_the_recorder_learns_what_was_taken_back(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    outbox.close(tell(stage, watch_id), "failed", "blocked")
    seen = []

    def decide(recording: Recording) -> Decided:
        seen.append(dict(recording.memory.told))
        return Decided()

    stage.scan(vast(), decide=decide)
    assert seen == [{}]


def test_an_episode_falls_back_to_the_price_that_was_really_sent(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    first = tell(stage, watch_id, 0.40)
    outbox.sent(first, stage.now, alert=alert(vast(price=0.40), watch_ids=[watch_id]), message_id="1")
    outbox.close(tell(stage, watch_id, 0.30, "b"), "failed", "message too long")
    assert memory_of(stage).episodes[watch_id, "RTX 4090"].told_price == 400_000


def test_closing_an_alert_leaves_alone_what_a_later_one_told(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    first, later = tell(stage, watch_id, 0.40), tell(stage, watch_id, 0.30, "b")
    outbox.close(first, "expired", "gone")
    memory = memory_of(stage)
    assert memory.episodes[watch_id, "RTX 4090"].told_price == 300_000
    assert (watch_id, "vast:555:1") in memory.told
    assert later > first


def test_a_held_alert_told_nothing_and_takes_nothing_back(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    first = tell(stage, watch_id, 0.40)
    outbox.sent(first, stage.now, alert=alert(vast(price=0.40), watch_ids=[watch_id]), message_id="1")
    held = alert(vast(2), watch_ids=[watch_id], dedup="b", not_before=stage.now)
    (id_,) = put(stage, held)
    outbox.close(id_, "suppressed", "no longer matches the rule")
    assert memory_of(stage).episodes[watch_id, "RTX 4090"].told_price == 400_000


def test_a_held_alert_that_is_sent_counts_as_told_then(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    held = alert(vast(), watch_ids=[watch_id], not_before=stage.now)
    opened = episode(watch_id, "vast:555:1")
    (id_,) = stage.scan(vast(), decide=lambda _: Decided(alerts=(held,), episodes=(opened,))).queued
    again = Told(watch_id=watch_id, key="vast:555:1", told_at=stage.now, wait_s=600)
    outbox.sent(id_, stage.now, alert=held, message_id="1", told=[again])
    memory = memory_of(stage)
    assert memory.episodes[watch_id, "RTX 4090"].told_price == 350_000
    assert memory.told == {(watch_id, "vast:555:1"): again}


@pytest.mark.parametrize(
    "end",
    [
        lambda outbox, id_, at: outbox.close(id_, "expired", "gone"),
        lambda outbox, id_, at: outbox.retry(id_, at, "HTTP 500"),
        lambda outbox, id_, at: outbox.hold(id_, at, "quiet hours"),
    ],
)
def test_a_sent_alert_stays_sent(
    stage: Stage, outbox: Outbox, watch_id: int, end: Callable[[Outbox, int, datetime], None]
) -> None:
    id_ = tell(stage, watch_id)
    outbox.sent(id_, stage.now, alert=alert(vast(), watch_ids=[watch_id]), message_id="1")
    end(outbox, id_, stage.now)
    assert AlertLog(stage.store).since(START)[0].state == "sent"
    assert memory_of(stage).told
    assert claim(outbox, stage.now) == []


# -- rules that want one alert ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "state"), [("available", "done"), ("cheaper", "done"), ("shortage_end", "active")])
def test_a_rule_that_wants_one_alert_is_done_by_it(stage: Stage, outbox: Outbox, kind: str, state: str) -> None:
    watches = Watches(stage.store, stage.rules)
    once = watches.add(chat="111", text="RTX 4090 once", now=stage.now)
    told = alert(vast(), watch_ids=[once.id], kind=kind)
    (id_,) = put(stage, told)
    outbox.sent(id_, stage.now, alert=told, message_id="1")
    (watch,) = watches.list()
    assert watch.state == state
    assert (once.id in watches.running()) == (state == "active")


def test_an_alert_of_the_old_rule_does_not_end_the_edited_one(stage: Stage, outbox: Outbox) -> None:
    watches = Watches(stage.store, stage.rules)
    once = watches.add(chat="111", text="RTX 4090 once", now=stage.now)
    told = alert(vast(), watch_ids=[once.id])
    (id_,) = put(stage, told)
    claim(outbox, stage.now)
    watches.edit(once.id, text="RTX 3090 once", now=stage.now)
    outbox.sent(id_, stage.now, alert=told, message_id="1")
    assert watches.list()[0].state == "active"
    assert AlertLog(stage.store).since(START)[0].state == "sent"

"""The outbox: what is due, who holds it, and what giving it up takes back."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.alertlog import AlertLog
from storage.outbox import Outbox
from tests.storage.queueing import claim, memory_of, put
from tests.storage.stage import START, Decided, Stage, alert, episode, vast


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
    assert (log.waiting(START).queued, log.waiting(START).oldest_at) == (1, START)
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

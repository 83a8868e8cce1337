"""What sending an alert, or giving it up, means for what counts as told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from market.watch import Told
from storage.alertlog import AlertLog
from storage.outbox import Outbox
from storage.record import Recording
from storage.watches import Watches
from tests.storage.queueing import claim, memory_of, put
from tests.storage.stage import START, Decided, Stage, alert, episode, vast


def tell(stage: Stage, watch_id: int, price: float = 0.35, dedup: str = "a") -> int:
    """Queue an alert that counts as told, as the decision does."""
    at = stage.now
    offer = vast(price=price)
    decided = Decided(
        alerts=(alert(offer, watch_ids=[watch_id], dedup=dedup, at=at),),
        episodes=(episode(watch_id, offer.key)._replace(told_price=offer.price),),
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

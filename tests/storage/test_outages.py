"""How far the watch on a market has been judged is kept together with what follows from it; moments move with a clock
that is set back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from market.blindness import Blindness, blindness_of
from storage.alertlog import AlertLog
from storage.heartbeat import whole_lately
from storage.outages import OutageBook, Sight
from storage.outbox import Outbox
from tests.storage.queueing import claim
from tests.storage.stage import START, Stage, vast

BLIND = Blindness(market="vast", since=START - timedelta(hours=1), until=START)
SIGHT = Sight(ok_at=START, owner_knows=True)


def test_what_was_kept_is_there_after_a_restart_for_each_market_apart(stage: Stage) -> None:
    OutageBook(stage.store).keep("vast", SIGHT, at=START)
    stage.reopen()
    book = OutageBook(stage.store)
    assert book.read("vast") == SIGHT
    assert book.read("runpod") == Sight()


def test_a_blindness_is_queued_once_for_each_chat_and_can_be_read_from_what_is_claimed(
    stage: Stage, outbox: Outbox
) -> None:
    book = OutageBook(stage.store)
    assert book.keep("vast", SIGHT, at=START, alerts=[BLIND.alert("1"), BLIND.alert("2")])
    assert not book.keep("vast", SIGHT, at=START, alerts=[BLIND.alert("1"), BLIND.alert("2")])
    claimed = claim(outbox, START)
    assert [(each.alert.chat, blindness_of(each.alert)) for each in claimed] == [("1", BLIND), ("2", BLIND)]


def test_nothing_is_kept_of_a_judgement_whose_messages_cannot_be_queued(stage: Stage) -> None:
    book = OutageBook(stage.store)
    broken = BLIND.alert("1")
    object.__setattr__(broken, "chat", None)
    with pytest.raises(IntegrityError, match="NOT NULL"):
        book.keep("vast", SIGHT, at=START, alerts=[broken])
    assert book.read("vast") == Sight()


def test_a_blindness_that_was_sent_is_no_alert_of_the_log_and_nothing_to_follow_up(
    stage: Stage, outbox: Outbox
) -> None:
    OutageBook(stage.store).keep("vast", SIGHT, at=START, alerts=[BLIND.alert("1")])
    (claimed,) = claim(outbox, START)
    outbox.sent(claimed.id, START, alert=claimed.alert, message_id="9")
    log = AlertLog(stage.store)
    assert log.since(START - timedelta(days=1)) == []
    assert log.standing(START - timedelta(days=1)) == []
    assert log.waiting(START).queued == 0
    assert outbox.claim(START + timedelta(hours=1), lease_s=60, limit=9) == []


@pytest.mark.parametrize("given_back", [True, False])
def test_a_clock_set_back_moves_waits_and_leases_with_it(stage: Stage, outbox: Outbox, given_back: bool) -> None:
    OutageBook(stage.store).keep("vast", SIGHT, at=START, alerts=[BLIND.alert("1")])
    (claimed,) = claim(outbox, START)
    if given_back:
        outbox.retry(claimed.id, START + timedelta(seconds=60), "later")
    outbox.set_back(7200)
    now = START - timedelta(hours=2)
    assert claim(outbox, now + timedelta(seconds=59)) == []
    assert len(claim(outbox, now + timedelta(seconds=60))) == 1


def test_after_a_clock_was_set_back_the_latest_answer_is_the_last_one_that_came(stage: Stage) -> None:
    for _ in range(3):
        stage.scan(vast(1), wait=10)
    stage.now -= timedelta(minutes=40)
    stage.scan(vast(1), complete=False, wait=10)
    assert whole_lately(stage.store, "vast", within_s=3600) is False
    stage.scan(vast(1), wait=10)
    assert whole_lately(stage.store, "vast", within_s=3600) is True

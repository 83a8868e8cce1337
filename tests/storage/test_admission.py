"""Rules of chats that are not on the lists any more rest, and go on afresh when they are again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.admission import Admitted, admit, authors, barred, readmit, resting
from storage.alertlog import AlertLog
from storage.chats import Chat, Chats
from storage.watches import FileRule, Watches
from tests.storage.stage import START, Stage
from tests.storage.test_watches import judged, remembered, tell


@pytest.fixture
def watches(stage: Stage) -> Watches:
    return Watches(stage.store, stage.rules)


def nobody(chat: str, author: str | None) -> bool:
    return False


def everybody(chat: str, author: str | None) -> bool:
    return True


def test_a_rule_that_rests_is_not_judged_keeps_its_state_and_its_alerts_are_dropped(
    stage: Stage, watches: Watches
) -> None:
    watch = watches.add(chat="222", author="222", text="RTX 4090", now=START)
    alert_id = tell(stage, watch.id)
    assert admit(stage.store, nobody, START) == Admitted(resting=1)
    assert watches.running() == {}
    assert judged(stage) == ()
    after = watches.by_id(watch.id)
    assert after is not None
    assert (after.barred, after.state) == (True, "active")
    logged = AlertLog(stage.store).one(alert_id)
    assert logged is not None
    assert (logged.state, "list" in logged.reason) == ("suppressed", True)
    assert dict(resting(stage.store)) == {"222": 1}
    assert barred(stage.store) == {watch.id}
    assert admit(stage.store, nobody, START) == Admitted(), "said once"


def test_a_rule_that_goes_on_starts_afresh_as_it_was(stage: Stage, watches: Watches) -> None:
    active = watches.add(chat="222", author="222", text="RTX 4090", now=START)
    paused = watches.add(chat="222", author="222", text="RTX 4090 once", now=START)
    watches.pause(paused.id)
    tell(stage, active.id)
    admit(stage.store, nobody, START)
    generation = watches.generation()
    later = START + timedelta(days=1)
    assert admit(stage.store, everybody, later) == Admitted(going_on=2)
    assert watches.generation() > generation, "a running process takes it up"
    assert set(watches.running()) == {active.id}
    assert watches.running()[active.id].set_at == later
    assert remembered(stage) == (0, 0)
    again = watches.by_id(paused.id)
    assert again is not None
    assert again.state == "paused"


def test_rules_of_the_operator_never_rest(stage: Stage, watches: Watches) -> None:
    watches.add(chat="222", text="RTX 4090", now=START, origin="cli")
    watches.sync_file([FileRule(name="file", chat="333", text="RTX 4090")], START)
    assert admit(stage.store, nobody, START) == Admitted()
    assert len(watches.running()) == 2


def test_who_made_a_rule_decides_in_a_group(stage: Stage, watches: Watches) -> None:
    owners = watches.add(chat="-600", author="111", text="RTX 4090", now=START)
    watches.add(chat="-600", author="222", text="RTX 4090 once", now=START)
    assert admit(stage.store, lambda chat, author: author == "111", START) == Admitted(resting=1)
    assert set(watches.running()) == {owners.id}
    assert authors(stage.store) == {("-600", "111"), ("-600", "222")}


def test_where_nothing_is_said_a_rule_stays_as_it_is(stage: Stage, watches: Watches) -> None:
    one = watches.add(chat="-600", author="111", text="RTX 4090", now=START)
    other = watches.add(chat="-600", author="111", text="RTX 4090 once", now=START)
    admit(stage.store, nobody, START)
    readmit(stage.store, other.id, START)
    assert admit(stage.store, lambda chat, author: None, START) == Admitted()
    assert set(watches.running()) == {other.id}
    assert barred(stage.store) == {one.id}


def test_a_rule_that_cannot_be_read_rests_too(stage: Stage, watches: Watches) -> None:
    watch = watches.add(chat="222", author="222", text="RTX 4090", now=START)
    with stage.store.write() as connection:
        connection.exec_driver_sql("UPDATE watch SET rule = 'of a later version' WHERE id = ?", (watch.id,))
    assert admit(stage.store, nobody, START) == Admitted(resting=1)


def test_a_chat_that_is_allowed_and_cannot_be_reached_stays_silent(stage: Stage, watches: Watches) -> None:
    watches.add(chat="222", author="222", text="RTX 4090", now=START)
    Chats(stage.store).put(Chat(chat="222", state="blocked"), START)
    admit(stage.store, everybody, START)
    assert watches.running() == {}

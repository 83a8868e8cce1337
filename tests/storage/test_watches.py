"""Watches: who may change them, and what a change makes forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from market.rule import RuleError
from market.watch import Told, Watch
from storage.alertlog import AlertLog
from storage.chats import Chat, Chats
from storage.memory import load_memory
from storage.outbox import Outbox
from storage.record import Recording
from storage.watches import FileRule, Reply, Watches
from tests.storage.stage import START, Decided, Stage, alert, episode, vast


@pytest.fixture
def watches(stage: Stage) -> Watches:
    return Watches(stage.store, stage.rules)


def tell(stage: Stage, *watch_ids: int) -> int:
    """Queue one alert for these watches, with all that goes with it."""
    decided = Decided(
        alerts=(alert(vast(), watch_ids=watch_ids, dedup=str(stage.now)),),
        episodes=tuple(episode(watch_id, "vast:555:1", told=350_000) for watch_id in watch_ids),
        told=tuple(Told(watch_id=watch_id, key="vast:555:1", told_at=stage.now, wait_s=300) for watch_id in watch_ids),
    )
    (id_,) = stage.scan(vast(), decide=lambda _: decided).queued
    return id_


def remembered(stage: Stage) -> tuple[int, int]:
    """How many episodes and how many told keys are remembered."""
    with stage.store.read() as connection:
        memory = load_memory(connection)
    return len(memory.episodes), len(memory.told)


def judged(stage: Stage) -> tuple[int, ...]:
    """The watches that the next answer is judged by."""
    seen: list[int] = []

    def decide(recording: Recording) -> Decided:
        seen.extend(watch.id for watch in recording.watches)
        return Decided()

    stage.scan(vast(), decide=decide)
    return tuple(seen)


def test_a_watch_comes_back_as_it_was_added(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090 once", now=START, name="lora", origin="cli")
    assert (added.rule.once, added.name, added.origin, added.state, added.set_at) == (
        True,
        "lora",
        "cli",
        "active",
        START,
    )
    stage.reopen()
    again = Watches(stage.store, stage.rules)
    assert (again.by_id(added.id), again.list("111"), again.list("222")) == (added, (added,), ())


def test_a_text_that_is_no_rule_is_refused_and_nothing_is_stored(watches: Watches) -> None:
    with pytest.raises(RuleError):
        watches.add(chat="111", text="broken", now=START)
    assert watches.list() == ()


def test_what_the_reply_tells_counts_as_told(stage: Stage, watches: Watches) -> None:
    def answer(watch: Watch) -> Reply:
        return Reply(
            passed=frozenset({"vast"}),
            episodes=(episode(watch.id, "vast:555:1", told=350_000),),
            told=(Told(watch_id=watch.id, key="vast:555:1", told_at=START, wait_s=300),),
        )

    added = watches.add(chat="111", text="RTX 4090", now=START, answer=answer)
    assert added.passed == {"vast"}
    assert remembered(stage) == (1, 1)


def test_an_edited_rule_starts_afresh_and_its_alerts_are_not_sent(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090", now=START)
    tell(stage, added.id)
    edited = watches.edit(added.id, text="RTX 3090", now=stage.now, name="new")
    assert edited is not None
    assert (edited.id, edited.text, edited.name, edited.set_at, edited.passed) == (
        added.id,
        "RTX 3090",
        "new",
        stage.now,
        frozenset(),
    )
    assert remembered(stage) == (0, 0)
    (logged,) = AlertLog(stage.store).since(START)
    assert (logged.state, logged.reason) == ("suppressed", "the rule was edited")


def test_a_deleted_rule_leaves_what_it_sent_and_takes_back_the_rest(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090", now=START)
    outbox = Outbox(stage.store, stage.rules)
    outbox.sent(tell(stage, added.id), stage.now, alert=alert(vast(), watch_ids=[added.id]), message_id="1")
    tell(stage, added.id)
    assert watches.remove(added.id)
    assert [row.state for row in AlertLog(stage.store).since(START)] == ["sent", "suppressed"]
    assert remembered(stage) == (0, 0)
    assert (watches.remove(added.id), watches.by_id(added.id)) == (False, None)


def test_an_alert_that_another_watch_wants_too_is_sent_for_that_one_alone(stage: Stage, watches: Watches) -> None:
    one, other = (watches.add(chat="111", text="RTX 4090", now=START) for _ in range(2))
    tell(stage, one.id, other.id)
    watches.remove(one.id)
    (logged,) = AlertLog(stage.store).since(START)
    assert (logged.state, logged.watch_ids) == ("queued", (other.id,))
    (claimed,) = Outbox(stage.store, stage.rules).claim(stage.now, lease_s=60, limit=9)
    assert [part.watch_id for part in claimed.alert.parts] == [other.id]


def test_ids_are_never_used_twice(watches: Watches) -> None:
    first = watches.add(chat="111", text="RTX 4090", now=START)
    watches.remove(first.id)
    assert watches.add(chat="111", text="RTX 4090", now=START).id > first.id


def test_a_paused_rule_is_not_judged_and_starts_afresh_when_resumed(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090", now=START)
    tell(stage, added.id)
    assert watches.pause(added.id)
    assert judged(stage) == ()
    assert watches.resume(added.id, stage.now)
    (watch,) = watches.list()
    assert (watch.state, watch.set_at, remembered(stage)) == ("active", stage.now, (0, 0))
    assert not watches.resume(added.id, stage.now)


def test_a_snooze_forgets_nothing(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090", now=START)
    tell(stage, added.id)
    assert watches.snooze(added.id)
    assert watches.running()[added.id].state == "snoozed"
    assert watches.wake(added.id)
    assert (watches.list()[0].state, remembered(stage)) == ("active", (1, 1))


def test_the_recorder_takes_up_a_new_watch_with_the_next_answer(stage: Stage, watches: Watches) -> None:
    assert judged(stage) == ()
    added = watches.add(chat="111", text="RTX 4090", now=stage.now)
    assert judged(stage) == (added.id,)


def test_a_decision_about_a_watch_is_kept(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090", now=START)
    before = watches.generation()
    moved = replace(added, passed=frozenset({"vast"}), answered=frozenset({"a", "b"}))
    stage.scan(vast(), decide=lambda _: Decided(watches=(moved,)))
    assert watches.by_id(added.id) == moved
    assert watches.generation() > before
    ended = replace(moved, state="ended")
    stage.scan(vast(), decide=lambda recording: Decided(watches=(ended,) if moved in recording.watches else ()))
    assert (watches.list(), watches.running()) == ((ended,), {})


def test_every_change_is_seen_in_the_generation(stage: Stage, watches: Watches) -> None:
    added = watches.add(chat="111", text="RTX 4090", now=START)
    seen = [watches.generation()]
    for change in (
        lambda: watches.edit(added.id, text="RTX 3090", now=START),
        lambda: watches.pause(added.id),
        lambda: watches.resume(added.id, START),
        lambda: watches.snooze(added.id),
        lambda: watches.wake(added.id),
        lambda: watches.sync_file([FileRule(name="a", chat="1", text="RTX 4090")], START),
        lambda: Chats(stage.store).put(Chat(chat="111", state="blocked"), START),
        lambda: watches.remove(added.id),
    ):
        change()
        seen.append(watches.generation())
    assert seen == sorted(set(seen))


def test_a_rule_that_cannot_be_read_any_more_is_reported_and_the_others_run(stage: Stage, watches: Watches) -> None:
    bad, good = (watches.add(chat="111", text=f"RTX 4090{tail}", now=START) for tail in ("", " once"))
    with stage.store.write() as connection:
        connection.exec_driver_sql("UPDATE watch SET rule = 'broken' WHERE id = ?", (bad.id,))
    assert [watch.id for watch in watches.list()] == [good.id]
    (problem,) = watches.unreadable()
    assert (problem.id, problem.text) == (bad.id, "broken")
    assert "is no rule" in problem.problem
    assert list(watches.running()) == [good.id]


# -- the file -----------------------------------------------------------------------------------------------------


def test_the_file_adds_edits_and_removes_its_own_rules_only(watches: Watches) -> None:
    mine = watches.add(chat="111", text="RTX 4090", now=START, name="a")
    assert watches.sync_file([FileRule(name="a", chat="1", text="X"), FileRule(name="b", chat="1", text="Y")], START)
    first = {watch.name: watch for watch in watches.list("1")}
    assert watches.sync_file([FileRule(name="b", chat="1", text="Z")], START)
    (left,) = watches.list("1")
    assert (left.id, left.text, left.origin) == (first["b"].id, "Z", "file")
    assert watches.list("111") == (mine,)


def test_a_file_that_says_the_same_changes_nothing(watches: Watches) -> None:
    rules = [FileRule(name="a", chat="1", text="RTX 4090")]
    watches.sync_file(rules, START)
    before = watches.generation()
    assert not watches.sync_file(rules, START)
    assert watches.generation() == before


def test_a_file_with_one_bad_rule_changes_nothing(watches: Watches) -> None:
    watches.sync_file([FileRule(name="a", chat="1", text="RTX 4090")], START)
    with pytest.raises(RuleError):
        watches.sync_file([FileRule(name="b", chat="1", text="broken")], START)
    assert [watch.name for watch in watches.list()] == ["a"]


# -- chats ----------------------------------------------------------------------------------------------------------


def test_deleting_a_chat_leaves_no_orphans_and_no_alerts(stage: Stage, watches: Watches) -> None:
    ids = [watches.add(chat="111", text="RTX 4090", now=START).id for _ in range(3)]
    for _ in range(20):
        tell(stage, *ids)
    assert Chats(stage.store).forget("111")
    assert stage.rows("PRAGMA foreign_key_check") == []
    assert (watches.list(), remembered(stage)) == ((), (0, 0))
    assert Outbox(stage.store, stage.rules).claim(stage.now, lease_s=60, limit=9) == []
    assert not Chats(stage.store).forget("111")


def test_an_alert_in_flight_outlives_the_deletion_of_its_chat(stage: Stage, watches: Watches) -> None:
    watch = watches.add(chat="111", text="RTX 4090", now=START)
    tell(stage, watch.id)
    outbox = Outbox(stage.store, stage.rules)
    (claimed,) = outbox.claim(stage.now, lease_s=60, limit=9)
    Chats(stage.store).forget("111")
    outbox.sent(claimed.id, stage.now, alert=claimed.alert, message_id="1")
    outbox.close(claimed.id, "failed", "blocked")
    assert AlertLog(stage.store).since(START) == []


def test_the_watches_of_a_chat_that_cannot_be_reached_do_not_run(stage: Stage, watches: Watches) -> None:
    watch = watches.add(chat="111", text="RTX 4090", now=START)
    chats = Chats(stage.store)
    chats.put(Chat(chat="111", state="blocked", language="pt_BR", settings={"quiet": [23, 7]}), START)
    assert (watches.running(), watches.list()) == ({}, (watch,))
    known = chats.get("111")
    assert known is not None
    assert (known.language, known.settings) == ("pt_BR", {"quiet": [23, 7]})
    assert (chats.get("222"), [chat.chat for chat in chats.all()]) == (None, ["111"])


def test_a_group_that_became_a_supergroup_keeps_everything(stage: Stage, watches: Watches) -> None:
    watch = watches.add(chat="-500", text="RTX 4090", now=START)
    chats = Chats(stage.store)
    chats.put(Chat(chat="-500", timezone="America/Sao_Paulo"), START)
    stage.scan(vast(), decide=lambda _: Decided(alerts=(alert(vast(), watch_ids=[watch.id], chat="-500"),)))
    chats.move("-500", "-1005000000001", stage.now)
    moved = chats.get("-1005000000001")
    assert moved is not None
    assert (moved.timezone, chats.get("-500")) == ("America/Sao_Paulo", None)
    assert watches.list()[0].chat == "-1005000000001"
    assert AlertLog(stage.store).since(START)[0].chat == "-1005000000001"
    assert stage.rows("PRAGMA foreign_key_check") == []


def test_single_facts_are_kept_until_they_are_deleted(stage: Stage) -> None:
    chats = Chats(stage.store)
    chats.put_fact("owner", "111")
    assert chats.fact("owner") == "111"
    chats.put_fact("owner", None)
    assert chats.fact("owner") is None

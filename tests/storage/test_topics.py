"""Rules and alerts of a topic: kept with it, and given to the chat itself when it is no more."""

from __future__ import annotations

from storage.chats import Chats
from storage.outbox import Outbox
from storage.watches import FileRule, Watches
from tests.storage.queueing import claim, put
from tests.storage.stage import START, Stage, alert, vast

RULE = "RTX 4090"


def watches_of(stage: Stage) -> Watches:
    return Watches(stage.store, stage.rules)


def topics(stage: Stage) -> list[str | None]:
    """The topics of all rules, by id."""
    return [watch.topic for watch in watches_of(stage).list()]


def test_a_rule_keeps_its_topic_whatever_happens_to_it(stage: Stage) -> None:
    added = watches_of(stage).add(chat="-500", topic="5", text=RULE, now=START)
    assert added.topic == "5"
    watches_of(stage).edit(added.id, text="RTX 3090", now=stage.now)
    watches_of(stage).pause(added.id)
    watches_of(stage).resume(added.id, stage.now)
    stage.reopen()
    assert topics(stage) == ["5"]
    assert watches_of(stage).running()[added.id].topic == "5"


def test_rules_of_the_file_have_no_topic(stage: Stage) -> None:
    watches_of(stage).sync_file([FileRule(name="lab", chat="-500", text=RULE)], START)
    assert topics(stage) == [None]


def test_an_alert_keeps_its_topic_on_its_way(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    put(stage, alert(vast(), watch_ids=[watch_id], topic="5"))
    stage.reopen()
    assert [row.alert.topic for row in claim(Outbox(stage.store, stage.rules), stage.now)] == ["5"]


def test_only_alerts_of_one_topic_can_join_a_message(stage: Stage, outbox: Outbox, watch_id: int) -> None:
    told = [
        alert(vast(), watch_ids=[watch_id], dedup=str(number), topic=topic)
        for number, topic in enumerate(["5", "6", None, "5", None])
    ]
    ids = put(stage, *told)
    claim(outbox, stage.now)
    assert [row.id for row in outbox.claim_more("111", stage.now, topic="5", lease_s=60, limit=9)] == [ids[3]]
    joined = outbox.claim_more("111", stage.now, lease_s=60, limit=9)
    assert [row.id for row in joined] == [ids[2], ids[4]]


def test_a_topic_that_is_gone_gives_its_rules_and_open_alerts_to_the_chat(stage: Stage, outbox: Outbox) -> None:
    watches, chats = watches_of(stage), Chats(stage.store)
    places = [("111", "5"), ("111", "5"), ("111", "6"), ("222", "5"), ("111", None)]
    added = [watches.add(chat=chat, topic=topic, text=RULE, now=START) for chat, topic in places]
    told = [
        alert(vast(), watch_ids=[watch.id], dedup=str(watch.id), chat=watch.chat, topic=watch.topic) for watch in added
    ]
    ids = put(stage, *told)
    outbox.sent(ids[0], stage.now, alert=told[0], message_id="1")
    before = watches.generation()
    assert chats.forget_topic("111", "5") == 2
    assert watches.generation() > before, "whoever judges has to learn of it"
    assert topics(stage) == [None, None, "6", "5", None]
    rows = stage.rows("SELECT chat, topic, state FROM outbox ORDER BY id")
    assert rows == [
        ("111", "5", "sent"),
        ("111", None, "queued"),
        ("111", "6", "queued"),
        ("222", "5", "queued"),
        ("111", None, "queued"),
    ]
    assert chats.forget_topic("111", "5") == 0


def test_a_group_that_moves_takes_its_topics_along(stage: Stage) -> None:
    watches_of(stage).add(chat="-500", topic="5", text=RULE, now=START)
    Chats(stage.store).move("-500", "-1005", stage.now)
    (watch,) = watches_of(stage).list("-1005")
    assert watch.topic == "5"

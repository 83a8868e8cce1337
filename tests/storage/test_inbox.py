"""The inbox: kept until done, taken once, and never a trap."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.drafts import MOST, DraftBook
from storage.inbox import KEPT, TRIES, Inbox
from tests.storage.stage import START, Stage


@pytest.fixture
def inbox(stage: Stage) -> Inbox:
    return Inbox(stage.store)


def test_what_is_not_done_is_left_for_the_next_start_in_order(inbox: Inbox) -> None:
    inbox.keep([(8, "b"), (7, "a"), (9, "c")], START)
    inbox.done(8)
    assert inbox.left(START) == [(7, "a"), (9, "c")]


def test_a_number_is_new_once_done_or_not(inbox: Inbox) -> None:
    assert inbox.keep([(7, "a"), (8, "b")], START) == {7, 8}
    inbox.done(7)
    assert inbox.keep([(7, "a"), (8, "b"), (9, "c")], START, confirmed=7) == {9}


def test_what_is_done_and_confirmed_is_forgotten(stage: Stage, inbox: Inbox) -> None:
    inbox.keep([(7, "a"), (8, "b")], START)
    inbox.done(7)
    inbox.keep([(9, "c")], START, confirmed=9)
    with stage.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT number FROM inbox ORDER BY number").all()
    assert [row.number for row in rows] == [8, 9], "what is not done stays"


def test_after_a_day_nobody_waits_for_it_any_more(inbox: Inbox) -> None:
    inbox.keep([(7, "a")], START)
    assert inbox.left(START + KEPT + timedelta(seconds=1)) == []


def test_what_takes_the_process_down_each_time_is_given_up(inbox: Inbox) -> None:
    inbox.keep([(7, "poison")], START)
    assert [bool(inbox.left(START)) for _ in range(TRIES + 2)] == [True] * TRIES + [False] * 2


def test_each_chat_keeps_its_latest_drafts_and_crowds_out_nobodys(stage: Stage) -> None:
    book = DraftBook(stage.store)
    other = book.keep("222", "other", START)
    ids = [book.keep("111", str(number), START) for number in range(MOST + 5)]
    found = [book.find("111", each) for each in ids]
    assert found[:5] == [None] * 5
    assert all(found[5:])
    assert book.find("222", other) is not None
    assert book.find("222", ids[-1]) is None, "another chat's draft is as good as none"


def test_ids_of_drafts_are_never_used_again(stage: Stage) -> None:
    book = DraftBook(stage.store)
    first = book.keep("111", "a", START)
    later = book.keep("111", "b", START + timedelta(days=8))
    assert book.find("111", first) is None
    assert later > first

"""The same life with the real database: what happens to a chat is there after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.access import Access, Right
from bot.telegram.chats import ChatLife
from storage.chats import Chat, Chats
from storage.store import Store, open_store
from tests.bot.telegram.cast import GROUP, LISTED, OWNER, START


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path / 'made.db'}", now=START)
    yield opened
    opened.close()


def life(store: Store) -> tuple[ChatLife, Access, Chats]:
    chats = Chats(store)
    access = Access(chats, chats=[GROUP], code=lambda: "K7QM-2XWD-H9TB")
    return ChatLife(chats, access, now=lambda: START, notice=lambda text: None), access, chats


async def test_a_chat_that_is_gone_stays_paused_after_a_restart_and_comes_back(store: Store) -> None:
    before, _, chats = life(store)
    chats.put(Chat(chat=str(LISTED), language="pt_BR"), START)
    await before.gone(str(LISTED), "blocked")

    after, _, chats = life(store)
    assert not (await after.of(str(LISTED))).reachable
    await after.heard(str(LISTED))
    assert chats.get(str(LISTED)) == Chat(chat=str(LISTED), language="pt_BR")


async def test_the_owner_of_the_code_is_the_owner_after_a_restart(store: Store) -> None:
    _, access, _ = life(store)
    assert await access.claim(OWNER, "k7qm2xwdh9tb")
    _, later, _ = life(store)
    assert later.code is None
    assert later.right(OWNER, OWNER, is_group=False) is Right.OWN


async def test_a_group_that_moved_keeps_its_choices_and_its_place_on_the_list(store: Store) -> None:
    before, _, chats = life(store)
    chats.put(Chat(chat=str(GROUP), timezone="America/Sao_Paulo", settings={"silent": True}), START)
    await before.moved(str(GROUP), "-1005")
    _, access, chats = life(store)
    assert chats.get(str(GROUP)) is None
    assert chats.get("-1005") == Chat(chat="-1005", timezone="America/Sao_Paulo", settings={"silent": True})
    assert access.right(LISTED, -1005, is_group=True) is Right.READ


async def test_a_stranger_leaves_no_row(store: Store) -> None:
    known, access, chats = life(store)
    await known.heard("999")
    await known.left("999")
    await known.of("999")
    assert access.refusal_due(999, 999, now_s=0.0)
    assert chats.all() == []

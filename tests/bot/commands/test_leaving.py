"""Rules whose chat is not on the lists any more: what is said of them, and what the people who made them may do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.access import Access
from bot.admission import admit_all, admit_listed, resting_notice
from bot.conversation import Speaker
from bot.language import speech_for
from tests.bot.commands.parlour import Parlour, vast

EVA = Speaker(chat="222", user="222", language="en")
LEAVING = replace(EVA, leaving=True)
GROUP = "-500"


def taken_off(room: Parlour, *, owners: tuple[int, ...] = (111,)) -> None:
    admit_listed(room.product, Access(room.product.chats, owners=owners))


async def test_who_was_taken_off_sees_pauses_and_deletes_and_is_told_no_prices(room: Parlour) -> None:
    await room.answered(vast(1, 0.35))
    await room.asks("/watch 4090 <=0.40", speaker=EVA)
    taken_off(room)
    text = await room.asks("/watches", speaker=LEAVING)
    assert "⛔ 1 · RTX 4090 <=0.40 · no longer allowed: not on the bot's list" in text
    assert "match" not in text
    assert room.labels() == ["⏸ 1", "🗑 1"]
    _, notice = await room.presses("⏸ 1", speaker=LEAVING)
    assert notice == "Rule 1 is paused."
    assert room.labels() == ["🗑 1"], "going on again is for the owner to allow"
    text = await room.asks("/delete 1", speaker=LEAVING)
    assert text == "🗑 Rule 1 is deleted."


async def test_in_a_group_everybody_leaves_alone(room: Parlour) -> None:
    here = {user: Speaker(chat=GROUP, user=user, is_group=True, language="en") for user in ("111", "222", "333")}
    await room.asks("/watch 4090 <=0.40", speaker=here["222"])
    await room.asks("/watch 4090 <=0.30", speaker=here["333"])
    await room.asks("/watch 4090 <=0.20", speaker=here["111"])
    taken_off(room)
    assert set(room.product.watches.running()) == {3}, "what the owner made there is served"
    text = await room.asks("/watches", speaker=replace(here["222"], leaving=True))
    assert ("<=0.40" in text, "<=0.30" in text, "<=0.20" in text) == (True, False, False)
    await room.asks("/pause all", speaker=replace(here["222"], leaving=True))
    await room.asks("/delete 3", speaker=replace(here["222"], leaving=True))
    assert [watch.state for watch in room.product.watches.list()] == ["paused", "active", "active"]


async def test_a_rule_that_rests_cannot_be_resumed_and_why_says_so(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40", speaker=EVA)
    await room.asks("/pause 1", speaker=EVA)
    taken_off(room)
    assert "not on the bot's list any more" in await room.asks("/resume 1", speaker=EVA)
    assert "not on the bot's list any more" in await room.asks("/why 1", speaker=EVA)
    assert "1 rule rests: no longer allowed" in await room.asks("/status")


async def test_an_owner_resumes_a_rule_in_a_group_that_was_taken_off_or_makes_it_anew(room: Parlour) -> None:
    ana = Speaker(chat=GROUP, user="111", is_group=True, is_owner=True, language="en")
    await room.asks("/watch 4090 <=0.40", speaker=ana)
    await room.asks("/watch 4090 <=0.30", speaker=ana)
    admit_listed(room.product, Access(room.product.chats, owners=[111], chats=[int(GROUP)]))
    taken_off(room)
    assert room.product.watches.running() == {}
    assert "Watching, rule 3" in await room.asks("/watch 4090 <=0.40", speaker=ana)
    await room.asks("/watches", speaker=ana)
    _, notice = await room.presses("▶️ 2", speaker=ana)
    assert notice == "Rule 2 is watched again."
    taken_off(room)
    assert set(room.product.watches.running()) == {2, 3}


async def test_without_lists_and_back_on_them_every_rule_goes_on(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40", speaker=EVA)
    taken_off(room)
    assert room.product.watches.running() == {}
    admit_all(room.product)
    assert set(room.product.watches.running()) == {1}
    taken_off(room)
    taken_off(room, owners=(222,))
    assert set(room.product.watches.running()) == {1}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "2 rules rest: their chats are not on the bot's list any more. 222 (2)"),
        ("pt_BR", "2 regras estão em repouso: os chats delas não estão mais na lista do bot. 222 (2)"),
    ],
)
async def test_the_owner_is_told_how_many_rest(room: Parlour, language: str, said: str) -> None:
    await room.asks("/watch 4090 <=0.40", speaker=EVA)
    await room.asks("/watch 4090 <=0.30", speaker=EVA)
    taken_off(room)
    assert resting_notice(room.product)(speech_for(language), room.product.zone) == said

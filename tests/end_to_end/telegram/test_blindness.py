"""Blind times and breakdowns on Telegram: whom they reach, how loudly, in which words, and that none is lost."""

from __future__ import annotations

from scanners.simulator.faults import Refuse
from tests.end_to_end.house import SEARCH
from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import SECOND, THIRD, Home
from tests.fakes.botapi import Message, Person, refusals

RULE = "RTX 4090 <=0.40 vast"
DOWN = Refuse(503, "down", "text/plain")


def heard(person: Person, *words: str) -> list[Message]:
    """The messages of the bot with one of these in them."""
    return [message for message in person.chat.from_bot if any(word in message.text for word in words)]


async def test_people_are_told_without_a_sound_in_their_language_and_the_owner_aloud(build_home: BuildHome) -> None:
    home = await build_home(users=(SECOND, THIRD))
    home.configure(per_minute=1)
    bia, rui = home.person(SECOND, "Bia", language="pt-br"), home.person(THIRD, "Rui")
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.asks(bia, f"/watch {RULE}")
        await life.asks(rui, "/watch RTX 4090 <=0.40 runpod")
        await life.passes(minutes=5)
        home.server.faults.add(DOWN, times=1000, path=SEARCH)
        await life.passes(minutes=42)
        home.server.faults.clear()
        await life.passes(minutes=10)
        await life.asks(home.owner, "/start")
    (blind,) = heard(home.owner, "could not be watched")
    (cega,) = heard(bia, "Não foi possível vigiar")
    assert blind.silent
    assert cega.silent
    assert heard(rui, "could not be watched") == []
    notices = heard(home.owner, "does not answer", "answers again")
    assert [message.text.split(",")[0].split(":")[0] for message in notices] == [
        "Vast.ai does not answer",
        "Vast.ai answers again",
    ]
    assert not any(message.silent for message in notices)
    assert heard(bia, "responde") == []


async def test_a_network_that_is_gone_as_a_whole_is_told_once_it_is_back(home: Home) -> None:
    home.configure(per_minute=1)
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=5)
        await home.api.stop()
        home.server.faults.add(DOWN, times=1000, path=SEARCH)
        await life.passes(minutes=60)
        home.server.faults.clear()
        await life.passes(minutes=6)
        await home.api.start()
        await life.passes(minutes=5)
        await life.asks(home.owner, "/start")
    assert len(heard(home.owner, "does not answer")) == 1
    assert len(heard(home.owner, "answers again")) == 1
    assert len(heard(home.owner, "could not be watched")) == 1


async def test_a_blindness_that_telegram_refuses_for_a_while_comes_once(home: Home) -> None:
    home.configure(per_minute=1)
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=5)
    home.clock.move(hours=3)
    home.api.inject("sendMessage", refusals.server_error(500), times=3)
    async with home.running("vast") as life:
        await life.passes(minutes=1)
    async with home.running("vast") as life:
        await life.passes(minutes=5)
    (message,) = heard(home.owner, "could not be watched")
    assert "3 h" in message.text
    assert message.keyboard.buttons() == []


async def test_status_tells_of_the_last_good_answer_and_who_scans_no_more(home: Home) -> None:
    home.configure(per_minute=1)
    async with home.running() as life:
        await life.passes(minutes=5)
        home.clock.move(minutes=16)
        for _ in range(130):
            home.clock.move(seconds=10)
            await life._running._lookout.look()
        home.owner.tells("/status")
        await life.heard()
        await life.asks(home.owner, "/start")
    (status,) = heard(home.owner, "🔴")
    assert "🔴 Vast.ai: last good answer 37 min ago" in status.text
    assert "nobody is scanning" in status.text
    assert len(heard(home.owner, "Vast.ai is not asked any more")) == 1
    assert len(heard(home.owner, "RunPod is not asked any more")) == 1

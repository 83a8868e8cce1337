"""The product as a process that talks to Telegram: how soon it tells, what it keeps to itself, and how it stops."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from statistics import median

import pytest

from scanners.simulator.faults import Refuse
from tests.end_to_end.house import SEARCH
from tests.end_to_end.nursery import Nursery
from tests.end_to_end.telegram.home import OWNER, STRANGER, alerts_in, number_of
from tests.end_to_end.telegram.machine import RULED, TelegramMachine, connected
from tests.fakes.botapi import Person, Slow, refusals

CARDS = ("RTX 4090", "RTX 3090", "L4")
UNTIDY = ("Traceback", "Task was destroyed", "never awaited", "Event loop is closed", "Unclosed", "Exception ignored")
SOON_S = 15.0


@pytest.fixture
async def there(tmp_path: Path, nursery: Nursery) -> AsyncIterator[TelegramMachine]:
    async with connected(tmp_path, nursery) as machine:
        yield machine


async def alerts(person: Person, count: int) -> None:
    """Wait until so many alerts are there."""
    while len(alerts_in(person.chat)) < count:
        await person.chat.next_message(SOON_S)


async def test_from_the_answer_to_the_message_it_takes_less_than_a_second_and_no_secret_leaves(
    there: TelegramMachine,
) -> None:
    owner, stranger = there.api.person(OWNER, "Ana"), there.api.person(STRANGER, "Eve")
    there.configure({})
    run = await there.machine.start("--debug", "run")
    await run.says("is listening")
    owner.tells("/watch RTX 4090, RTX 3090, L4 <=0.40 vast")
    assert "Watching" in (await owner.chat.next_message(SOON_S)).text
    stranger.tells("/watch RTX 4090")
    await there.machine.answers(4)
    there.machine.server.faults.add(Refuse(502, "bad gateway"), path=SEARCH)
    there.api.inject("sendMessage", refusals.server_error(502))
    for number, card in enumerate(CARDS):
        there.market.vast.add_machine(card)
        await alerts(owner, number + 1)
    run.signal(signal.SIGTERM)
    assert await run.ends(10) == 0

    log = (await there.machine.ask("alerts"))["alerts"]
    delays = [datetime.fromisoformat(each["sent_at"]) - datetime.fromisoformat(each["seen_at"]) for each in log]
    assert len(log) == len(CARDS)
    assert median(delay.total_seconds() for delay in delays) < 1
    assert len(stranger.chat.from_bot) == 1
    secret = there.api.token.partition(":")[2]
    files = [path for path in there.machine.folder.rglob("*") if path.is_file() and path != there.machine.config]
    assert there.machine.database in files
    for text in (run.out, run.err, *(path.read_bytes().decode("latin-1") for path in files)):
        assert secret not in text
    assert "502" in run.err  # the failures were told, and without it
    assert not any(word in run.out + run.err for word in UNTIDY), run.err


async def test_told_to_stop_with_alerts_on_their_way_it_stops_cleanly_and_tells_the_rest_once_after_the_start(
    there: TelegramMachine,
) -> None:
    people = [there.api.person(OWNER + number, f"Person {number}") for number in range(3)]
    there.configure({person.number: "any <=1 vast" for person in people})
    run = await there.machine.start("run")
    await run.says(RULED)
    await there.machine.answers(4)
    there.api.inject("sendMessage", Slow(1), times=None)
    for card in CARDS[:2]:
        there.market.vast.add_machine(card)
        await there.machine.answers(4)
    await there.api.next_calls("sendMessage", len(people), SOON_S)
    run.signal(signal.SIGTERM)
    assert await run.ends(10) == 0
    assert not any(word in run.out + run.err for word in UNTIDY), run.err
    assert there.rows("SELECT count(*) FROM outbox WHERE state = 'queued'")[0][0] > 0

    there.api.heal()
    again = await there.machine.start("run")
    await asyncio.gather(*(alerts(person, 2) for person in people))
    await there.machine.answers(8)
    again.signal(signal.SIGTERM)
    assert await again.ends(10) == 0
    assert there.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]
    for person in people:
        numbers = [number_of(message) for message in alerts_in(person.chat)]
        assert len(numbers) == len(set(numbers)) == 2


async def test_a_token_that_telegram_does_not_know_ends_the_start_with_one_line(there: TelegramMachine) -> None:
    there.configure({OWNER: "any <=1 vast"})
    there.api.revoke_token()
    run = await there.machine.start("run")
    assert await run.ends() == 2
    (line,) = [line for line in run.err.splitlines() if line.startswith("atalaia: ")]
    assert "telegram.token" in line
    assert there.api.token.partition(":")[2] not in run.out + run.err
    assert "Traceback" not in run.out + run.err

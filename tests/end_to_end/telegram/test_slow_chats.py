"""Twenty chats to which sending takes for ever: the scans keep their rhythm, and whoever asks is answered."""

from __future__ import annotations

import asyncio
import io
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from bot.cli.run import serve
from bot.clock import SystemClock
from bot.filerules import sync_file_rules
from bot.fronts import front_of
from bot.product import assembled
from bot.settings import load
from scanners.simulator.journal import Entry
from tests.end_to_end.house import SEARCH
from tests.end_to_end.telegram.home import OWNER, alerts_in
from tests.end_to_end.telegram.machine import TelegramMachine, connected
from tests.fakes.botapi import Gate

CHATS = range(1001, 1021)


async def rhythm(there: TelegramMachine, scans: int) -> float:
    """The median gap between so many scans from now on, in seconds."""
    journal = there.machine.server.journal
    before = len(journal.of(SEARCH))
    entries: list[Entry] = []
    while len(entries) < scans:
        await there.machine.answers(1)
        entries = journal.of(SEARCH)[before:]
    return median((after.at - earlier.at).total_seconds() for earlier, after in pairwise(entries))


async def test_slow_sending_delays_neither_scans_nor_answers_and_every_chat_gets_its_alert(tmp_path: Path) -> None:
    async with connected(tmp_path) as there:
        owner = there.api.person(OWNER, "Ana")
        people = [there.api.person(number) for number in CHATS]
        there.configure(dict.fromkeys(CHATS, "any <=1 vast"), users=CHATS)
        gate, stop = Gate(), asyncio.Event()
        for person in people:
            there.api.inject("sendMessage", gate, times=None, chat_id=person.number)
        settings = load(there.machine.config, environ={}, cwd=tmp_path)
        async with assembled(settings, SystemClock()) as product:
            sync_file_rules(product)
            serving = asyncio.create_task(serve(product, front_of(product, io.StringIO()), stop))
            await there.machine.answers(6)
            undisturbed_s = await rhythm(there, 15)
            there.market.vast.add_machine()
            await asyncio.wait_for(gate.reached.wait(), 10)
            began = time.perf_counter()
            owner.tells("/status")
            await owner.chat.next_message(3)
            answered_s = time.perf_counter() - began
            disturbed_s = await rhythm(there, 15)
            assert not any(alerts_in(person.chat) for person in people)
            gate.open()
            for person in people:
                await person.chat.next_message(20)
            stop.set()
            await serving
        assert answered_s < 3
        assert disturbed_s < 1.1 * undisturbed_s + 0.01
        assert [len(alerts_in(person.chat)) for person in people] == [1] * len(people)
        assert there.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]

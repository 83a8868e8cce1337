"""The product as a process: started, told to stop, killed, started twice."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from scanners.simulator.faults import Hang
from tests.end_to_end.house import SEARCH
from tests.end_to_end.nursery import Nursery
from tests.end_to_end.process import Machine, Process, installed

CARDS = ("RTX 3060", "RTX 3070", "RTX 3080", "RTX 3090", "RTX 4060", "RTX 4070", "RTX 4080", "RTX 4090", "L4", "L40")
UNTIDY = ("Traceback", "Task was destroyed", "never awaited", "Event loop is closed", "Unclosed", "Exception ignored")


@pytest.fixture
async def machine(tmp_path: Path, nursery: Nursery) -> AsyncIterator[Machine]:
    async with installed(tmp_path, nursery) as machine:
        yield machine


def told(process: Process) -> list[str]:
    """The cards that a process has told of, as often as it has; every rule is named for its card."""
    return [card for alert in process.alerts for card in CARDS if f"rule {card}: " in alert]


async def test_an_alert_is_printed_within_a_second_of_the_answer_that_showed_it(machine: Machine) -> None:
    machine.configure({"cheap": "RTX 4090 <=0.40 vast"})
    # a quoted zone and no zones of the system: neither may keep it from starting
    run = await machine.start(
        "run", options=("-W", "error::RuntimeWarning"), TZ='"Europe/Lisbon"', PYTHONTZPATH="", PYTHONDEVMODE="1"
    )
    await run.says("1 rule to watch")
    await machine.answers(20)
    assert run.alerts == []
    machine.market.vast.add_machine()
    await run.until(lambda: len(run.alerts) == 1)
    run.signal(signal.SIGTERM)
    assert await run.ends(10) == 0
    assert "no Telegram token: alerts are printed here" in run.out
    assert run.out.endswith("nothing was left half done\n")
    assert not any(word in run.out + run.err for word in UNTIDY), run.err
    (alert,) = (await machine.ask("alerts"))["alerts"]
    delay = datetime.fromisoformat(alert["sent_at"]) - datetime.fromisoformat(alert["seen_at"])
    assert 0 <= delay.total_seconds() < 1
    assert alert["state"] == "sent"


async def test_a_killed_process_loses_nothing_and_repeats_at_most_what_was_on_its_way(machine: Machine) -> None:
    machine.configure({card: f"{card} <=5 vast" for card in CARDS})
    run = await machine.start("run")
    await run.says("10 rules to watch")
    await machine.answers(30)  # every rule has had its first look
    for card in CARDS[:5]:
        machine.market.vast.add_machine(card)
    await run.until(lambda: len(run.alerts) >= 1)
    for card in CARDS[5:]:
        machine.market.vast.add_machine(card)
    run.signal(signal.SIGKILL)
    assert await run.ends() == -signal.SIGKILL

    again = await machine.start("run")
    await again.says("10 rules to watch")
    await machine.answers(60)
    log = (await machine.ask("alerts"))["alerts"]
    assert {alert["state"] for alert in log} == {"sent"}
    again.signal(signal.SIGTERM)
    assert await again.ends() == 0
    assert len(run.alerts) + len(again.alerts) - len(log) in (0, 1)
    assert {*told(run), *told(again)} == set(CARDS)


async def test_a_restart_repeats_nothing(machine: Machine) -> None:
    machine.configure({card: f"{card} <=5 vast" for card in CARDS})
    for card in CARDS:
        machine.market.vast.add_machine(card)
    run = await machine.start("run")
    await run.until(lambda: set(told(run)) == set(CARDS))
    run.signal(signal.SIGTERM)
    assert await run.ends() == 0
    again = await machine.start("run")
    await again.says("10 rules to watch")
    await machine.answers(40)
    again.signal(signal.SIGINT)
    assert await again.ends() == 0
    assert again.alerts == []
    assert len(told(run)) == len(CARDS)


async def test_a_second_instance_on_one_database_is_refused_and_asks_nobody(machine: Machine) -> None:
    machine.configure({"cheap": "RTX 4090 <=0.40"}, per_minute=0.01)
    first = await machine.start("run")
    await first.says("1 rule to watch")
    await machine.answers(2)
    asked = len(machine.server.journal)
    second = await machine.start("run")
    assert await second.ends() == 1
    assert second.out == ""
    assert len(second.err.splitlines()) == 1
    assert "another atalaia already runs on this database" in second.err
    assert str(machine.database) in second.err
    assert len(machine.server.journal) == asked
    assert first.running
    first.signal(signal.SIGTERM)
    assert await first.ends() == 0


async def test_stopping_in_the_middle_of_a_scan_is_clean_and_in_time(machine: Machine) -> None:
    machine.configure({"cheap": "RTX 4090 <=0.40 vast"})
    hang = Hang()
    machine.server.faults.add(hang, path=SEARCH)
    run = await machine.start("run", PYTHONDEVMODE="1")
    await asyncio.wait_for(hang.reached.wait(), 20)
    run.signal(signal.SIGTERM)
    assert await run.ends(10) == 0
    assert not any(word in run.out + run.err for word in UNTIDY), run.err


async def test_rules_of_another_process_are_taken_up_although_a_third_one_holds_the_database(machine: Machine) -> None:
    machine.configure({})
    machine.market.vast.add_machine()
    run = await machine.start("run")
    await run.says("no rule yet")
    await machine.answers(2)
    holder = await asyncio.create_subprocess_exec(
        *("python3", "-c", HOLD, str(machine.database)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert await asyncio.wait_for(holder.stdout.readline(), 10) == b"held\n"
    adding = await machine.start("watch", "add", "RTX 4090 <=0.40", "--chat", "111", "--json")
    with pytest.raises(TimeoutError):
        await adding.ends(3)
    holder.stdin.close()
    await asyncio.wait_for(holder.wait(), 10)
    assert await adding.ends(7) == 0
    await run.until(lambda: len(run.alerts) == 1, 5)
    removed = await machine.ask("watch", "remove", str(adding.json["id"]))
    assert removed == {"removed": adding.json["id"]}
    run.signal(signal.SIGTERM)
    assert await run.ends() == 0
    assert "locked" not in run.out + run.err
    assert (await machine.ask("watch", "list")) == {"watches": []}
    (alert,) = (await machine.ask("alerts"))["alerts"]
    assert (alert["state"], alert["chat"]) == ("sent", "111")


HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
"""

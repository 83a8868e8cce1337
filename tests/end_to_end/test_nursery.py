"""What comes out of the nursery is a process like any other, and nothing stays behind."""

from __future__ import annotations

import signal
from pathlib import Path

from bot.version import product_version
from tests.end_to_end.nursery import Nursery
from tests.end_to_end.process import Process, installed, surroundings

NOBODY_THERE = "[marketplaces.vast]\nurl = 'http://127.0.0.1:9'\n[marketplaces.runpod]\nenabled = false\n"


async def test_a_child_has_its_own_words_folder_environment_streams_and_end(tmp_path: Path, nursery: Nursery) -> None:
    one = await nursery.start(["--version"], folder=tmp_path, environment=surroundings())
    other = await nursery.start(["demo"], folder=tmp_path, environment={"DEMO_SECONDS": "never"})
    assert one.pid != other.pid
    processes = [Process(one), Process(other)]
    assert [await process.ends() for process in processes] == [0, 2]
    assert (processes[0].out, processes[0].err) == (f"atalaia {product_version()}\n", "")
    assert (processes[1].out, processes[1].err.count("\n")) == ("", 1)


async def test_a_child_can_be_killed_and_the_next_one_knows_nothing_of_it(tmp_path: Path, nursery: Nursery) -> None:
    async with installed(tmp_path, nursery) as machine:
        machine.configure({})
        for number in (signal.SIGKILL, signal.SIGTERM):
            run = await machine.start("run")
            await run.says("no rule yet")
            run.signal(number)
            assert await run.ends() == (-number if number == signal.SIGKILL else 0)


async def test_a_child_that_is_left_running_ends_with_the_nursery(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(NOBODY_THERE, encoding="utf-8")
    with Nursery(surroundings()) as nursery:
        run = Process(await nursery.start(["run"], folder=tmp_path, environment=surroundings()))
        await run.says("no rule yet")
    assert await run.ends() == -signal.SIGKILL

"""Several writers on one file: threads, other processes, and one that is killed in the middle."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from market.coverage import Coverage
from market.snapshot import Snapshot
from storage import engine as engines
from storage.errors import StoreBusy, StoreError, StoreUnwritable
from storage.offers import current
from storage.store import open_store
from storage.watches import Watches
from tests.storage.stage import BOTH, START, Stage, nothing, vast

ROOT = Path(engines.__file__).parents[1]

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""

WRITER = """
import sys
from pathlib import Path
from tests.storage.stage import Stage, vast
stage = Stage(Path(sys.argv[1]))
for number in range(100_000):
    stage.scan(*(vast(machine, price=0.2 + number % 50 / 100) for machine in range(40)))
    print(number, flush=True)
"""


def start(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_write_waits_for_another_process_and_loses_nothing(stage: Stage) -> None:
    holder = start(HOLDER, stage.path)
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    with ThreadPoolExecutor(2) as pool:
        scan = pool.submit(stage.scan, vast())
        watch = pool.submit(lambda: Watches(stage.store, stage.rules).add(chat="111", text="RTX 4090", now=START))
        assert current(stage.store) == []  # readers do not wait
        assert not scan.done()
        holder.stdin.write("\n")
        holder.stdin.close()
        assert holder.wait(timeout=30) == 0
        holder.stdout.close()
        scan.result(timeout=30)
        watch.result(timeout=30)
    assert len(current(stage.store)) == 1
    assert len(Watches(stage.store, stage.rules).list()) == 1


def test_a_lock_that_is_never_released_is_an_error_and_not_a_hang(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.store.close()
    monkeypatch.setattr(engines, "BUSY_S", 0.05)
    stage.open()
    other = sqlite3.connect(stage.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        stage.scan(vast(), wait=0)
    other.execute("ROLLBACK")
    other.close()
    assert len(stage.scan(vast()).changes.appeared) == 1


def test_four_threads_record_at_once_and_every_answer_is_there(stage: Stage) -> None:
    def record(thread: int) -> None:
        coverage = Coverage(market="vast", tiers=BOTH, cards=frozenset({f"card {thread}"}))
        for number in range(25):
            offers = tuple(vast(thread * 100 + n, gpu=f"card {thread}", price=0.2 + number / 100) for n in range(5))
            snapshot = Snapshot(market="vast", coverage=coverage, complete=True, offers=offers, taken_at=START, rows=5)
            stage.recorder.record(replace(snapshot, taken_at=START.replace(second=number)), took_ms=1, decide=nothing)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(record, range(4)))
    assert stage.rows("SELECT count(*) FROM scan") == [(100,)]
    assert len(current(stage.store)) == 20
    assert {row.offer.price for row in current(stage.store)} == {440_000}


def test_two_processes_that_record_never_disagree(stage: Stage, tmp_path: Path) -> None:
    other = Stage(stage.path)
    barrier = threading.Barrier(2)

    def record(one: Stage, machine: int) -> None:
        barrier.wait()
        for number in range(30):
            one.scan(vast(machine), vast(machine + 10 + number % 2 * 10), wait=1)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(record, (stage, other), (1, 2)))
    other.store.close()
    assert stage.rows("PRAGMA foreign_key_check") == []
    assert stage.rows("SELECT count(*) FROM offer") == [(6,)]
    keys = stage.rows("SELECT o.key, count(*) FROM cur JOIN offer o USING (offer_id) GROUP BY 1 HAVING count(*) > 1")
    assert keys == []


def test_a_writer_killed_in_the_middle_leaves_whole_answers_only(stage: Stage) -> None:
    stage.store.close()
    writer = start(WRITER, stage.path)
    assert writer.stdout is not None
    acknowledged = -1
    for _ in range(25):
        acknowledged = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    rest = writer.stdout.read().split()
    writer.wait(timeout=30)
    writer.stdout.close()
    if writer.stdin is not None:
        writer.stdin.close()
    acknowledged = int(rest[-1]) if rest and rest[-1].isdigit() else acknowledged
    stage.open()
    ((scans,),) = stage.rows("SELECT count(*) FROM scan")
    assert scans >= acknowledged + 1
    prices = {row.offer.price for row in current(stage.store)}
    assert (len(current(stage.store)), len(prices)) == (40, 1)
    assert stage.rows("SELECT count(*) FROM span") == [(40 * (scans - 1),)]
    assert stage.rows("PRAGMA integrity_check") == [("ok",)]


def test_a_full_disk_is_told_and_nothing_is_half_written(stage: Stage) -> None:
    stage.scan(vast())
    with stage.store.read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    stage.store.close()
    small = open_store(f"sqlite:///{stage.path}", now=START)
    with small.write() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    stage.store = small
    stage.recorder = type(stage.recorder)(small, stage.rules)
    crowd = [vast(machine) for machine in range(2000)]
    with pytest.raises(StoreUnwritable, match="full"):
        stage.scan(*crowd, wait=0)
    assert len(current(small)) == 1
    with small.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    stage.scan(*crowd)
    assert len(current(small)) == 2000


def test_a_write_inside_a_write_is_refused_at_once(stage: Stage) -> None:
    with pytest.raises(RuntimeError, match="inside a write"), stage.store.write(), stage.store.write():
        pass
    stage.scan(vast())


def test_an_error_of_the_caller_undoes_the_write_and_stays_itself(stage: Stage) -> None:
    with pytest.raises(ArithmeticError):
        _write_and_fail(stage)
    assert stage.rows("SELECT count(*) FROM meta") == [(0,)]
    with pytest.raises(StoreError), stage.store.write() as connection:
        connection.exec_driver_sql("SELECT nothing")


def _write_and_fail(stage: Stage) -> None:
    with stage.store.write() as connection:
        connection.exec_driver_sql("INSERT INTO meta VALUES ('a', 'b')")
        raise ArithmeticError

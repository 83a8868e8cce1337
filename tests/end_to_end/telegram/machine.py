"""A computer with the product as a process, a simulated market, and a Telegram that lives in the test's own loop."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from tests.end_to_end.nursery import Nursery
from tests.end_to_end.process import Machine, installed
from tests.end_to_end.telegram.home import OWNER, telegram_text
from tests.fakes.botapi import BotApi

RULED = "to watch"
"""Said by a run that has rules, before it scans."""


class TelegramMachine:
    """A machine whose configuration names a Telegram. Times in both services are real."""

    def __init__(self, machine: Machine, api: BotApi) -> None:
        self.machine = machine
        self.market = machine.market
        self.api = api

    def configure(self, rules: Mapping[int, str], users: Collection[int] = ()) -> None:
        """One rule for each of these chats."""
        self.machine.configure({}, per_minute=600)
        text = self.machine.config.read_text("utf-8")
        watches = "".join(
            f'[[watches]]\nname = "of {chat}"\nrule = "{rule}"\nchat = {chat}\n' for chat, rule in rules.items()
        )
        telegram = telegram_text(self.api, owners=(OWNER,), users=users)
        self.machine.config.write_text(f"{text}\n{telegram}\n{watches}", encoding="utf-8")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database answers, whoever else has it open."""
        with closing(sqlite3.connect(f"file:{self.machine.database}?mode=ro", uri=True, timeout=10)) as connection:
            return connection.execute(query).fetchall()


@asynccontextmanager
async def connected(folder: Path, nursery: Nursery | None = None) -> AsyncIterator[TelegramMachine]:
    """A machine that reaches both."""
    async with installed(folder, nursery) as machine, BotApi(clock=time.time) as api:
        yield TelegramMachine(machine, api)

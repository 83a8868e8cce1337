"""The product at somebody's home: it asks the simulated market, and its owner talks to it on the fake Telegram.

Nothing of the product is replaced but the clock: it is put together as `run` does it, alerts and answers go over HTTP.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bot.filerules import sync_file_rules
from bot.fronts import front_of
from bot.fronts.telegram import TelegramFront
from bot.product import assembled
from bot.running import Running
from bot.settings import load
from scanners.simulator.server import SimulatorServer
from tests.end_to_end.clock import ManualClock
from tests.end_to_end.house import House, Life
from tests.end_to_end.telegram.clock import PatientClock
from tests.fakes.botapi import BotApi, Chat, Message, Person

OWNER, SECOND, THIRD, STRANGER = 111, 222, 333, 999
GROUP, SUPERGROUP = -500, -1005000000001
PATIENCE_S: Final = 10.0
"""Real seconds; what is waited for comes at once unless the machine is busy."""
_NUMBER: Final = re.compile(r" · (?:alert|aviso) (\d+)$")


def number_of(message: Message) -> int | None:
    """The number of the alert that a message tells; None for any other message."""
    found = _NUMBER.search(message.text.splitlines()[0])
    return int(found[1]) if found else None


def alerts_in(chat: Chat) -> list[Message]:
    """The alerts in a chat, in order."""
    return [message for message in chat.from_bot if number_of(message) is not None]


def telegram_text(
    api: BotApi, *, owners: Collection[int] = (OWNER,), users: Collection[int] = (), chats: Collection[int] = ()
) -> str:
    """The part of a configuration that speaks of Telegram."""
    return f"""[telegram]
token = "{api.token}"
api_url = "{api.url}"
owners = {list(owners)}
allowed_users = {list(users)}
allowed_chats = {list(chats)}
"""


class Home(House):
    """A house with a Telegram bot. `running()` lets the product live in it."""

    def __init__(
        self,
        folder: Path,
        server: SimulatorServer,
        clock: PatientClock,
        api: BotApi,
        *,
        extra: str = "",
        owners: Collection[int] = (OWNER,),
        users: Collection[int] = (),
        chats: Collection[int] = (),
    ) -> None:
        telegram = telegram_text(api, owners=owners, users=users, chats=chats)
        super().__init__(folder, server, clock, keys=True, extra=f"{extra}\n{telegram}")
        self.api = api
        self.owner = self.person(OWNER, "Ana")

    def person(self, number: int, name: str = "Somebody", *, language: str = "en") -> Person:
        """Somebody on Telegram who has talked to the bot before."""
        return self.api.person(number, name, language=language)

    @asynccontextmanager
    async def running(self, *markets: str) -> AsyncIterator[HomeLife]:
        """The product as `run` builds it with a token, while the block lasts; it may ask some markets only."""
        settings = load(self.config, environ={}, cwd=self.folder)
        async with assembled(settings, self.clock) as product:
            sync_file_rules(product)
            front = front_of(product, self.terminal)
            assert isinstance(front, TelegramFront)
            running = Running(product, channel_of=front.channel_of, notice=front.notice)
            product.outbox.release_leases()
            await front.start(asyncio.Event())
            try:
                yield HomeLife(running, self.clock, markets, front, self.api)
            finally:
                await front.stop()


class HomeLife(Life):
    """A product that runs as fast as the test lets time pass, and answers on Telegram at once."""

    def __init__(
        self, running: Running, clock: ManualClock, markets: Sequence[str], front: TelegramFront, api: BotApi
    ) -> None:
        super().__init__(running, clock, markets)
        self._front = front
        self._api = api

    async def asks(self, person: Person, text: str, chat: Chat | None = None) -> Message:
        """Write something, a second after the last; the first message of the bot that follows."""
        chat = chat or person.chat
        self._clock.move(seconds=1)
        for _ in chat.pending():
            await chat.next_message()
        person.says(chat, text)
        return await chat.next_message(PATIENCE_S)

    async def heard(self) -> None:
        """Return when the bot has dealt with everything that was said."""
        await self._api.all_read(PATIENCE_S)
        await self._front._bot.settled()

    async def _take_up(self) -> None:
        await super()._take_up()
        await self._running._follow_up()

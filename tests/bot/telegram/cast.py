"""The other parts, played by fakes: a desk that repeats, chats in memory, a clock that runs only when waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

from bot.conversation import Outcome, Press, Reply, Request
from storage.chats import Chat
from storage.errors import StoreError

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
OWNER, LISTED, STRANGER = 111, 222, 999
GROUP, OTHER_GROUP = -500, -600


class LeapingClock:
    """Whoever waits moves it: no test waits for real."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.waits: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    def monotonic(self) -> float:
        return self.elapsed

    def real_seconds(self, seconds: float) -> float:
        return seconds

    def advance(self, seconds: float) -> None:
        self.elapsed += seconds

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        self.waits.append(seconds)
        if not event.is_set():
            self.elapsed += seconds
            await asyncio.sleep(0)
        return event.is_set()


class MemoryChats:
    """Stored conversations and facts, in memory."""

    def __init__(self, *chats: Chat) -> None:
        self.chats = {chat.chat: chat for chat in chats}
        self.facts: dict[str, str] = {}
        self.writes = 0
        self.lost_topics: list[tuple[str, str]] = []

    def get(self, chat: str) -> Chat | None:
        return self.chats.get(chat)

    def put(self, chat: Chat, now: datetime) -> None:
        self.writes += 1
        self.chats[chat.chat] = chat

    def move(self, old: str, new: str, now: datetime) -> None:
        self.writes += 1
        before = self.chats.pop(old)
        self.chats[new] = Chat(chat=new, state=before.state, language=before.language, timezone=before.timezone)

    def forget_topic(self, chat: str, topic: str) -> int:
        self.writes += 1
        self.lost_topics.append((chat, topic))
        return 1

    def fact(self, key: str) -> str | None:
        return self.facts.get(key)

    def put_fact(self, key: str, value: str | None) -> None:
        self.writes += 1
        if value is None:
            self.facts.pop(key, None)
        else:
            self.facts[key] = value


class MemoryInbox:
    """What was taken and is not done, in memory."""

    def __init__(self) -> None:
        self.bodies: dict[int, str] = {}
        self.open: set[int] = set()
        self.problem: StoreError | None = None
        """Why nothing can be kept, if that is so."""

    def keep(self, taken: Sequence[tuple[int, str]], now: datetime, *, confirmed: int = 0) -> frozenset[int]:
        if self.problem is not None:
            raise self.problem
        new = {number: body for number, body in taken if number not in self.bodies}
        self.bodies |= new
        self.open |= new.keys()
        return frozenset(new)

    def done(self, number: int) -> None:
        if self.problem is not None:
            raise self.problem
        self.open.discard(number)

    def left(self, now: datetime) -> list[tuple[int, str]]:
        return [(number, self.bodies[number]) for number in sorted(self.open)]


WORDS = {
    "start": "start",
    "watch": "watch",
    "vigiar": "watch",
    "now": "now",
    "help": "help",
    "delete": "delete",
    "status": "status",
}


class RepeatingDesk:
    """Answers every command with its name and argument, every press with a notice; keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.presses: list[Press] = []
        self.replies: dict[str, tuple[Reply, ...]] = {}
        """Other answers, by command."""
        self.outcome = Outcome(notice="noted")
        """The answer to a press."""
        self.before: Callable[[], Awaitable[None]] | None = None

    def commands(self, language: str) -> tuple[tuple[str, str], ...]:
        if language == "pt_BR":
            return (("vigiar", "vigiar uma placa"),)
        return (("watch", "watch a card"), ("now", "offers now"))

    def known(self, word: str) -> str | None:
        return WORDS.get(word.casefold())

    async def answer(self, request: Request) -> Outcome:
        self.requests.append(request)
        if self.before is not None:
            await self.before()
        plain = (Reply(html=f"{request.command}: {request.argument}"),)
        return Outcome(replies=self.replies.get(request.command, plain))

    async def press(self, press: Press) -> Outcome:
        self.presses.append(press)
        if self.before is not None:
            await self.before()
        return self.outcome

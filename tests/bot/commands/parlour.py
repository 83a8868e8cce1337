"""A chat to talk in: the real product on a real database, a clock that only the test moves, answers made by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.commands import Commands
from bot.conversation import Key, Outcome, Press, Reply, Request, Speaker
from bot.product import Product, assembled
from bot.scribe import Scribe
from bot.settings import Settings, StorageSettings
from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.offer import Offer, Tier
from market.snapshot import Snapshot
from scanners.errors import ScanError, Unreachable
from tests.bot.telegram_markup import Seen, read

START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
BOTH: frozenset[Tier] = frozenset({"datacenter", "community"})
CENSUS = Coverage(market="vast", tiers=BOTH, cards=frozenset({"RTX 4090"}))
SECURE = Coverage(market="runpod", tiers=frozenset({"secure"}), counts=(1, 1))


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - START).total_seconds()

    def real_seconds(self, seconds: float) -> float:
        return seconds

    async def wait(self, event: Any, seconds: float) -> bool:
        self.pass_time(seconds)
        return bool(event.is_set())

    def pass_time(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


def vast(machine: int = 555, price: float = 0.35, count: int = 1, **changes: Any) -> Offer:
    """A Vast.ai offer of RTX 4090; `price` is US$ per GPU-hour."""
    offer = Offer(
        key=f"vast:{machine}:{count}",
        market="vast",
        machine=str(machine),
        gpu="RTX 4090",
        spelling="RTX 4090",
        gpu_count=count,
        vram_gb=24,
        tier="community",
        price=round(price * count * 1_000_000),
        offer_id=str(machine * 100 + count),
        disk_gb=8,
        storage_price=150_000,
        interruptible_price=round(price * count * 500_000),
        reliability_ppm=991_000,
        verified=True,
        country="PT",
        place="Lisboa, PT",
        gpu_ids=tuple(range(count)),
        disk_space_gb=500,
        down_mbps=800,
        ram_gb=64,
        cuda=12_004,
        ends_at=1_900_000_000,
    )
    return offer._replace(**changes)


def runpod(price: float = 0.69, **changes: Any) -> Offer:
    """A RunPod Secure offer of one RTX 4090."""
    offer = Offer(
        key="runpod:NVIDIA GeForce RTX 4090:secure:1",
        market="runpod",
        machine="NVIDIA GeForce RTX 4090",
        gpu="RTX 4090",
        spelling="NVIDIA GeForce RTX 4090",
        gpu_count=1,
        vram_gb=24,
        tier="secure",
        price=round(price * 1_000_000),
        offer_id="NVIDIA GeForce RTX 4090",
        stock="low",
        data_centers=("EU-RO-1",),
    )
    return offer._replace(**changes)


@dataclass
class Parlour:
    """Someone talking to the desk. Every reply is read as strictly as Telegram reads it."""

    product: Product
    clock: HandClock
    desk: Commands
    scribe: Scribe
    speaker: Speaker = field(default_factory=lambda: Speaker(chat="111", user="111", language="en"))
    said: list[Reply] = field(default_factory=list)

    async def asks(self, text: str, *, speaker: Speaker | None = None) -> str:
        """Send a command or free text; what is seen of the answers."""
        command, argument = "", text
        if text.startswith("/"):
            word, _, argument = text[1:].partition(" ")
            command = self.desk.known(word) or word
        speaker = speaker or self.speaker
        request = Request(speaker=speaker, command=command, argument=argument.strip(), at=self.clock.now())
        return self._heard(await self.desk.answer(request))

    async def presses(self, label: str, *, speaker: Speaker | None = None) -> tuple[str, str]:
        """Press the button with this label under the latest message; what is seen, and the notice."""
        return await self.presses_data(self.button(label).data or "", speaker=speaker)

    async def presses_data(self, data: str, *, speaker: Speaker | None = None) -> tuple[str, str]:
        """Press a button with any data; what is seen, and the notice."""
        press = Press(speaker=speaker or self.speaker, data=data, message_id="1", at=self.clock.now())
        outcome = await self.desk.press(press)
        return self._heard(outcome), outcome.notice

    def button(self, label: str) -> Key:
        """The button of the latest message whose label begins so."""
        return next(key for key in self.keys() if key.label.startswith(label))

    def keys(self) -> list[Key]:
        """Every button of the latest message."""
        return [key for row in self.said[-1].keys for key in row]

    def labels(self) -> list[str]:
        """Their labels."""
        return [key.label for key in self.keys()]

    def seen(self) -> Seen:
        """The latest message as Telegram parses it."""
        return read(self.said[-1].html)

    def _heard(self, outcome: Outcome) -> str:
        assert len(outcome.notice) <= 200
        for reply in outcome.replies:
            assert all(len((key.data or "").encode()) <= 64 and key.label for row in reply.keys for key in row)
            assert all(len(row) <= 8 for row in reply.keys)
        self.said.extend(outcome.replies)
        return "\n\n".join(read(reply.html).text for reply in outcome.replies)

    async def answered(self, *offers: Offer, coverage: Coverage = CENSUS, complete: bool = True) -> None:
        """A marketplace answers: stored and judged as in real life."""
        snapshot = Snapshot(
            market=coverage.market,
            coverage=coverage,
            complete=complete,
            offers=offers,
            taken_at=self.clock.now(),
            rows=len(offers),
        )
        await self.scribe.stored(snapshot, reserved=0, took_s=0.01)

    async def failed(self, coverage: Coverage = CENSUS, error: ScanError | None = None) -> None:
        """A question to a marketplace fails."""
        await self.scribe.failed(coverage, error or Unreachable(coverage.market, "no route"), took_s=1.0)

    def alerts(self) -> list[tuple[str, str, int]]:
        """(kind, state, number) of every alert so far."""
        return [(each.kind, each.state, each.id) for each in self.product.alert_log.since(START - timedelta(days=1))]


@asynccontextmanager
async def parlour(folder: Path, **changes: Any) -> AsyncIterator[Parlour]:
    """A parlour on a fresh database."""
    clock = HandClock()
    storage = StorageSettings(url=f"sqlite:///{folder / 'atalaia.db'}")
    settings = Settings(storage=storage, timezone="America/Sao_Paulo", **changes)
    async with assembled(settings, clock) as product:
        scribe = Scribe(recorder=product.recorder, judge=product.judge, catalogue=CATALOGUE, now=clock.now)
        yield Parlour(product=product, clock=clock, desk=Commands(product), scribe=scribe)

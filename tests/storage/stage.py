"""A small market to store: offers, answers and a recorder, on a clock that only the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from market.alert import Alert, Part
from market.coverage import Coverage
from market.offer import Offer, Tier, runpod_key, vast_key
from market.rule import CardChoice, Rule, RuleError
from market.snapshot import Snapshot
from market.watch import Episode, Told, Watch
from storage.record import Recorded, Recorder, Recording
from storage.rules import RuleShelf
from storage.store import Store, open_store

START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
BOTH: frozenset[Tier] = frozenset({"datacenter", "community"})


def vast(machine: int = 555, count: int = 1, price: float = 0.35, **changes: Any) -> Offer:
    """A Vast.ai offer of `count` RTX 4090; `price` is US$ per GPU-hour."""
    offer = Offer(
        key=vast_key(machine, count),
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
        machine_gpus=8,
        disk_space_gb=500,
        down_mbps=800,
        ram_gb=64,
        cuda=12_004,
        ends_at=1_800_000_000,
    )
    return offer._replace(**changes)


def runpod(tier: str = "secure", count: int = 1, **changes: Any) -> Offer:
    """A RunPod offer of `count` RTX 4090."""
    offer = Offer(
        key=runpod_key("NVIDIA GeForce RTX 4090", tier, count),
        market="runpod",
        machine="NVIDIA GeForce RTX 4090",
        gpu="RTX 4090",
        spelling="RTX 4090",
        gpu_count=count,
        vram_gb=24,
        tier="secure" if tier == "secure" else "community",
        price=690_000 * count,
        offer_id="NVIDIA GeForce RTX 4090",
        stock="high",
        data_centers=("EU-RO-1", "US-KS-2"),
    )
    return offer._replace(**changes)


CENSUS = Coverage(market="vast", tiers=BOTH, cards=frozenset({"RTX 4090"}))
"""The full picture of the card."""
PROBE = Coverage(market="vast", tiers=BOTH, cards=frozenset({"RTX 4090"}), counts=(1, 1), ceiling=400_000)
"""What a rule asks, with its ceiling: an absence means nothing."""
SECURE = Coverage(market="runpod", tiers=frozenset({"secure"}), counts=(1, 1))


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A decision made of what a test wants written."""

    alerts: tuple[Alert, ...] = ()
    episodes: tuple[Episode, ...] = ()
    ended: tuple[tuple[int, str], ...] = ()
    told: tuple[Told, ...] = ()
    watches: tuple[Watch, ...] = ()


def nothing(_: Recording) -> Decided:
    """Decides nothing."""
    return Decided()


def read_rule(text: str) -> Rule:
    """A grammar of three words: a card, `once`, and `broken`, which is no rule."""
    words = text.split()
    if "broken" in words:
        raise RuleError("broken", "is no rule")
    card = " ".join(word for word in words if word != "once")
    return Rule(choices=(CardChoice(name=card, cards=frozenset({card})),), once="once" in words)


@dataclass
class Stage:
    """A store with a recorder, and the time."""

    path: Path
    now: datetime = START
    store: Store = field(init=False)
    rules: RuleShelf = field(init=False)
    recorder: Recorder = field(init=False)

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Open the file, as a process that starts would."""
        self.store = open_store(f"sqlite:///{self.path}", now=self.now)
        self.rules = RuleShelf(read_rule)
        self.recorder = Recorder(self.store, self.rules)

    def reopen(self) -> None:
        """Stop and start again."""
        self.store.close()
        self.open()

    def wait(self, seconds: float = 60.0) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def scan(
        self,
        *offers: Offer,
        coverage: Coverage = CENSUS,
        complete: bool = True,
        wait: float = 60.0,
        decide: Callable[[Recording], Any] = nothing,
        reserved: int = 0,
    ) -> Recorded:
        """Record an answer, then let time pass."""
        snapshot = Snapshot(
            market=coverage.market,
            coverage=coverage,
            complete=complete,
            offers=offers,
            taken_at=self.now,
            rows=len(offers),
        )
        recorded = self.recorder.record(snapshot, took_ms=12, decide=decide, reserved=reserved)
        self.wait(wait)
        return recorded

    def fail(self, *, coverage: Coverage = CENSUS, wait: float = 60.0, error: str = "timeout") -> None:
        """Record that a question was not answered, then let time pass."""
        self.recorder.record_failure(coverage.market, coverage, self.now, took_ms=5000, error=error)
        self.wait(wait)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query, straight from the file."""
        with self.store.read() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query, values)]


def alert(
    *offers: Offer,
    watch_ids: Iterable[int] = (1,),
    chat: str = "111",
    dedup: str = "a",
    at: datetime = START,
    **more: Any,
) -> Alert:
    """An alert of these offers, told for each of these watches."""
    parts = tuple(
        Part(
            watch_id=watch_id,
            name=None,
            rule="RTX 4090",
            terms="on_demand",
            disk_gb=8,
            offers=offers,
            count=len(offers),
        )
        for watch_id in watch_ids
    )
    return Alert(
        **{
            "kind": "available",
            "chat": chat,
            "parts": parts,
            "seen_at": at,
            "dedup_key": dedup,
            "reason": "a new match",
            **more,
        }
    )


def episode(
    watch_id: int, *keys: str, card: str = "RTX 4090", at: datetime = START, told: int | None = None
) -> Episode:
    """An open episode of these keys."""
    return Episode(
        watch_id=watch_id,
        card=card,
        number=round(at.timestamp() * 1000),
        opened_at=at,
        members=frozenset(keys),
        told_price=told,
    )

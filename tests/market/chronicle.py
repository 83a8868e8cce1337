"""A small world for tests of the judgement: answers come in, decisions are applied to memory, alerts pile up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from market.alert import Alert
from market.alerting import Decision, Event, Pass, Policy, decide
from market.changes import compare
from market.coverage import Coverage
from market.matching import WatchIndex
from market.offer import Offer, cheapest_per_key, vast_key
from market.rule import CardChoice, Rule
from market.snapshot import Snapshot
from market.watch import Memory, Watch

START = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
EVERYTHING = Coverage(market="vast", tiers=frozenset({"datacenter", "community"}), verified_only=False)
"""A query without any filter: it covers whatever is on offer."""


def offer(
    machine: int = 555,
    price: int = 350_000,
    *,
    count: int = 1,
    gpu: str = "RTX 4090",
    ask: int = 70001,
    reliability: int | None = 991_000,
    gpu_ids: tuple[int, ...] = (),
) -> Offer:
    """A verified RTX 4090 in Portugal, but for what a test changes; the price is for the whole offer."""
    return Offer(
        key=vast_key(machine, count),
        market="vast",
        machine=str(machine),
        gpu=gpu,
        spelling=gpu,
        gpu_count=count,
        vram_gb=24,
        tier="community",
        price=price,
        offer_id=str(ask),
        disk_gb=8,
        storage_price=150_000,
        interruptible_price=180_000,
        reliability_ppm=reliability,
        verified=True,
        country="PT",
        place="Lisboa, PT",
        gpu_ids=gpu_ids,
        disk_space_gb=500,
    )


def rule(
    *cards: str, ceiling: int | None = 400_000, counts: tuple[int, int | None] = (1, None), **more: object
) -> Rule:
    """A rule on these cards, by default every size of RTX 4090 up to US$ 0.40 per GPU-hour."""
    names = cards or ("RTX 4090",)
    return Rule(
        choices=tuple(CardChoice(name=name, cards=frozenset({name})) for name in names),
        ceiling=ceiling,
        counts=counts,
        **more,  # type: ignore[arg-type] # a test names the fields of Rule
    )


def watch(number: int = 1, chat: str = "111", of: Rule | None = None, *, passed: bool = True) -> Watch:
    """A watch whose first pass is over, unless a test says otherwise."""
    return Watch(
        id=number,
        chat=chat,
        rule=of or rule(),
        text="RTX 4090 x1+ <=0.40",
        set_at=START - timedelta(hours=1),
        passed=frozenset({"vast", "runpod"}) if passed else frozenset(),
    )


class Chronicle:
    """Feeds answers to `decide` and keeps what follows, as the store would."""

    def __init__(self, *watches: Watch, policy: Policy | None = None) -> None:
        self.watches = {each.id: each for each in watches or (watch(),)}
        self.policy = policy or Policy()
        self.memory = Memory()
        self.known: dict[str, Offer] = {}
        self.seen: dict[str, datetime] = {}
        self.first: dict[str, datetime] = {}
        self.at = START
        self.alerts: list[Alert] = []
        self.passes: Mapping[int, frozenset[str]] = {}
        """By watch id, the texts of the queries of its first pass."""
        self.openings: Mapping[int, str] = {}

    def answer(
        self, *offers: Offer, after_s: float = 300, coverage: Coverage = EVERYTHING, complete: bool = True
    ) -> list[Alert]:
        """An answer some seconds after the last; the alerts that it causes."""
        self.at += timedelta(seconds=after_s)
        snapshot = Snapshot(
            market=coverage.market,
            coverage=coverage,
            complete=complete,
            offers=cheapest_per_key(list(offers)),
            taken_at=self.at,
            rows=len(offers),
        )
        changes = compare(self.known, list(self.known.values()), snapshot)
        for each in changes.gone:
            del self.known[each.key]
        for each in snapshot.offers:
            if each.key not in self.known:
                self.first[each.key] = self.at
            self.known[each.key] = each
            self.seen[each.key] = self.at
        decision = decide(
            Event(
                snapshot=snapshot,
                changes=changes,
                known={key: each for key, each in self.known.items() if each.market == coverage.market},
                seen_at=self.seen.__getitem__,
                since=self.first.__getitem__,
            ),
            index=WatchIndex(self.watches.values()),
            memory=self.memory,
            policy=self.policy,
            passes={
                number: Pass(queries=queries, opening=self.openings.get(number))
                for number, queries in self.passes.items()
            },
        )
        self._apply(decision)
        return list(decision.alerts)

    def failure(self, after_s: float = 300) -> None:
        """A query that was not answered: nothing reaches the judgement."""
        self.at += timedelta(seconds=after_s)

    def edit(self, number: int, **fields: object) -> None:
        """Change a watch in place."""
        self.watches[number] = replace(self.watches[number], **fields)  # type: ignore[arg-type] # a test names the fields

    def _apply(self, decision: Decision) -> None:
        for place in decision.ended:
            self.memory.drop(place)
        for episode in decision.episodes:
            self.memory.put(episode)
        for told in decision.told:
            self.memory.told[told.watch_id, told.key] = told
        for each in decision.watches:
            self.watches[each.id] = each
        self.alerts.extend(decision.alerts)

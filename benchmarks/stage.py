"""A store with rules in it, as `atalaia run` has it after a while: all told, nobody waiting for a first pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from bot.judging import Judge
from market.alerting import Policy, episodes_of
from market.gpu import CATALOGUE, Catalogue
from market.grammar import read_rule
from market.matching import WatchIndex
from market.offer import Offer
from scanners.markets.vast import Settings, Vast
from storage.counters import WATCHES, bump
from storage.memory import put_episodes
from storage.record import Recorder
from storage.rules import RuleShelf
from storage.store import Store, open_store
from storage.watches import FileRule, Watches

RULES_A_CHAT = 4


@dataclass(frozen=True, kw_only=True)
class Stage:
    """An open store and what writes to it."""

    store: Store
    recorder: Recorder
    judge: Judge
    watches: Watches


@contextmanager
def staged(now: Callable[[], datetime], catalogue: Catalogue = CATALOGUE) -> Iterator[Stage]:
    """A new store in a folder of its own, closed and removed at the end."""
    with TemporaryDirectory(prefix="atalaia-bench-") as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'bench.db'}", now=now())
        shelf = RuleShelf(lambda text: read_rule(text, catalogue=catalogue, today=date.min))
        # it is asked for its queries only and never sends one
        market = Vast(Settings(), httpx.AsyncClient(), catalogue, now)
        try:
            yield Stage(
                store=store,
                recorder=Recorder(store, shelf),
                judge=Judge(policy=Policy(), markets={market.name: market}),
                watches=Watches(store, shelf),
            )
        finally:
            store.close()


def add_rules(stage: Stage, texts: Sequence[str], offers: Sequence[Offer], now: datetime) -> int:
    """Store the rules as their people left them: what matches already was told when they were made.

    Returns how many episodes that opened.
    """
    rules = [
        FileRule(name=f"rule {number}", chat=str(1_000 + number // RULES_A_CHAT), text=text)
        for number, text in enumerate(texts)
    ]
    stage.watches.sync_file(rules, now)
    running = stage.watches.running()
    index = WatchIndex(running.values())
    matching: dict[int, list[Offer]] = {}
    for offer in offers:
        for watch in index.hits(offer, now):
            matching.setdefault(watch.id, []).append(offer)
    episodes = [
        episode for watch_id, found in matching.items() for episode in episodes_of(running[watch_id], found, now)
    ]
    with stage.store.write() as connection:
        connection.exec_driver_sql("""UPDATE watch SET passed = '["runpod","vast"]'""")
        put_episodes(connection, episodes)
        bump(connection, WATCHES)
    return len(episodes)

"""The simulated market of a run: what stands there moves with the hours of the day, and windows open on top of it.

Nothing here ever matches a rule of a scarce card but the windows: the others ask more than any ceiling, are not
verified or not reliable enough. Whoever looks, and how often, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final

from benchmarks.detection.scene import SCARCE, STANDING, START, Scarcity, Stock
from benchmarks.detection.windows import Window
from scanners.simulator.host_life import demand
from scanners.simulator.machine import Block, Verification
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.pods import CLOUDS

HOUR: Final = 3_600.0
LOOKED_AT_S: Final = 4 * HOUR
"""On average, between two renters who look at a machine."""
LEASE_S: Final = 4 * HOUR
REPRICED_S: Final = 30 * HOUR
REPLACED_S: Final = 120 * HOUR
_TEMPTING: Final[tuple[tuple[Verification, float], ...]] = (("unverified", 0.99), ("verified", 0.93))
TOO_DEAR: Final = 1.5
"""What a machine whose price is to fall asks before, times what it asks then."""
OTHER_TYPES: Final = ("NVIDIA A40", "NVIDIA L40S", "NVIDIA GeForce RTX 3090")
"""RunPod's types beside the watched ones; the others of its about 50 are left out, because reading them takes time."""


def furnished(windows: Sequence[Window], seed: int) -> SimulatedMarket:
    """A market that is about to live through these windows."""
    market = SimulatedMarket.empty(START)
    _Pods(market, Random(f"pods {seed}"))
    _Machines(market, Random(f"machines {seed}"))
    for window in windows:
        (_pod_window if window.market == "runpod" else _machine_window)(market, window)
    return market


class _Pods:
    """RunPod: watched types are sold out until a window opens, a few others have stock that wanders."""

    def __init__(self, market: SimulatedMarket, chance: Random) -> None:
        book = market.runpod
        watched = {each.type_id: book.types[each.type_id] for each in SCARCE if each.market == "runpod"}
        for type_id in [each for each in book.types if each not in OTHER_TYPES]:
            book.remove_type(type_id)
        book.live(chance)
        for kind in watched.values():
            book.add_type(kind)
            for cloud in CLOUDS:
                book.set_stock(kind.id, cloud, "NONE")


class _Machines:
    """Vast.ai: machines are rented and come back, change their price, leave and are replaced."""

    def __init__(self, market: SimulatedMarket, chance: Random) -> None:
        self._market = market
        self._book = market.vast
        self._chance = chance
        for stock in STANDING:
            for _ in range(stock.machines):
                self._settle(stock)
            self._tempt(stock)

    def _tempt(self, stock: Stock) -> None:
        """Two machines that are cheap and yet nobody's match."""
        price = stock.cheapest / 2
        for verification, reliability in _TEMPTING:
            self._book.add_machine(
                stock.spelling,
                price=price,
                verification=verification,
                reliability=reliability,
                datacenter=stock.racks,
                days=60.0,
            )

    def _settle(self, stock: Stock) -> None:
        chance = self._chance
        gpus = chance.choices((1, 2, 4, 8), weights=(2, 2, 3, 4) if stock.racks else (10, 4, 2, 1))[0]
        machine = self._book.add_machine(
            stock.spelling,
            gpus=gpus,
            price=self._price(stock),
            reliability=chance.uniform(0.955, 0.999),
            datacenter=stock.racks or chance.random() < 0.1,
            place=chance.choice(("Lisboa, PT", "Texas, US", "Sachsen, DE", "Quebec, CA")),
            disk_space=chance.choice((200.0, 800.0, 2_000.0)),
            bid_share=chance.uniform(0.75, 0.95),
            days=60.0,
        )
        if chance.random() < demand(START.timestamp()):
            self._rented(machine)
        self._later(LOOKED_AT_S, lambda: self._renter_comes(machine))
        self._later(REPRICED_S, lambda: self._reprices(machine, stock))
        self._later(REPLACED_S, lambda: self._leaves(machine, stock))

    def _price(self, stock: Stock) -> float:
        """More of them are cheap than dear."""
        return round(stock.cheapest + (stock.dearest - stock.cheapest) * self._chance.random() ** 2, 4)

    def _later(self, mean_s: float, action: Callable[[], None]) -> None:
        self._market.plan(self._market.now + timedelta(seconds=self._chance.expovariate(1 / mean_s)), action)

    def _renter_comes(self, machine: int) -> None:
        if machine not in self._book.machines:
            return
        if self._chance.random() < demand(self._market.now.timestamp()):
            self._rented(machine)
        self._later(LOOKED_AT_S, lambda: self._renter_comes(machine))

    def _rented(self, machine: int) -> None:
        there = self._book.machines[machine]
        size = self._chance.choice(there.sizes())
        if there.free(size) is not None:
            block = self._book.rent(machine, size)
            self._later(LEASE_S, lambda: self._renter_leaves(machine, block))

    def _renter_leaves(self, machine: int, block: Block) -> None:
        if machine in self._book.machines:
            self._book.release(machine, block)

    def _reprices(self, machine: int, stock: Stock) -> None:
        if machine in self._book.machines:
            self._book.set_price(machine, self._price(stock))
            self._later(REPRICED_S, lambda: self._reprices(machine, stock))

    def _leaves(self, machine: int, stock: Stock) -> None:
        self._book.remove_machine(machine)
        self._settle(stock)


def _pod_window(market: SimulatedMarket, window: Window) -> None:
    what = window.what

    def level(stock: str) -> Callable[[], None]:
        return lambda: market.runpod.set_stock(what.type_id, what.cloud, "LOW" if stock else "NONE", what.gpus)

    market.plan(_at(window.start), level("some"))
    market.plan(_at(window.end), level(""))


def _machine_window(market: SimulatedMarket, window: Window) -> None:
    machine, what = window.machine, window.what
    if window.how == "falls":
        market.plan(_at(window.listed), lambda: _listed(market, machine, what, what.price * TOO_DEAR))
        market.plan(_at(window.start), lambda: market.vast.set_price(machine, what.price))
        market.plan(_at(window.end), lambda: market.vast.set_price(machine, what.price * TOO_DEAR))
        market.plan(_at(window.end + HOUR), lambda: market.vast.remove_machine(machine))
        return
    if window.returning:
        market.plan(_at(window.start), lambda: market.vast.release(machine))
    else:
        market.plan(_at(window.start), lambda: _listed(market, machine, what, what.price))
    market.plan(_at(window.end), lambda: _taken(market, machine, what.gpus))


def _listed(market: SimulatedMarket, machine: int, what: Scarcity, price: float) -> None:
    market.vast.add_machine(
        what.spelling,
        machine_id=machine,
        gpus=what.gpus,
        min_chunk=what.gpus,
        price=price,
        datacenter=what.datacenter,
        bid_share=what.bid_share,
        storage_cost=0.05,
        days=60.0,
    )


def _taken(market: SimulatedMarket, machine: int, gpus: int) -> None:
    market.vast.rent(machine, gpus)


def _at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)

"""What Vast.ai hosts and renters do by themselves: rent and return, reprice, fail, come and go.

Demand follows the hour of the day (scarce from about 20 to 24 UTC, plenty before noon) and, card by card, shortages
in which nearly everything free is taken for hours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Final

from scanners.simulator.agenda import Agenda
from scanners.simulator.cards import CARDS
from scanners.simulator.furnishing import (
    furnish,
    pick_bid_share,
    pick_card,
    pick_gpus,
    pick_price,
    pick_reliability,
)
from scanners.simulator.hosts import DAY, VastBook
from scanners.simulator.machine import Block, Machine, Verification

HOUR: Final = 3_600.0
MACHINES_PER_OFFER: Final = 1.2
"""Machines of every state for each verified offer that can be rented on an average day (measured)."""
VERIFIED_SHARE: Final = 0.82


def demand(epoch: float) -> float:
    """How likely somebody who could rent does, 0 to 1, by the hour of the UTC day."""
    hour = epoch % DAY / HOUR
    return 0.45 + 0.38 * math.cos((hour - 19.5) * math.pi / 12)


class HostLife:
    """Fills a book with machines and keeps them moving. All chance comes from one seeded source."""

    def __init__(self, book: VastBook, agenda: Agenda, chance: Random, offers: int) -> None:
        self._book = book
        self._agenda = agenda
        self._chance = chance
        self._short: dict[str, float] = {}
        """Card name to the epoch at which its shortage ends."""
        for _ in range(round(offers * MACHINES_PER_OFFER)):
            self._settle(self._found())
        for card in CARDS:
            self._later(9 * DAY, self._shortage_begins, card.name)

    def _found(self) -> Machine:
        """A machine that has been there for a while, with what is rented of it."""
        chance = self._chance
        kind = chance.random()
        verification: Verification = (
            "verified" if kind < VERIFIED_SHARE else "unverified" if kind < 0.97 else "deverified"
        )
        machine = self._new(verification, pick_reliability(chance, verification))
        machine.listed_at -= chance.expovariate(1 / (60 * DAY))
        for _ in range(len(machine.sizes())):
            if chance.random() < 0.3:
                self._rent(machine)
        return machine

    def _new(self, verification: Verification, reliability: float) -> Machine:
        chance = self._chance
        card = pick_card(chance)
        gpus = pick_gpus(chance, card)
        return self._book.put(
            furnish(chance, card, gpus, self._book.gpu_numbers(gpus)),
            host_id=chance.randrange(1_000, 90_000),
            price=pick_price(chance, card),
            bid_share=pick_bid_share(chance),
            reliability=reliability,
            health=max(reliability, pick_reliability(chance, verification)),
            verification=verification,
            days=chance.expovariate(1 / 40) + 2,
        )

    def _settle(self, machine: Machine) -> None:
        self._later(self._pause(machine), self._renter_comes, machine)
        self._later(5 * DAY, self._price_moves, machine)
        self._later(1 * DAY, self._health_moves, machine)
        self._later(18 * DAY, self._goes_down, machine)
        self._later(80 * DAY, self._retires, machine)
        self._agenda.after(machine.ends_at - self._agenda.now, self._ends, machine)

    def _later(self, mean_seconds: float, action: Callable[..., None], subject: object) -> None:
        self._agenda.after(self._chance.expovariate(1 / mean_seconds), action, subject)

    @staticmethod
    def _pause(machine: Machine) -> float:
        """Mean seconds between renters who look at a machine: the more of it, the more often."""
        return 5.5 * HOUR / math.sqrt(machine.hardware.gpus / machine.hardware.min_chunk)

    def _alive(self, machine: Machine) -> bool:
        return self._book.machines.get(machine.machine_id) is machine

    def _renter_comes(self, machine: Machine) -> None:
        if not self._alive(machine):
            return
        if machine.listed and self._chance.random() < demand(self._agenda.now):
            self._rent(machine)
        self._later(self._pause(machine), self._renter_comes, machine)

    def _rent(self, machine: Machine) -> None:
        size = self._chance.choice(machine.sizes())
        block = machine.free(size)
        if block is None:
            return
        machine.rent(block)
        hours = self._chance.expovariate(1 / (2.0 if self._chance.random() < 0.65 else 15.0)) + 0.1
        card = machine.hardware.card
        seconds = hours * HOUR * card.scarce
        if self._short.get(card.name, 0.0) > self._agenda.now:
            seconds *= 2.5
        self._agenda.after(seconds, self._renter_leaves, (machine, block))

    def _renter_leaves(self, rental: tuple[Machine, Block]) -> None:
        machine, block = rental
        if self._alive(machine):
            machine.release(block.mask())

    def _price_moves(self, machine: Machine) -> None:
        if not self._alive(machine):
            return
        chance, usual = self._chance, machine.hardware.card.usd
        factor = chance.uniform(0.72, 0.9) if chance.random() < 0.12 else chance.lognormvariate(0.0, 0.06)
        pull = (usual / machine.price) ** 0.15
        self._book.set_price(machine.machine_id, round(max(machine.price * factor * pull, usual * 0.6), 4))
        self._later(5 * DAY, self._price_moves, machine)

    def _health_moves(self, machine: Machine) -> None:
        if not self._alive(machine):
            return
        reliability = machine.reliability + (machine.health - machine.reliability) * 0.25
        self._book.set_reliability(machine.machine_id, reliability)
        young = self._agenda.now - machine.listed_at < 30 * DAY
        if machine.verification == "unverified" and young and reliability > 0.9 and self._chance.random() < 0.5:
            self._book.set_verification(machine.machine_id, "verified")
        self._later(1 * DAY, self._health_moves, machine)

    def _goes_down(self, machine: Machine) -> None:
        if not self._alive(machine):
            return
        machine.listed = False
        self._book.set_reliability(machine.machine_id, max(machine.reliability - self._chance.uniform(0, 0.01), 0.57))
        self._later(5 * HOUR, self._comes_back, machine)

    def _comes_back(self, machine: Machine) -> None:
        if not self._alive(machine):
            return
        machine.listed = True
        self._later(18 * DAY, self._goes_down, machine)

    def _ends(self, machine: Machine) -> None:
        """The host lists the machine again, for longer, at once or some hours late."""
        self._later(3 * HOUR, self._renews, machine)

    def _renews(self, machine: Machine) -> None:
        if not self._alive(machine):
            return
        days = self._chance.uniform(5, 60)
        self._book.set_end(machine.machine_id, self._agenda.now + days * DAY)
        self._agenda.after(days * DAY, self._ends, machine)

    def _retires(self, machine: Machine) -> None:
        self._book.machines.pop(machine.machine_id, None)
        self._later(2 * HOUR, self._newcomer, None)

    def _newcomer(self, _: None) -> None:
        self._settle(self._new("unverified", 0.6))

    def _shortage_begins(self, card: str) -> None:
        chance = self._chance
        hours = chance.uniform(5, 26)
        self._short[card] = self._agenda.now + hours * HOUR
        grabbed = chance.uniform(0.6, 1.0)
        for machine in self._book.machines.values():
            if machine.hardware.card.name == card and chance.random() < grabbed:
                for _ in range(2 * len(machine.sizes())):
                    self._later(0.7 * HOUR, self._grab, machine)
        self._later(9 * DAY + hours * HOUR, self._shortage_begins, card)

    def _grab(self, machine: Machine) -> None:
        if not self._alive(machine) or not machine.listed:
            return
        for size in reversed(machine.sizes()):
            block = machine.free(size)
            if block is not None:
                machine.rent(block)
                left = max(self._short.get(machine.hardware.card.name, 0.0) - self._agenda.now, HOUR)
                self._agenda.after(left * self._chance.uniform(0.6, 1.3), self._renter_leaves, (machine, block))
                return

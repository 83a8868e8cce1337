"""The simulated Vast.ai book: its machines, and everything a test or the market's own life can do to them.

Nothing happens here by itself; `host_life` makes it live.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from random import Random
from typing import Any

from scanners.simulator.agenda import Agenda
from scanners.simulator.cards import card_spec
from scanners.simulator.furnishing import furnish
from scanners.simulator.machine import Block, Hardware, Machine, Verification
from scanners.simulator.vast_row import DEFAULT_DISK_GB, slice_row, whole_row

DAY = 86_400.0


class VastBook:
    """All machines of the market, whether free, taken or unlisted."""

    def __init__(self, agenda: Agenda) -> None:
        self.machines: dict[int, Machine] = {}
        self._agenda = agenda
        self._next_ask = 40_000_000
        self._next_machine = 30_000
        self._next_gpu = 100_000

    def now(self) -> float:
        """Epoch seconds up to which the market has been advanced."""
        return self._agenda.now

    def add_machine(
        self,
        card: str = "RTX 4090",
        *,
        gpus: int = 1,
        price: float = 0.35,
        reliability: float = 0.991,
        verification: Verification = "verified",
        datacenter: bool = False,
        place: str | None = "Lisboa, PT",
        bid_share: float = 0.5,
        storage_cost: float = 0.15,
        gpu_ram: int | None = None,
        cpu_ram: int = 64_000,
        disk_space: float = 500.0,
        inet_down: float = 800.0,
        cuda: float = 12.8,
        min_chunk: int = 1,
        unbundled: bool = False,
        days: float = 10.0,
        machine_id: int | None = None,
        host_id: int = 77,
        raw: dict[str, Any] | None = None,
    ) -> int:
        """List a machine and return its id.

        `price` is USD per GPU-hour without disk; memory and disk are the whole machine's, `gpu_ram` one card's (MB);
        it may be rented for `days`. `raw` replaces fields of its rows. ValueError when the id exists.
        """
        number = self._machine_number() if machine_id is None else machine_id
        if number in self.machines:
            raise ValueError(f"machine {number} exists")
        spec = card_spec(card, gpu_ram)
        hardware = replace(
            furnish(Random(number), spec, gpus, self.gpu_numbers(gpus)),
            min_chunk=min_chunk,
            gpu_ram=gpu_ram or spec.ram_mb[0],
            cpu_name="AMD EPYC 7543",
            cpu_cores=64,
            cpu_ghz=2.8,
            cpu_ram=cpu_ram,
            disk_space=disk_space,
            inet_down=inet_down,
            storage_cost=storage_cost,
            cuda=cuda,
            place=place,
            datacenter=datacenter,
            unbundled=unbundled,
            raw=raw or {},
        )
        self.put(
            hardware,
            machine_id=number,
            host_id=host_id,
            price=price,
            bid_share=bid_share,
            reliability=reliability,
            verification=verification,
            days=days,
        )
        return number

    def put(
        self,
        hardware: Hardware,
        *,
        host_id: int,
        price: float,
        bid_share: float,
        reliability: float,
        verification: Verification,
        days: float,
        health: float | None = None,
        machine_id: int | None = None,
    ) -> Machine:
        """List a machine of this hardware; `health` is the reliability it tends to (None: it stays as it is)."""
        now = self.now()
        machine = Machine(
            machine_id=self._machine_number() if machine_id is None else machine_id,
            host_id=host_id,
            hardware=hardware,
            price=price,
            bid_share=bid_share,
            reliability=reliability,
            health=reliability if health is None else health,
            verification=verification,
            listed_at=now,
            ends_at=now + days * DAY,
            new_id=self._ask_number,
        )
        self.machines[machine.machine_id] = machine
        return machine

    def remove_machine(self, machine_id: int) -> None:
        """It leaves the market for good; KeyError when there is none."""
        del self.machines[machine_id]

    def rent(self, machine_id: int, gpus: int = 1) -> Block:
        """Somebody rents so many GPUs of it; ValueError when they are not free. Returns what was taken."""
        machine = self.machines[machine_id]
        block = machine.free(gpus)
        if block is None:
            raise ValueError(f"machine {machine_id} has no {gpus} GPUs free")
        machine.rent(block)
        return block

    def release(self, machine_id: int, block: Block | None = None) -> None:
        """A rental ends (None: all of the machine's). What comes back is listed under new ask ids."""
        machine = self.machines[machine_id]
        machine.release(machine.taken if block is None else block.mask())

    def set_price(self, machine_id: int, usd_per_gpu_hour: float) -> None:
        """The host asks another price; the ask ids stay."""
        machine = self.machines[machine_id]
        machine.price = usd_per_gpu_hour
        machine.row = None

    def set_reliability(self, machine_id: int, reliability: float) -> None:
        """0 to 1."""
        machine = self.machines[machine_id]
        machine.reliability = reliability
        machine.row = None

    def set_verification(self, machine_id: int, verification: Verification) -> None:
        """The market verifies or deverifies the machine."""
        machine = self.machines[machine_id]
        machine.verification = verification
        machine.row = None

    def set_end(self, machine_id: int, epoch: float) -> None:
        """Until when it may be rented (epoch seconds); it is not listed any more after that."""
        machine = self.machines[machine_id]
        machine.ends_at = epoch
        machine.row = None

    def set_listed(self, machine_id: int, listed: bool) -> None:
        """Whether it is shown at all: a host that is down is not."""
        self.machines[machine_id].listed = listed

    def rows(
        self,
        *,
        cards: Collection[str] | None = None,
        verified: bool | None = True,
        rentable: bool | None = True,
        disk_gb: float = DEFAULT_DISK_GB,
        bid: bool = False,
    ) -> list[dict[str, Any]]:
        """The whole book as rows of an answer, without any limit. None means both kinds; no cards, all of them."""
        now = self.now()
        return [
            whole_row(machine, slice_row(machine, ask, now, disk_gb, bid))
            for machine in self.machines.values()
            if (cards is None or machine.hardware.card.name in cards)
            and (verified is None or (machine.verification == "verified") is verified)
            for ask in machine.asks(now)
            if rentable is None or ask.rentable is rentable
        ]

    def gpu_numbers(self, gpus: int) -> int:
        """The first of so many new GPU ids."""
        first, self._next_gpu = self._next_gpu, self._next_gpu + gpus
        return first

    def _machine_number(self) -> int:
        self._next_machine += 7
        return self._next_machine

    def _ask_number(self) -> int:
        self._next_ask += 4
        return self._next_ask

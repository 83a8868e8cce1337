"""One simulated Vast.ai machine: what it is, which of its GPUs are taken, and the asks that offer the others.

A machine of several GPUs is offered in overlapping slices: powers of two and the whole, each in aligned blocks. The
machine id never changes; the ask of a block gets a new id each time the block comes back from a rental.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from scanners.simulator.cards import CardSpec

Verification = Literal["verified", "unverified", "deverified"]


class Block(NamedTuple):
    """Neighbouring GPUs of a machine that are offered together."""

    first: int
    size: int

    def mask(self) -> int:
        """The GPUs as bits."""
        return ((1 << self.size) - 1) << self.first


@lru_cache(maxsize=256)
def blocks_by_size(gpus: int, min_chunk: int) -> tuple[tuple[Block, ...], ...]:
    """The blocks a machine is offered in, one group a size, the smallest first."""
    sizes = [size for size in (1, 2, 4, 8, 16) if min_chunk <= size < gpus]
    return tuple(tuple(Block(first, size) for first in range(0, gpus - size + 1, size)) for size in (*sizes, gpus))


@lru_cache(maxsize=256)
def slice_sizes(gpus: int, min_chunk: int) -> tuple[int, ...]:
    """How many GPUs at a time such a machine is offered, ascending."""
    return tuple(blocks[0].size for blocks in blocks_by_size(gpus, min_chunk))


@dataclass(frozen=True, kw_only=True, slots=True)
class Hardware:
    """What does not change while a machine exists. Memory is MB, disk GB, links Mbit/s, prices of traffic USD/GB."""

    card: CardSpec
    gpus: int
    gpu_ids: tuple[int, ...]
    min_chunk: int
    gpu_ram: int
    cpu_name: str | None
    cpu_cores: int | None
    cpu_ghz: float | None
    cpu_ram: int
    mobo_name: str | None
    disk_name: str
    disk_space: float
    disk_mbps: float
    inet_down: float
    inet_up: float
    inet_cost: float
    storage_cost: float
    """USD per GB and month of 720 h."""
    cuda: float
    driver: str
    pci_gen: float
    ports: int
    static_ip: bool
    place: str | None
    datacenter: bool
    address: str
    unbundled: bool = False
    """Every free block of a size is listed, not only the first."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """Fields that replace what a row says when it is sent, for odd answers; searches do not see them."""


class Ask(NamedTuple):
    """One block on the list."""

    id: int
    block: Block
    rentable: bool


@dataclass(kw_only=True, slots=True, eq=False)
class Machine:
    """A machine and its state."""

    machine_id: int
    host_id: int
    hardware: Hardware
    price: float
    """USD per GPU-hour, without disk."""
    bid_share: float
    """The lowest bid as a share of the price; may be above 1."""
    reliability: float
    """0 to 1."""
    health: float
    """The reliability it tends to."""
    verification: Verification
    listed_at: float
    ends_at: float
    """Epoch seconds until which it may be rented."""
    new_id: Callable[[], int]
    listed: bool = True
    taken: int = 0
    """The GPUs that are rented, as bits."""
    row: dict[str, Any] | None = None
    """What all its asks say alike, kept until something changes."""
    _ids: dict[Block, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for blocks in self._blocks():
            for block in blocks:
                self._ids[block] = self.new_id()

    def free(self, size: int) -> Block | None:
        """The first free block of that size; ValueError when the machine is not offered in that size."""
        for blocks in self._blocks():
            if blocks[0].size == size:
                return next((block for block in blocks if not block.mask() & self.taken), None)
        raise ValueError(f"machine {self.machine_id} is not offered {size} at a time")

    def sizes(self) -> tuple[int, ...]:
        """Slice sizes it is offered in."""
        return slice_sizes(self.hardware.gpus, self.hardware.min_chunk)

    def rent(self, block: Block) -> None:
        """Somebody takes the block; ValueError when part of it is taken already."""
        if block.mask() & self.taken:
            raise ValueError(f"machine {self.machine_id} has {block} taken")
        self.taken |= block.mask()

    def release(self, mask: int) -> None:
        """These GPUs come back: every slice that holds one of them is listed under a new ask id."""
        returned = mask & self.taken
        self.taken &= ~mask
        for block in self._ids:
            if block.mask() & returned:
                self._ids[block] = self.new_id()

    def asks(self, now: float, *, unbundled: bool = False) -> Iterator[Ask]:
        """Everything listed at `now`: of each size the first free block (all of them, unbundled), else a taken one."""
        if not self.listed or self.ends_at <= now:
            return
        taken, ids, unbundled = self.taken, self._ids, unbundled or self.hardware.unbundled
        for blocks in self._blocks():
            found = False
            for block in blocks:
                if not block.mask() & taken:
                    found = True
                    yield Ask(ids[block], block, True)
                    if not unbundled:
                        break
            if not found:
                yield Ask(ids[blocks[0]], blocks[0], False)

    def _blocks(self) -> tuple[tuple[Block, ...], ...]:
        return blocks_by_size(self.hardware.gpus, self.hardware.min_chunk)

"""What is wanted of a market, and the single steps that come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from market.coverage import Coverage
from market.offer import Offer

Purpose = Literal["first", "probe", "census", "confirm", "heartbeat"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Agenda:
    """What is wanted of one market now."""

    probes: tuple[Coverage, ...] = ()
    urgent: tuple[Coverage, ...] = ()
    """Questions that a new rule still waits for; they go first."""
    censuses: tuple[Coverage, ...] = ()
    doubtful: tuple[Offer, ...] = ()
    told: tuple[tuple[Offer, float], ...] = ()
    """Offers that somebody was told of, and the seconds after which each is to be looked at again."""
    standing: tuple[Offer, ...] = ()
    """Offers that match some rule: looked at again as often as the rows allow."""
    known: Callable[[Coverage], Mapping[str, float]] | None = None
    """The machines that a probe would show although nothing is new about them, and the seconds since each was seen;
    None: they cannot be kept out."""


class Look(NamedTuple):
    """An offer that is looked at again."""

    offer: Offer
    after_s: float
    """Since it was last seen: from then on a probe may show it."""
    ask_after_s: float
    """Since then: if no probe has shown it, it is asked for by machine."""
    pressing: bool = False
    """That question is not put off for other turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A question to be asked now; without one, none is due for `wait_s` seconds."""

    coverage: Coverage | None = None
    purpose: Purpose = "heartbeat"
    offers: tuple[Offer, ...] = ()
    """Of a confirmation: the offers that it asks for."""
    wait_s: float = 0.0
    reason: str = ""

"""A measured claim: what was measured, against what, and what is required of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One line of the table. `measured` and `baseline` are in `unit`; less is better in all of them."""

    claim: str
    measured: float
    unit: str = "ms"
    baseline: float | None = None
    against: str = ""
    """What the baseline is."""
    at_most: float | None = None
    """Required of `measured`."""
    times_better: float | None = None
    """Required of `ratio`."""
    detail: str = ""
    """How the figure came about: sizes, and what happened on the way."""

    @property
    def ratio(self) -> float | None:
        """How many times the baseline is as much as what was measured; None without a baseline."""
        return None if self.baseline is None else self.baseline / self.measured

    @property
    def ok(self) -> bool:
        """Whether all that is required holds."""
        if self.at_most is not None and self.measured > self.at_most:
            return False
        return self.times_better is None or (self.ratio is not None and self.ratio >= self.times_better)

    def required(self) -> str:
        """The requirement in words; a dash if there is none."""
        words = []
        if self.times_better is not None:
            words.append(f"at least {self.times_better:g} times better")
        if self.at_most is not None:
            words.append(f"at most {self.at_most:g} {self.unit}")
        return ", ".join(words) or "-"


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A claim that could not be measured here."""

    claim: str
    reason: str


Result = Figure | Skipped

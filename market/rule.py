"""A watch rule as understood: what somebody wants to be told about.

This module holds the record alone. `market.grammar` reads and writes its text, `market.verdict` judges offers by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from market.coverage import CountRange
from market.offer import DEFAULT_DISK_GB, Terms, Tier

Place = tuple[str, Tier]
"""A market and one of its tiers."""

EVERY_PLACE: frozenset[Place] = frozenset(
    {("vast", "datacenter"), ("vast", "community"), ("runpod", "secure"), ("runpod", "community")}
)
DEFAULT_PLACES: frozenset[Place] = EVERY_PLACE - {("runpod", "community")}
"""Nothing named: Vast.ai of both tiers and RunPod Secure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CardChoice:
    """One name of a rule: a card, or a family of cards, and the nominal memory asked for, if any."""

    name: str
    """Canonical card or family name, as it is written back."""
    cards: frozenset[str]
    """Canonical names of the cards it stands for."""
    vram_gb: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Everything one rule says, defaults filled in. Amounts are micro-dollars an hour, memory GB, links Mbit/s."""

    choices: tuple[CardChoice, ...] = ()
    """Empty: any card."""
    ceiling: int | None = None
    ceiling_is_total: bool = False
    """The ceiling is for the whole offer and not for one GPU of it."""
    counts: CountRange = (1, 1)
    reliability_above: int = 950_000
    """Parts per million, exclusive: `rel>=98` is above 979,999."""
    places: frozenset[Place] = DEFAULT_PLACES
    terms: Terms = "on_demand"
    countries: frozenset[str] = frozenset()
    not_countries: frozenset[str] = frozenset()
    data_centers: frozenset[str] = frozenset()
    disk_gb: int = DEFAULT_DISK_GB
    min_down_mbps: int | None = None
    min_ram_gb: int | None = None
    min_cuda: int | None = None
    """major * 1000 + minor."""
    min_vram_gb: int | None = None
    min_duration_s: int | None = None
    unverified: bool = False
    """Unverified hosts are welcome too."""
    drop_ppm: int | None = None
    """`drop:10%` is 100,000."""
    low_days: int | None = None
    shortage: bool = False
    once: bool = False
    until: date | None = None
    name: str | None = None

    def card_names(self) -> frozenset[str] | None:
        """Every card the rule may match; None is any card."""
        if not self.choices:
            return None
        return frozenset().union(*(choice.cards for choice in self.choices))

    def tiers(self, market: str) -> frozenset[Tier]:
        """The tiers of a market that the rule admits; empty when the market is excluded."""
        return frozenset(tier for name, tier in self.places if name == market)

    def admits_country(self, country: str | None) -> bool:
        """Whether a place passes `in:` and `not:`; an unknown one fails the first and passes the second."""
        return (not self.countries or country in self.countries) and country not in self.not_countries

    def offer_ceiling(self, gpu_count: int) -> int | None:
        """Micro-dollars an hour for a whole offer of so many GPUs."""
        if self.ceiling is None or self.ceiling_is_total:
            return self.ceiling
        return self.ceiling * gpu_count


class RuleError(ValueError):
    """A rule that cannot be read: the offending word, what is wrong with it, and an example that works."""

    def __init__(
        self, word: str, problem: str, example: str = "RTX 4090 <=0.40", choices: tuple[str, ...] = ()
    ) -> None:
        self.word = word
        self.problem = problem
        self.example = example
        self.choices = choices
        """Known names to choose from, when the word was ambiguous or misspelt."""
        known = f" ({', '.join(choices)})" if choices else ""
        super().__init__(f"{word!r}: {problem}{known}. Example: {example}")

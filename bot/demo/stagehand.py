"""Makes things happen on the simulated market: a machine that a rule waits for, and somebody who rents it."""

from __future__ import annotations

from bot.product import Product
from market.gpu import CATALOGUE
from market.money import dollars
from market.rule import Rule
from scanners.simulator.market import SimulatedMarket

UNDER = 0.93
"""What a machine made for a rule costs, as a share of the rule's ceiling."""
CLEARLY_CHEAPER = 0.8
"""The same, as a share of what was told: more than enough to be told again."""
USUAL_USD = 1.0


class Stagehand:
    """Works behind the simulated market; says what it did, so that nobody takes it for chance."""

    def __init__(self, product: Product, market: SimulatedMarket) -> None:
        self._product = product
        self._market = market

    def bring(self, rule: Rule, told_price: int | None = None) -> int | None:
        """Put a machine on offer that passes the rule and is news to its person; its id, None where the rule wants what
        Vast.ai has not. `told_price`: micro-dollars per GPU-hour that the person was told already."""
        if not rule.tiers("vast") or rule.data_centers:
            return None
        names = rule.card_names()
        card = min(names) if names else "RTX 4090"
        count = rule.counts[0]
        whole = rule.offer_ceiling(count)
        each = dollars(whole) / count * UNDER if whole is not None else USUAL_USD
        if told_price is not None:
            each = min(each, dollars(told_price) * CLEARLY_CHEAPER)
        return self._market.vast.add_machine(
            CATALOGUE.vast_spellings(card)[0],
            gpus=count,
            price=round(each, 4),
            reliability=max(0.997, min(0.9999, rule.reliability_above / 1_000_000 + 0.001)),
            datacenter="datacenter" in rule.tiers("vast") and "community" not in rule.tiers("vast"),
            days=30,
        )

    def rent(self, machine_id: int) -> None:
        """Somebody else takes the machine."""
        self._market.vast.remove_machine(machine_id)

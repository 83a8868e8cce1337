"""Ten thousand rules as people write them: many on the cards that much money is on offer for, few on the others.

Most wait for a price that the market rarely shows, below its 10th percentile; the rest would take half of what is
there. Some want more than one GPU, a bigger disk, a better host or a country.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from market.alert import price_per_gpu
from market.gpu import CATALOGUE
from market.grammar import write_rule
from market.offer import Offer
from market.rule import CardChoice, Rule

TIGHT: Final = 0.98
"""Share of the rules whose ceiling is below the 10th percentile of the card."""
COUNTS: Final = ((1, 1), (2, 2), (4, 4), (8, 8), (1, None))
COUNT_WEIGHTS: Final = (76, 10, 7, 4, 3)


def wishes(offers: Sequence[Offer], count: int, seed: int = 1) -> list[str]:
    """So many rules in canonical form, made for what is on offer."""
    chance = Random(f"wishes {seed}")
    prices: dict[str, list[int]] = {}
    for offer in offers:
        prices.setdefault(offer.gpu, []).append(price_per_gpu(offer, "on_demand", 8))
    cards = sorted(prices)
    money = [sum(prices[card]) for card in cards]
    ranked = {card: sorted(prices[card]) for card in cards}
    catalogue = CATALOGUE.with_seen(cards)
    return [
        write_rule(_rule(chance, card, ranked[card]), catalogue=catalogue)
        for card in chance.choices(cards, weights=money, k=count)
    ]


def _rule(chance: Random, card: str, prices: list[int]) -> Rule:
    tenth, middle = prices[len(prices) // 10], prices[len(prices) // 2]
    tight = chance.random() < TIGHT
    ceiling = chance.uniform(0.4, 0.8) * tenth if tight else chance.uniform(tenth, middle)
    return Rule(
        choices=(CardChoice(name=card, cards=frozenset({card})),),
        ceiling=max(round(ceiling / 1_000) * 1_000, 1_000),
        counts=chance.choices(COUNTS, weights=COUNT_WEIGHTS)[0],
        reliability_above=chance.choices((950_000, 980_000, 990_000), weights=(80, 12, 8))[0],
        countries=frozenset({chance.choice(("US", "CA", "DE", "PL"))}) if chance.random() < 0.1 else frozenset(),
        disk_gb=chance.choices((8, 50, 100), weights=(80, 10, 10))[0],
        min_down_mbps=500 if chance.random() < 0.1 else None,
        once=chance.random() < 0.15,
    )

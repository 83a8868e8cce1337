"""The canonical text of a rule: every part in one order and one form, defaults left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from market.card import key_of
from market.gpu import Catalogue
from market.grammar.figures import (
    counts_text,
    duration_text,
    percent_text,
    price_text,
    reliability_text,
    version_text,
)
from market.grammar.places import words_for
from market.grammar.quoted import quoted
from market.offer import DEFAULT_DISK_GB
from market.rule import CardChoice, Rule

_DEFAULT: Final = Rule()


def write_rule(rule: Rule, *, catalogue: Catalogue) -> str:
    """The text that `read_rule` reads back as the same rule.

    Raises ValueError for a rule that no text says, such as one with a card that the catalogue does not know.
    """
    return " ".join((_cards(rule.choices, catalogue), *_price(rule), *_market(rule), *_machine(rule), *_rest(rule)))


def _cards(choices: tuple[CardChoice, ...], catalogue: Catalogue) -> str:
    for choice in choices:
        known = catalogue.typed.get(key_of(choice.name))
        if known is None or known.name != choice.name:
            raise ValueError(f"{choice.name!r} is not a name of the catalogue")
    return ", ".join(map(_card, choices)) or "any"


def _card(choice: CardChoice) -> str:
    return choice.name if choice.vram_gb is None else f"{choice.name} {choice.vram_gb}GB"


def _price(rule: Rule) -> Iterator[str]:
    if rule.ceiling is not None:
        yield f"<={price_text(rule.ceiling)}" + (" total" if rule.ceiling_is_total else "")
    if rule.counts != _DEFAULT.counts:
        yield counts_text(rule.counts)
    if rule.reliability_above != _DEFAULT.reliability_above:
        yield f"rel{reliability_text(rule.reliability_above)}"


def _market(rule: Rule) -> Iterator[str]:
    spot = rule.terms == "interruptible"
    yield from words_for(rule.places, spot=spot)
    if spot:
        yield "spot"
    for word, values in (("in", rule.countries), ("not", rule.not_countries), ("dc", rule.data_centers)):
        if values:
            yield f"{word}:{','.join(sorted(values))}"


def _machine(rule: Rule) -> Iterator[str]:
    if rule.disk_gb != DEFAULT_DISK_GB:
        yield f"disk:{rule.disk_gb}"
    for word, floor in (("down", rule.min_down_mbps), ("ram", rule.min_ram_gb), ("vram", rule.min_vram_gb)):
        if floor is not None:
            yield f"{word}>={floor}"
    if rule.min_cuda is not None:
        yield f"cuda>={version_text(rule.min_cuda)}"
    if rule.min_duration_s is not None:
        yield f"dur>={duration_text(rule.min_duration_s)}"
    if rule.unverified:
        yield "unverified"


def _rest(rule: Rule) -> Iterator[str]:
    if rule.drop_ppm is not None:
        yield f"drop:{percent_text(rule.drop_ppm)}%"
    if rule.low_days is not None:
        yield f"low:{rule.low_days}d"
    if rule.shortage:
        yield "shortage"
    if rule.once:
        yield "once"
    if rule.until is not None:
        yield f"until:{rule.until.isoformat()}"
    if rule.name is not None:
        yield f"name:{quoted(rule.name)}"

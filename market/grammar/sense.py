"""The last step of reading: the parts become a rule, and parts that exclude each other are refused.

A rule that can never match would look like a quiet market.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from market.grammar import problems
from market.grammar.cursor import refusal
from market.grammar.places import places_of, secure_only, vast_only
from market.place import data_center_country
from market.rule import CardChoice, Place, Rule


def finished(choices: tuple[CardChoice, ...], fields: Mapping[str, Any], words: frozenset[str]) -> Rule:
    """The rule of these parts; `words` are its market and tier words. Raises RuleError."""
    rule = Rule(choices=choices, places=_places(fields, words), **fields)
    _check_countries(rule)
    _check_memory(rule)
    return rule


def _places(fields: Mapping[str, Any], words: frozenset[str]) -> frozenset[Place]:
    said = " ".join(sorted(words, key=lambda word: (word not in ("vast", "runpod"), word)))
    places = places_of(words)
    if not places:
        raise refusal(said, problems.NO_MARKET_LEFT, "vast datacenter", ("vast datacenter", "runpod secure"))
    if fields.get("terms") == "interruptible":
        if "runpod" in words or not vast_only(places):
            raise refusal(f"{said} spot", problems.SPOT_ON_RUNPOD, "vast spot")
        places = vast_only(places)
    if fields.get("data_centers"):
        if "vast" in words or not secure_only(places):
            raise refusal(f"dc:{min(fields['data_centers'])}", problems.DATA_CENTER_ELSEWHERE, "dc:EU-RO-1")
        places = secure_only(places)
    return places


def _check_countries(rule: Rule) -> None:
    if rule.countries and not rule.countries - rule.not_countries:
        raise refusal(f"not:{','.join(sorted(rule.not_countries))}", problems.NO_PLACE_LEFT, "in:BR,US not:US")
    if rule.data_centers and not any(rule.admits_country(data_center_country(dc)) for dc in rule.data_centers):
        raise refusal(f"dc:{','.join(sorted(rule.data_centers))}", problems.NO_PLACE_LEFT, "dc:EU-RO-1 in:RO")


def _check_memory(rule: Rule) -> None:
    sizes = [choice.vram_gb for choice in rule.choices]
    floor = rule.min_vram_gb
    if floor is not None and sizes and all(size is not None and size < floor for size in sizes):
        raise refusal(f"vram>={floor}", problems.MEMORY_CONTRADICTION, "A100 80GB")

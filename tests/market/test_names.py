"""Names are what is seen of them."""

from __future__ import annotations

import pytest

from market.gpu import CATALOGUE
from market.grammar import read_rule, write_rule
from market.names import look, seen_name
from market.rule import RuleError
from tests.market.test_grammar import TODAY

UNSEEN = [
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\u00ad",
    "\u034f",
    "\u115f",
    "\u3164",
    "\uffa0",
    "\u2800",
    "\ufe0f",
    "\U000e0041",
    "\U000e0100",
    "\u061c",
    "\u180e",
]


@pytest.mark.parametrize("char", UNSEEN, ids=lambda char: f"U+{ord(char):04X}")
def test_a_character_that_is_not_seen_is_no_part_of_a_name(char: str) -> None:
    rule = read_rule(f'4090 name:"{char}lo{char}ra{char}"', catalogue=CATALOGUE, today=TODAY)
    assert rule.name == "lora"
    assert write_rule(rule, catalogue=CATALOGUE) == "RTX 4090 name:lora"


@pytest.mark.parametrize("char", UNSEEN, ids=lambda char: f"U+{ord(char):04X}")
def test_a_name_of_such_characters_alone_is_none_and_is_refused(char: str) -> None:
    with pytest.raises(RuleError):
        read_rule(f'4090 <=0.44 name:"{char}{char}"', catalogue=CATALOGUE, today=TODAY)


@pytest.mark.parametrize(
    "name", ["lora", "LORA", "lo\u200bra", "\u202elora\u202d", "  lora", "lora\u00a0", "lo\u00adra"]
)
def test_names_that_look_the_same_are_the_same(name: str) -> None:
    assert look(name) == look("lora")


def test_a_letter_with_its_accent_apart_is_the_same_letter() -> None:
    assert seen_name("re\u0301gua") == seen_name("r\u00e9gua") == "r\u00e9gua"


@pytest.mark.parametrize("name", ["noite longa", "régua", "夜", "🔥 fast", "a-b_c", "ночь"])
def test_what_is_seen_stays(name: str) -> None:
    assert seen_name(name) == name


def test_no_name_looks_like_no_name() -> None:
    assert look(None) == look("") == look("\u200b") == ""

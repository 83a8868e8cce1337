"""A rule that nothing can ever match is refused, with the option that is to blame and the reason."""

from __future__ import annotations

from datetime import date

import pytest

from bot.language import speech_for
from bot.render.chat.problems import problem_text
from bot.rulecheck import check_supported
from market.gpu import CATALOGUE
from market.grammar import read_rule
from market.rule import Rule, RuleError


def rule(text: str) -> Rule:
    return read_rule(text, catalogue=CATALOGUE, today=date(2026, 12, 1))


def refusal(text: str) -> RuleError:
    with pytest.raises(RuleError) as caught:
        check_supported(rule(text))
    return caught.value


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("4090 runpod down>=500", "down>=500", "download speed"),
        ("4090 runpod any tier ram>=64", "ram>=64", "memory of the machine"),
        ("4090 secure dur>=3d", "dur>=3d", "end of an offer"),
        ("4090 dc:EU-RO-1 down>=500", "down>=500", "download speed"),
        ("4090 runpod dur>=36h ram>=64", "ram>=64", "memory of the machine"),
        ("4090 in:BR runpod community", "in:BR", "no place for Community Cloud"),
        ("4090 in:US,BR runpod community", "in:BR,US", "no place for Community Cloud"),
        ("4090 in:BR runpod community down>=500", "down>=500", "download speed"),
    ],
)
def test_a_rule_that_no_place_of_it_can_satisfy_is_refused_naming_the_option_and_why(
    text: str, word: str, why: str
) -> None:
    error = refusal(text)
    assert error.word == word
    assert why in error.problem
    check_supported(rule(error.example))


@pytest.mark.parametrize(
    "text",
    [
        "4090",
        "4090 down>=500",
        "4090 vast down>=500 ram>=64 dur>=3d in:BR",
        "4090 community in:BR",
        "4090 runpod in:BR",
        "4090 runpod secure community in:BR",
        "4090 runpod community not:BR",
        "4090 spot down>=500",
    ],
)
def test_a_rule_that_one_place_can_satisfy_is_accepted(text: str) -> None:
    check_supported(rule(text))


def test_a_kind_of_rule_that_is_not_watched_is_refused() -> None:
    assert [refusal(f"4090 {word}").word for word in ("drop:10%", "low:30d", "shortage")] == [
        "drop:",
        "low:",
        "shortage",
    ]


@pytest.mark.parametrize("text", ["4090 runpod down>=1", "4090 runpod ram>=1", "4090 runpod dur>=1h",
                                  "4090 runpod community in:BR", "4090 shortage"])  # fmt: skip
def test_why_a_rule_is_refused_is_said_in_portuguese_too(text: str) -> None:
    problem = refusal(text).problem
    assert problem_text(problem, speech_for("pt_BR")) != problem
    assert problem_text(problem, speech_for("en")) == problem

"""How amounts, shares and spans are written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.numbers import amount, count, percent, plain, span, usd
from market.money import micro


@pytest.mark.parametrize(
    ("value", "english", "portuguese"),
    [
        (0.1 + 0.2, "0.3000", "0,3000"),
        (0.00001, "0.00001", "0,00001"),
        (0.000001, "0.000001", "0,000001"),
        (0, "0.0000", "0,0000"),
        (0.32083333, "0.3208", "0,3208"),
        (0.35333333, "0.3533", "0,3533"),
        (1.4, "1.40", "1,40"),
        (1.398333, "1.3983", "1,3983"),
        (Decimal(10).normalize(), "10.00", "10,00"),
        (1234.5, "1,234.50", "1.234,50"),
        (-1234.5, "-1,234.50", "-1.234,50"),
    ],
)
def test_prices_are_written_for_people_in_their_language(value: float, english: str, portuguese: str) -> None:
    assert amount(micro(value), "en") == english
    assert amount(micro(value), "pt_BR") == portuguese


@given(st.integers(-(10**320), 10**320), st.sampled_from(["en", "pt_BR"]))
def test_no_amount_shows_an_exponent_or_the_noise_of_fractions(value: int, language: str) -> None:
    text = usd(value, language)
    assert text.startswith("US$ ")
    assert set(text[4:]) <= set("-0123456789.,")
    fraction = text.rpartition("." if language == "en" else ",")[2]
    assert 2 <= len(fraction) <= 6


@given(st.integers(0, 10**12))
def test_an_amount_for_a_command_line_is_exact(value: int) -> None:
    assert Decimal(plain(value)) * 1_000_000 == value
    assert "E" not in plain(value)


@pytest.mark.parametrize(
    ("ppm", "english", "portuguese"),
    [
        (970_000, "97.0 %", "97,0 %"),
        (992_680, "99.3 %", "99,3 %"),
        (1_000_000, "100.0 %", "100,0 %"),
        (0, "0.0 %", "0,0 %"),
    ],
)
def test_reliability_is_per_cent_with_one_decimal(ppm: int, english: str, portuguese: str) -> None:
    assert (percent(ppm, "en"), percent(ppm, "pt_BR")) == (english, portuguese)


def test_counts_are_grouped() -> None:
    assert (count(1_234_567, "en"), count(1_234_567, "pt_BR"), count(7, "en")) == ("1,234,567", "1.234.567", "7")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"),
        (3.9, "3 s"),
        (119, "119 s"),
        (720, "12 min"),
        (95 * 60, "1 h 35 min"),
        (7200, "2 h"),
        (2 * 86400 + 4 * 3600 + 59, "2 d 4 h"),
        (86400, "1 d"),
    ],
)
def test_a_span_has_at_most_two_units_and_is_never_negative(seconds: float, text: str) -> None:
    assert span(seconds) == text

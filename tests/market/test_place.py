"""A RunPod data centre tells its country by its id, or does not."""

from __future__ import annotations

import pytest

from market.place import COUNTRIES, data_center_country, is_data_center


@pytest.mark.parametrize(
    ("data_center", "country"),
    [
        ("US-KS-2", "US"),
        ("US-DE-1", "US"),
        ("US-GA-1", "US"),
        ("EU-RO-1", "RO"),
        ("EU-SE-1", "SE"),
        ("EUR-IS-1", "IS"),
        ("EUR-NO-2", "NO"),
        ("CA-MTL-1", "CA"),
        ("AP-JP-1", "JP"),
        ("AP-IN-1", "IN"),
        ("OC-AU-1", "AU"),
        ("SA-BR-1", "BR"),
        ("eu-ro-1", "RO"),
        ("EU-1", None),
        ("ZZ-QQ-1", None),
        ("", None),
    ],
)
def test_the_country_of_a_data_centre(data_center: str, country: str | None) -> None:
    assert data_center_country(data_center) == country


def test_an_id_has_a_shape_and_anything_else_is_none() -> None:
    assert is_data_center("EUR-IS-1")
    for text in ("", "EU", "mars", "EU-RO-1 ", "EU-RO-1;", "EU--1", "ÉU-RO-1"):
        assert not is_data_center(text)


def test_country_codes_are_two_capital_letters() -> None:
    assert len(COUNTRIES) == 250
    assert all(len(code) == 2 and code.isascii() and code.isupper() for code in COUNTRIES)

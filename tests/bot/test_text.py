"""Alerts and offers as lines of a terminal, and text from outside made harmless."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.language import Speech, speech_for
from bot.render.clean import clean, cut, printable, units
from bot.render.text import alert_text, offer_line
from market.alert import Part
from market.offer import Offer, Terms
from tests.bot.samples import LINKS, NOW, RUNPOD, VAST, alert, hostile, offers_of, part, parts_of, terms_of

speeches: st.SearchStrategy[Speech] = st.sampled_from([speech_for("en"), speech_for("pt")])


def test_an_alert_names_the_rule_the_price_what_it_includes_and_how_to_rent() -> None:
    text = alert_text(alert(part(VAST, RUNPOD, name="lora", count=5)), number=12, now=NOW, links=LINKS)
    assert text.splitlines()[0] == "[12] AVAILABLE: 1× RTX 4090, US$ 0.3500 per GPU-hour, seen 3 s ago"
    for said in (
        "rule lora: RTX 4090 <=0.40",
        "US$ 0.3500 an hour in total, with 8 GB of disk",
        "US$ 1.38 an hour in total, disk not included",
        "reliability 97.0 %",
        "reliability: none published",
        "XX-ONE-1, XX-TWO-1, XX-TRI-1 and 1 more",
        "stock reported low, may be gone on arrival",
        "vastai create instance 70001 --image … --disk 8",
        "https://cloud.example/create/?gpu=1&order=price",
        "and 3 more offers",
    ):
        assert said in text


def test_the_terminal_speaks_portuguese_too() -> None:
    text = alert_text(alert(), number=1, now=NOW, links=LINKS, speech=speech_for("pt_BR"))
    assert text.startswith("[1] DISPONÍVEL: 1× RTX 4090, US$ 0,3500 por GPU-hora, visto há 3 s")


def test_the_disk_of_the_rule_is_inside_the_price_shown() -> None:
    offer = VAST._replace(price=301_667, storage_price=150_000)
    assert "US$ 0.3208 an hour in total, with 100 GB of disk" in offer_line(offer, "on_demand", 100)


def test_missing_facts_are_said_to_be_missing() -> None:
    line = offer_line(VAST._replace(reliability_ppm=None, verified=None, place=None, country=None))
    assert "reliability unknown" in line
    assert "verification unknown" in line
    assert "place unknown" in line
    assert "price unknown" in offer_line(RUNPOD, "interruptible")


def test_an_alert_without_any_offer_names_the_rule() -> None:
    text = alert_text(alert(part(offers=(), count=0), kind="shortage_start"), number=2, now=NOW, links={})
    assert text.splitlines()[0] == "[2] SHORTAGE BEGINS: RTX 4090 <=0.40, seen 3 s ago"


@settings(max_examples=25)
@given(st.lists(parts_of(), min_size=1, max_size=3), speeches)
def test_hostile_text_never_moves_the_cursor_or_breaks_a_line(parts: list[Part], speech: Speech) -> None:
    said = alert(*parts)
    text = alert_text(said, number=1, now=NOW, links={}, speech=speech)
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.count("\n") <= 3 * (2 + 3 * 2)


@settings(max_examples=50)
@given(offers_of, terms_of, speeches)
def test_any_offer_is_one_printable_line(offer: Offer, terms: Terms, speech: Speech) -> None:
    line = offer_line(offer, terms, 8, now=NOW, speech=speech)
    assert line.isprintable()
    assert line


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("treino_lora", "treino_lora"),
        ("São Paulo, BR (rack_#1) [x]!", "São Paulo, BR (rack_#1) [x]!"),
        ("a\tb\r\nc", "a b  c"),
        ("\x1b[31mred", " [31mred"),
        ("\u202egnp.exe", "gnp.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("half \ud800 pair", "half  pair"),
        ("日本 🦙", "日本 🦙"),
    ],
)
def test_only_what_can_do_harm_is_taken_out_of_a_text(raw: str, shown: str) -> None:
    assert printable(raw) == shown


@given(hostile | st.text(), st.integers(1, 200))
def test_cleaned_text_is_printable_encodable_and_within_its_limit(raw: str, limit: int) -> None:
    text = clean(raw, limit)
    assert text.isprintable()
    assert len(text.encode("utf-16-le")) // 2 == units(text) <= limit


def test_a_text_that_was_cut_says_so() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert cut("🦙🦙🦙", 4) == "🦙…"

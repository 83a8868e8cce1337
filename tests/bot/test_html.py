"""Telegram HTML: what is escaped, and that no message is ever refused for its length or its markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.language import speech_for
from bot.render.html import (
    BLANK,
    Html,
    bold,
    code,
    escape,
    fits,
    fitted,
    joined,
    link,
    pages,
    phrase,
    phrases,
    struck,
    visible,
)
from tests.bot.samples import hostile
from tests.bot.telegram_markup import RefusedError, read

EN, PT = speech_for("en"), speech_for("pt")


@st.composite
def rows_of(draw: st.DrawFn) -> Html:
    text = draw(hostile.filter(lambda raw: len(raw) < 3000))
    row = draw(st.sampled_from([escape, bold, code, struck]))(text)
    return joined([row, link("https://example.org/?a=1&b=2", "x"), "·"], " ")


@pytest.mark.parametrize(
    "raw", ["São Paulo, BR (rack_#1) [x]!", "a.b-c=d|{e}~f>g+h", "US_East", "1 < 2 & 3 > 2", "&lt;b&gt;"]
)
def test_what_is_seen_is_what_was_written(raw: str) -> None:
    assert read(escape(raw)).text == raw
    assert read(bold(raw)).text == raw
    assert read(phrase(EN, "seen {age}", age=raw)).text == f"seen {raw}"
    assert visible(bold(raw)) == raw


@given(hostile)
def test_no_text_from_outside_becomes_markup(raw: str) -> None:
    row = joined([phrase(PT, "rule {name}: {rule}", name=bold(raw), rule=raw), code(raw), "."])
    if len(raw) < 800:
        assert read(row).entities == 2
    assert not any(line for line in visible(row).split("\n") if not line.isprintable())


@pytest.mark.parametrize(
    "url", [None, "", "javascript:alert(1)", "tg://user?id=1", "https://a b", "https://a/\n", "https://" + "a" * 3000]
)
def test_what_is_not_a_web_address_is_not_made_a_link(url: str | None) -> None:
    assert read(link(url, "Open")).links == ()
    assert read(link(url, "Open")).text == "Open"


def test_an_address_cannot_break_out_of_its_quotes() -> None:
    url = "https://example.org/?a=\"><b>&b='2'"
    assert read(link(url, "Open")).links == (url,)


def test_plural_phrases_are_escaped_like_any_other() -> None:
    assert phrases(PT, "and {n} more offer", "and {n} more offers", 1_000_000) == "e mais 1.000.000 de ofertas"


def test_a_long_list_becomes_pages_that_hold_every_row_once_whole_and_in_order() -> None:
    rows = [escape(f"🟢 RTX 4090 · Vast · US · $0,3500/h · 97,5 % {n}") for n in range(150)]
    done = pages(rows, bold("Offers"), escape("& the foot"))
    assert len(done) >= 2
    seen = [read(page).text.split("\n") for page in done]
    assert all((lines[0], lines[-1]) == ("Offers", "& the foot") for lines in seen)
    assert [line for lines in seen for line in lines[1:-1]] == [visible(row) for row in rows]


def test_the_limit_counts_what_is_seen_in_utf16_units() -> None:
    assert fits(bold("x" * 4096))
    assert not fits(bold("x" * 4097))
    assert fits(escape("🦙" * 2048))
    assert not fits(escape("🦙" * 2049))
    assert fits(escape("&" * 4096))
    assert len(pages([escape("x" * 4096)])) == 1


def test_a_message_with_too_much_markup_behind_few_words_is_divided() -> None:
    rows = [link(f"https://example.org/{'x' * 1900}", str(n)) for n in range(40)]
    done = pages(rows)
    assert [line for page in done for line in read(page).text.split("\n")] == [str(n) for n in range(40)]
    assert len(done) > 1


def test_links_beyond_what_telegram_formats_go_to_the_next_page() -> None:
    done = pages([link("https://example.org", str(n)) for n in range(101)])
    assert [read(page).entities for page in done] == [100, 1]


@settings(max_examples=40)
@given(st.lists(rows_of(), max_size=30), rows_of(), rows_of())
def test_every_page_is_taken_and_every_row_is_there_once_in_order(rows: list[Html], head: Html, foot: Html) -> None:
    numbered = [joined([f"row-{n}-begins", row, f"row-{n}-ends"], " ") for n, row in enumerate(rows)]
    done = [read(page).text for page in pages(numbered, head, foot)]
    found = re.findall(r"row-(\d+)-begins", "\n".join(done))
    assert found == [str(n) for n in range(len(rows))]
    for n, row in enumerate(rows):
        if len(visible(row)) < 900:
            assert sum(f"row-{n}-begins" in page and f"row-{n}-ends" in page for page in done) == 1


def test_a_row_longer_than_a_message_is_cut_visibly_and_stands_alone() -> None:
    done = pages([escape("a"), bold("&" * 5000), escape("b")])
    seen = [read(page).text for page in done]
    assert seen[0] == "a"
    assert seen[1].startswith("&&&")
    assert seen[1].endswith("…")
    assert seen[2] == "b"


def test_no_rows_are_one_page_of_head_and_foot_and_nothing_is_no_page() -> None:
    assert pages([], escape("Nothing"), escape("foot")) == ["Nothing\nfoot"]
    assert pages([]) == []


def test_what_does_not_fit_is_told_to_the_tail() -> None:
    rows = [escape("y" * 1000)] * 6
    message = fitted([escape("head")], rows, lambda shown: [BLANK, escape(f"and {6 - shown} more")])
    lines = read(message).text.split("\n")
    assert lines[0] == "head"
    assert lines[-2:] == ["", f"and {6 - (len(lines) - 3)} more"]
    assert len(lines) - 3 == 4


@settings(max_examples=50)
@given(st.lists(rows_of(), max_size=8), st.lists(rows_of(), min_size=1, max_size=4))
def test_a_fitted_message_is_always_taken(rows: list[Html], head: list[Html]) -> None:
    read(fitted(head, rows, lambda shown: [escape(str(shown))]))


@pytest.mark.parametrize(
    "refused", ["<p>x</p>", "<b>x", "x</b>", "a < b", "a & b", "<b><i>x</b></i>", "", "<b> </b>", "x" * 4097]
)
def test_the_reader_that_these_tests_trust_refuses_what_telegram_refuses(refused: str) -> None:
    with pytest.raises(RefusedError):
        read(refused)

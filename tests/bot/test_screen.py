"""The terminal's screen: messages, edits that name what they change, and numbered buttons."""

from __future__ import annotations

import io

from bot.conversation import Key, Reply
from bot.language import speech_for
from bot.render.html import escape
from bot.terminal.screen import Screen, alert_id


def test_an_edited_alert_is_named_by_the_number_it_was_shown_with() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    screen.write("[7] AVAILABLE: a card", alert="7")
    screen.write("gone", edits=alert_id("7"))
    assert "atalaia (alert 7, changed)> gone" in stream.getvalue()


def test_an_alert_of_an_earlier_run_is_named_though_this_screen_never_showed_it() -> None:
    stream = io.StringIO()
    screen = Screen(stream, speech=speech_for("pt_BR"))
    screen.write("[9] DISPONÍVEL: outra", alert="9")
    screen.write("sumiu", edits=alert_id("3"))
    assert "atalaia (aviso 3, alterado)> sumiu" in stream.getvalue()


def test_an_edited_answer_bears_no_number_that_nobody_has_seen() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    first = screen.show(Reply(html=escape("a list"), keys=((Key(label="Pause", data="v1:pause:1"),),)))
    assert screen.pressed(1) == (first, "v1:pause:1")
    screen.show(Reply(html=escape("the list again"), edits=True), edits=first)
    assert "atalaia (changed)> the list again" in stream.getvalue()


def test_a_person_types_in_their_own_language() -> None:
    assert (Screen(io.StringIO()).prompt, Screen(io.StringIO(), speech=speech_for("pt_BR")).prompt) == (
        "you> ",
        "você> ",
    )

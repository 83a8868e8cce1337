"""The HTML mode reads and refuses as the official server does, with its words and its byte offsets."""

from __future__ import annotations

import pytest

from tests.fakes.botapi.formatted import Entity, FormattedText, typed_by_person
from tests.fakes.botapi.html_mode import parse_html
from tests.fakes.botapi.refusals import Refusal

SURROGATE = (
    "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units"
)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("x <", "Unclosed start tag at byte offset 2"),
        ("x <b", "Unclosed start tag at byte offset 2"),
        ("é <p>a</p>", 'Unsupported start tag "p" at byte offset 3'),
        ("<b>a", 'Can\'t find end tag corresponding to start tag "b"'),
        ("<b><code>a", 'Can\'t find end tag corresponding to start tag "code"'),
        ("<b>a</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("a</b>", "Unexpected end tag at byte offset 1"),
        ("<b>a</b", "Unclosed end tag at byte offset 4"),
        ("<b x>a</b>", 'Expected equal sign in declaration of an attribute of the tag "b" at byte offset 0'),
        ("<b =x>a</b>", 'Empty attribute name in the tag "b" at byte offset 0'),
        ("<a href=x/y>a</a>", "Unexpected end of name token at byte offset 8"),
        ('<a href="x>a</a>', "Unclosed start tag at byte offset 0"),
        ("<a href=", 'Unclosed start tag "a" at byte offset 0'),
        ("<span>a</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ("&#xD800;", SURROGATE),
    ],
)
def test_broken_markup_is_refused_with_the_place(source: str, problem: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse_html(source)
    assert caught.value.description == f"Bad Request: can't parse entities: {problem}"


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("&lt;&gt;&amp;&quot; &#39;&#x27; &laquo; R&D", "<>&\" '' &laquo; R&D", ()),
        ("🖥 <b>🖥</b>", "🖥 🖥", (Entity("bold", 3, 2),)),
        ("<i>a<b>b</b></i>", "ab", (Entity("italic", 0, 2), Entity("bold", 1, 1))),
        ("<STRONG>a</strong>", "a", (Entity("bold", 0, 1),)),
        ("<b></b>", "", ()),
        ("<i>a</>", "a", (Entity("italic", 0, 1),)),
        (
            '<a href="https://example.org/?a=1&amp;b=2">x</a>',
            "x",
            (Entity("text_link", 0, 1, url="https://example.org/?a=1&b=2"),),
        ),
        (
            '<pre><code class="language-sh">vastai</code></pre>',
            "vastai",
            (Entity("pre", 0, 6, language="sh"),),
        ),
        ("<blockquote expandable>a</blockquote>", "a", (Entity("expandable_blockquote", 0, 1),)),
        ('<span class="tg-spoiler">a</span>', "a", (Entity("spoiler", 0, 1),)),
    ],
)
def test_sound_markup_becomes_text_and_entities(source: str, text: str, entities: tuple[Entity, ...]) -> None:
    assert parse_html(source) == FormattedText(text, entities)


def test_white_space_at_the_ends_is_dropped_and_entities_move() -> None:
    assert parse_html("\n <b> a </b> \n").trimmed() == FormattedText("a", (Entity("bold", 0, 1),))


def test_commands_in_a_persons_text_are_marked_wherever_they_stand() -> None:
    content = typed_by_person("  /watch@tower_bot 🖥 4090 0.40/h or /NOW ")
    assert content.text == "/watch@tower_bot 🖥 4090 0.40/h or /NOW"
    assert content.styled("bot_command") == ["/watch@tower_bot", "/NOW"]

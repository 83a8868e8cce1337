"""Languages: which one is spoken, that its catalogue is complete, and how it writes times and numbers."""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import bot
from bot.language import LANGUAGES, speech_for
from bot.locale.extraction import KEYWORDS, places, problems, template_of
from bot.locale.update import main, updated

BOT = Path(bot.__file__).parent
TRANSLATED = [language for language in LANGUAGES if language != "en"]
NOON = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
SAO_PAULO, LISBON = ZoneInfo("America/Sao_Paulo"), ZoneInfo("Europe/Lisbon")


@pytest.fixture(scope="module")
def spoken() -> Catalog:
    """Every message in the code."""
    return template_of(BOT)


def catalogue(language: str) -> Catalog:
    file = BOT / "locale" / language / "LC_MESSAGES" / "atalaia.po"
    return read_po(io.BytesIO(file.read_bytes()), locale=language)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated_and_none_is_left_over(language: str, spoken: Catalog) -> None:
    assert problems(catalogue(language), spoken) == []


def test_the_code_speaks_only_messages_that_can_be_found_and_translated(spoken: Catalog) -> None:
    assert len(spoken) > 20
    assert list(computed_messages(spoken)) == []


def spoken_by(function: ast.expr) -> str:
    """`text` and `plural` speak as methods, `phrase` and `phrases` as functions; others of these names do not."""
    if isinstance(function, ast.Attribute):
        return function.attr if function.attr in {"text", "plural"} else ""
    return function.id if isinstance(function, ast.Name) and function.id in {"phrase", "phrases"} else ""


def computed_messages(spoken: Catalog) -> Iterator[str]:
    """Calls that speak a message put together at run time, or one that the extraction does not see."""
    for file in BOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = spoken_by(node.func)
            for place in KEYWORDS.get(name, ()):
                message = node.args[place - 1] if len(node.args) >= place else None
                if not (isinstance(message, ast.Constant) and isinstance(message.value, str)):
                    yield f"{file.relative_to(BOT)}:{node.lineno}: {ast.unparse(node)}"
                elif place == KEYWORDS[name][0] and message.value not in spoken:
                    yield f"{file.relative_to(BOT)}:{node.lineno}: not extracted: {message.value!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_and_every_translation_can_be_filled_in(language: str, spoken: Catalog) -> None:
    speech = speech_for(language)
    for message in spoken:
        if not message.id:
            continue
        msgid, plural = (message.id, None) if isinstance(message.id, str) else message.id
        values = dict.fromkeys(places(msgid) | places(plural or msgid), "X")
        for n in (0, 1, 2, 1_000_000):
            said = speech.text(msgid, **values) if plural is None else speech.plural(msgid, plural, n, **values)
            assert said
            assert "{" not in said


def test_the_check_finds_every_way_a_catalogue_can_be_wrong() -> None:
    wanted = Catalog(locale="pt_BR")
    for msgid in (
        "missing",
        "empty",
        "fuzzy",
        "other {name}",
        ("{n} few", "{n} fews"),
        ("{n} one", "{n} ones"),
        "good {x}",
    ):
        wanted.add(msgid)
    wrong = Catalog(locale="pt_BR")
    wrong.add("empty", "")
    wrong.add("fuzzy", "vago", flags=["fuzzy"])
    wrong.add("other {name}", "outro {nome}")
    wrong.add(("{n} few", "{n} fews"), ("{n} a", "{n} b", ""))
    wrong.add("{n} one", "{n} um")
    wrong.add("good {x}", "bom {x}")
    wrong.add("left over", "sobra")
    found = "\n".join(problems(wrong, wanted))
    for part in ("missing", "empty", "fuzzy", "{nome}", "{n} fews", "{n} ones", "left over"):
        assert part in found
    assert "good" not in found


def test_an_update_adds_new_messages_empty_drops_old_ones_and_is_stable() -> None:
    old = b'msgid ""\nmsgstr ""\n"Language: pt_BR\\n"\n\nmsgid "Kept"\nmsgstr "Fica"\n\nmsgid "Gone"\nmsgstr "Foi"\n'
    template = Catalog()
    template.add("Kept")
    template.add("Kept as well")
    once, result = updated(old, "pt_BR", template)
    assert b"Fica" in once
    assert b"Foi" not in once
    assert problems(result, template) == ["empty or with too few plural forms: 'Kept as well'"]
    assert updated(once, "pt_BR", template)[0] == once


def test_the_update_command_checks_without_writing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "locale" / "pt_BR" / "LC_MESSAGES" / "atalaia.po"
    file.parent.mkdir(parents=True)
    file.write_bytes(b'msgid ""\nmsgstr ""\n"Language: pt_BR\\n"\n')
    (tmp_path / "greeting.py").write_text('print(speech.text("Hello {name}", name=1))\n')
    before = file.read_bytes()
    assert main(["--check"], package=tmp_path) == 1
    assert "Hello {name}" in capsys.readouterr().out
    assert file.read_bytes() == before
    assert main([], package=tmp_path) == 0
    assert b"Hello {name}" in file.read_bytes()


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en", "en"),
        ("pt_BR", "pt_BR"),
        ("pt", "pt_BR"),
        ("pt-br", "pt_BR"),
        ("pt-PT", "pt_BR"),
        ("PT_br", "pt_BR"),
        ("en-US", "en"),
        ("es", "en"),
        ("ptx", "en"),
        ("", "en"),
        (None, "en"),
        ("../../etc", "en"),
    ],
)
def test_portuguese_of_any_kind_is_brazilian_and_the_unknown_is_english(code: str | None, language: str) -> None:
    assert speech_for(code).language == language


def test_portuguese_has_the_right_form_for_none_one_many_and_a_round_million() -> None:
    speech = speech_for("pt")
    said = [speech.plural("{n} offer matches", "{n} offers match", n) for n in (0, 1, 2, 21, 1_000_000, 1_000_001)]
    assert said == [
        "0 oferta atende",
        "1 oferta atende",
        "2 ofertas atendem",
        "21 ofertas atendem",
        "1.000.000 de ofertas atendem",
        "1.000.001 ofertas atendem",
    ]
    assert speech_for("en").plural("{n} offer matches", "{n} offers match", 0) == "0 offers match"


def test_a_message_that_nobody_translated_is_said_in_english_and_values_are_not_read_as_places() -> None:
    assert speech_for("pt").text("Never heard {what}", what="{of} %s") == "Never heard {of} %s"


def test_a_time_of_day_names_its_zone_in_the_language_of_the_reader() -> None:
    assert speech_for("pt").when(NOON, SAO_PAULO) == "09:00 (São Paulo)"
    assert speech_for("pt").when(NOON, LISBON) == "12:00 (Lisboa)"
    assert speech_for("en").when(NOON, LISBON) == "12:00 (Lisbon)"
    assert speech_for("en").when(NOON, UTC) == "12:00 (UTC)"
    assert speech_for("en").when(NOON, ZoneInfo("UTC")) == "12:00 (UTC)"


def test_zones_without_a_city_are_shown_by_their_offset() -> None:
    assert speech_for("en").when(NOON, ZoneInfo("Etc/GMT+3")) == "09:00 (UTC-03:00)"
    assert speech_for("en").when(NOON, timezone(timedelta(hours=5, minutes=30))) == "17:30 (UTC+05:30)"


def test_a_time_of_another_day_says_which_day() -> None:
    late = NOON + timedelta(hours=14)
    assert speech_for("en").when(NOON, SAO_PAULO, now=late) == "09:00 (São Paulo)"
    assert speech_for("en").when(NOON, LISBON, now=late) == "Jan 10, 12:00 (Lisbon)"
    assert (
        speech_for("pt").when(NOON - timedelta(days=12), SAO_PAULO, now=NOON) == "29 de dez. de 2026, 09:00 (São Paulo)"
    )


def test_a_time_without_a_zone_is_never_shown() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        speech_for("en").when(datetime(2027, 1, 10, 12, 0), UTC)  # noqa: DTZ001 - a naive time is the point


def test_numbers_and_ages_follow_the_language() -> None:
    english, portuguese = speech_for("en"), speech_for("pt")
    assert (english.usd(350_000), portuguese.usd(350_000)) == ("US$ 0.3500", "US$ 0,3500")
    assert (english.percent(970_000), portuguese.percent(970_000)) == ("97.0 %", "97,0 %")
    assert (english.count(1234), portuguese.count(1234)) == ("1,234", "1.234")
    assert (english.ago(3), portuguese.ago(3)) == ("3 s ago", "há 3 s")
    assert portuguese.span(95 * 60) == "1 h 35 min"

"""The desk: languages, names, help, buttons of every kind, and that nothing anybody writes or presses raises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.commands.help import example_of
from bot.commands.menu import COMMANDS, MENU
from bot.commands.names import NAMES, known
from bot.conversation import Speaker
from bot.language import LANGUAGES, speech_for
from bot.render.chat.problems import problem_text, reason_text
from market.grammar import problems
from storage.chats import Chat
from storage.errors import StoreBusy
from tests.bot.commands.parlour import Parlour, parlour, vast
from tests.bot.samples import HARM

BRAZILIAN = Speaker(chat="333", user="333", language="pt-br")
PROBLEMS = [text for name, text in vars(problems).items() if name.isupper()]


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("watch", "watch"),
        ("WATCH", "watch"),
        ("vigiar", "watch"),
        ("vigias", "watches"),
        ("Histórico", "history"),
        ("preços", "now"),
        ("porquê", "why"),
        ("/ajuda", "help"),
        ("when", None),
        ("", None),
        ("watchx", None),
    ],
)
def test_a_command_is_known_by_its_names_in_any_case_with_or_without_accents(word: str, name: str | None) -> None:
    assert known(word) == name


def test_every_name_is_one_command_and_every_command_has_a_name() -> None:
    assert {command.name for command in MENU} == NAMES.keys()
    words = [word for name, aliases in NAMES.items() for word in (name, *aliases)]
    assert len(words) == len(set(words))
    assert all(re.fullmatch(r"[a-z]{1,32}", word) for word in words)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_command_stands_in_help_and_has_help_of_its_own_with_an_example(
    room: Parlour, language: str
) -> None:
    speaker = Speaker(chat="1", user="1", language=language)
    speech = speech_for(language)
    overview = await room.asks("/help", speaker=speaker)
    for name, description in room.desk.commands(language):
        command = COMMANDS[known(name) or ""]
        assert 3 <= len(description) <= 100
        assert f"/{name}" in overview
        assert description in overview
        assert example_of(command, speech) in await room.asks(f"/help {name}", speaker=speaker)


async def test_every_example_of_the_help_works_as_it_stands(room: Parlour) -> None:
    for card in ("4090 <=0.10", "3090 <=0.20", "A100 <=1.00"):
        await room.asks(f"/watch {card}")
    for command in (each for each in MENU if each.name != "delete"):
        text = await room.asks(example_of(command, speech_for("en")))
        assert text
        assert "I cannot read" not in text
        assert "There is no rule" not in text
    assert "Rule 3 is deleted" in await room.asks(example_of(COMMANDS["delete"], speech_for("en")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_of_a_rule_is_worded_in_every_language(language: str) -> None:
    speech = speech_for(language)
    assert len(PROBLEMS) > 40
    same = [problem for problem in PROBLEMS if problem_text(problem, speech) == problem]
    assert same == (PROBLEMS if language == "en" else [])
    reason = "RunPod publishes no download speed"
    assert (reason_text(reason, speech) == reason) == (language == "en")


async def test_a_chat_is_answered_in_the_language_of_who_spoke_first_and_keeps_it(room: Parlour) -> None:
    assert "Vigiando" in await room.asks("/vigiar 4090 <=0,40", speaker=BRAZILIAN)
    english_guest = Speaker(chat="333", user="9", language="en")
    assert "A sua regra" in await room.asks("/watches", speaker=english_guest)
    stored = room.product.chats.get("333")
    assert stored is not None
    assert stored.language == "pt_BR"


async def test_a_chat_that_chose_a_language_is_answered_in_it(room: Parlour) -> None:
    room.product.chats.put(Chat(chat="333", language="en"), room.clock.now())
    assert "What I can do" in await room.asks("/ajuda", speaker=BRAZILIAN)


@pytest.mark.parametrize("language", [None, "es", "xx", "../../etc"])
async def test_somebody_of_another_language_is_answered_in_that_of_the_settings(
    tmp_path: Path, language: str | None
) -> None:
    async with parlour(tmp_path, language="pt_BR") as room:
        text = await room.asks("/help", speaker=Speaker(chat="1", user="1", language=language))
        assert "O que eu sei fazer" in text
        assert room.product.chats.get("1") is None


async def test_numbers_and_times_follow_the_chat(room: Parlour) -> None:
    await room.answered(vast(1, 0.35))
    assert "US$ 0,3500 por GPU-hora" in await room.asks("/agora 4090", speaker=BRAZILIAN)
    room.product.chats.put(Chat(chat="333", language="pt_BR", timezone="Europe/Lisbon"), room.clock.now())
    assert "00:00 (Lisboa)" in await room.asks("/status", speaker=BRAZILIAN)


async def test_a_chat_that_could_not_be_reached_is_reached_again_when_somebody_speaks(room: Parlour) -> None:
    room.product.chats.put(Chat(chat="111", state="blocked"), room.clock.now())
    await room.asks("/start")
    stored = room.product.chats.get("111")
    assert stored is not None
    assert stored.state == "active"


async def test_an_unknown_command_is_said_to_be_unknown_and_the_likeliest_is_named(room: Parlour) -> None:
    assert "Did you mean /watches?" in await room.asks("/wathces")
    assert "/help lists what I know" in await room.asks("/backtest 4090")


async def test_the_history_button_of_an_alert_shows_its_card_and_its_pause_button_pauses_its_rule(
    room: Parlour,
) -> None:
    await room.answered()
    await room.asks("/watch 4090 <=0.40 vast")
    await room.answered(vast(1, 0.35))
    assert room.alerts() == [("available", "queued", 1)]
    room.clock.pass_time(5)
    text, _ = await room.presses_data("v1:history:1")
    assert "RTX 4090, the last 7 d" in text
    text, notice = await room.presses_data("v1:more:1")
    assert "1 offer matches" in text
    text, notice = await room.presses_data("v1:pause:1")
    assert notice == "Rule 1 is paused."
    assert not room.said[-1].edits
    assert room.labels() == ["Resume"]
    assert [state for _, state, _ in room.alerts()] == ["suppressed"]
    text, notice = await room.presses_data("v1:history:1", speaker=BRAZILIAN)
    assert "7 d" not in text
    assert "antigo demais" in notice


@pytest.mark.parametrize(
    "data",
    [
        "",
        "nonsense",
        "v1:got_it:1",
        "v1:never:1",
        "v1:snooze:1:3600",
        "v2:pause:1",
        "v1:pause:99",
        "v1:confirm:99:list99",
        "v1:history:99",
        "v1:more:99",
        "v1:why:99",
        "v1:edit:99",
        "v1:draft:99",
        "v1:draft:99:3",
        "v1:page:99:20",
        "v1:page:9223372036854775807:99999999999999999999",
        "v1:pause:9223372036854775807",
        "x" * 5000,
    ],
)
async def test_an_old_or_invented_press_changes_nothing_and_gets_a_short_notice(room: Parlour, data: str) -> None:
    await room.asks("/watch 4090 <=0.40")
    before = room.product.watches.list()
    _, notice = await room.presses_data(data)
    assert notice
    assert room.product.watches.list() == before


async def test_a_button_is_of_no_use_to_another_chat_or_when_it_is_old(room: Parlour) -> None:
    await room.asks("4090 <=0.40")
    data = room.button("Yes").data or ""
    _, notice = await room.presses_data(data, speaker=BRAZILIAN)
    assert "antiga demais" in notice
    room.clock.pass_time(7 * 86_400 + 1)
    _, notice = await room.presses_data(data)
    assert notice == "This question is too old. Please send the command or the rule once more."
    assert room.product.watches.list() == ()


async def test_a_list_that_became_shorter_shows_its_last_page(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    text, _ = await room.presses_data("v1:page:0:7")
    assert "🟢 1 · " in text


async def test_a_database_that_cannot_be_used_is_said_and_not_raised(
    room: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(chat: str) -> Chat | None:
        raise StoreBusy("atalaia.db", "another process keeps the database locked", "stop it")

    monkeypatch.setattr(room.product.chats, "get", busy)
    text = await room.asks("/watches", speaker=BRAZILIAN)
    assert "O banco de dados não pode ser usado no momento" in text
    _, notice = await room.presses_data("v1:pause:1")
    assert "database cannot be used" in notice


arguments = st.one_of(
    st.sampled_from([*HARM, "1", "#1", "6000", "1 6000", "4090 €", "any", "?"]),
    st.text(max_size=80),
    st.text(alphabet="40956 <=>.,:x€$#\"'_-&", max_size=40),
)
SLOW = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(command=st.sampled_from(["", *NAMES, "nonsense"]), argument=arguments, language=st.sampled_from(["en", "pt"]))
async def test_whatever_is_written_gets_an_answer_that_telegram_takes(
    room: Parlour, command: str, argument: str, language: str
) -> None:
    speaker = Speaker(chat=language, user="1", language=language)
    text = f"/{command} {argument}" if command else argument.removeprefix("/")
    assert (await room.asks(text, speaker=speaker)).strip()


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(
    data=st.from_regex(
        r"v1:(pause|resume|delete|confirm|cancel|edit|why|draft|page|more|history):[0-3](:[a-z0-9]{0,8})?",
        fullmatch=True,
    )
)
async def test_whatever_is_pressed_gets_an_answer_or_a_notice(room: Parlour, data: str) -> None:
    text, notice = await room.presses_data(data)
    assert text or notice

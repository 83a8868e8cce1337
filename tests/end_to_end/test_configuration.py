"""Mistakes in the configuration: each ends at once, in one line that names the file and the key, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.__main__ import call

TOKEN = "1000000001:" + "A" * 35


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "config.toml"


def refusal(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """The one line that a command is refused with."""
    assert call(list(words)) == code
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = [line for line in said.err.splitlines() if line != "no configuration file: using the defaults"]
    assert "Traceback" not in said.err
    assert line.startswith("atalaia: ")
    return line


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[telegram]\nchat_idd = 5", "telegram.chat_idd"),
        ("[telegramm]\ntoken = ''", "telegramm"),
        ('[scan]\nslowest_seconds = "5"', "scan.slowest_seconds"),
        ("[scan]\nslowest_seconds = 0", "scan.slowest_seconds"),
        ("[scan]\nslowest_seconds = -1", "scan.slowest_seconds"),
        ("[scan]\nslowest_seconds = nan", "scan.slowest_seconds"),
        ("[scan]\nslowest_seconds = inf", "scan.slowest_seconds"),
        ("[alerts]\ncooldown_minutes = nan", "alerts.cooldown_minutes"),
        ("[alerts]\ncheaper_percent = 100", "alerts.cheaper_percent"),
        ("[alerts]\ngone_after_scans = 1.5", "alerts.gone_after_scans"),
        ("[marketplaces.vast]\nrows_per_day = 0", "marketplaces.vast.rows_per_day"),
        ("[marketplaces.vast]\nrequests_per_minute = inf", "marketplaces.vast.requests_per_minute"),
        ("[marketplaces.vast]\nurl = 'ftp://example.org'", "marketplaces.vast.url"),
        ("[marketplaces.vastai]\nenabled = true", "marketplaces.vastai"),
        ("[marketplaces.runpod]\ngpu_counts = ['two']", "marketplaces.runpod.gpu_counts"),
        ("[marketplaces.runpod]\nenabled = 'yes'", "marketplaces.runpod.enabled"),
        ("[marketplaces]\nvast = 3", "marketplaces.vast"),
        ("timezone = 'America/SaoPaulo'", "America/SaoPaulo"),
        ("timezone = '../etc'", "timezone"),
        ("language = 'de'", "language"),
        ("telegram = 7", "telegram"),
        ("[history]\ncards = 'RTX 4090'", "history.cards"),
        ("[[watches]]\nname = 'a'\nrule = 'RTX 4090 <=nan'", "watches.a.rule"),
        ("[[watches]]\nname = 'a'\nrule = 'RTX 4090 <=1e999'", "watches.a.rule"),
        ("[[watches]]\nname = 'a'\nrule = 'RTX 4090 <=0.40 colour:red'", "colour"),
        ("[[watches]]\nname = 'a'\nrule = 'RTX 4090'\nprice_max = nan", "price_max"),
        ("[[watches]]\nname = 'a'\nrule = 'L4'\n[[watches]]\nname = 'a'\nrule = 'L40'", "'a'"),
        ("[[watches]]\nrule = 'L4'", "watches.0.name"),
        ("scan = [", "not valid TOML"),
        ("[telegram]\ntoken = 'CHANGEME'", "telegram.token"),
        ("[telegram]\ntoken = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'", "telegram.token"),
        ("[marketplaces.vast]\napi_key = '<your key>'", "marketplaces.vast.api_key"),
        ("[marketplaces.vast]\napi_key_file = 'nowhere.txt'", "marketplaces.vast.api_key_file"),
    ],
)
def test_a_mistake_is_one_line_with_the_file_and_the_key(
    config: Path, capsys: pytest.CaptureFixture[str], text: str, key: str
) -> None:
    config.write_text(text, encoding="utf-8")
    line = refusal(capsys, "run")
    assert key in line
    assert "config.toml" in line or "watches.a" in line


def test_a_file_that_is_not_utf_8_is_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_bytes("language = 'en' # ação".encode("latin-1"))
    line = refusal(capsys, "run")
    assert "config.toml: not UTF-8" in line


def test_a_chosen_file_that_is_missing_is_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.toml: no such configuration file" in refusal(capsys, "--config", "nowhere.toml", "run")


def test_a_folder_in_the_place_of_the_file_is_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "config.toml" in refusal(capsys, "--config", str(config.parent / "config.toml"), "run")


def test_without_a_file_there_are_defaults_and_that_is_said_once(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["status"]) == 0
    said = capsys.readouterr()
    assert said.err.count("no configuration file: using the defaults") == 1
    assert "vast: last good answer" in said.out


@pytest.mark.parametrize("text", ["", "[telegram]\ntoken = ''\n"])
def test_no_token_is_no_mistake(config: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    config.write_text(text, encoding="utf-8")
    assert call(["alerts"]) == 0
    assert capsys.readouterr().err == ""


def test_a_secret_is_never_shown_by_a_mistake(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text(f"[telegram]\ntoken = '{TOKEN}'\nowner = '{TOKEN}'\n", encoding="utf-8")
    assert TOKEN[11:] not in refusal(capsys, "run")
    config.write_text("[marketplaces.vast]\nurl = 7\n", encoding="utf-8")
    monkeypatch.setenv("ATALAIA_VAST_API_KEY", "vastkey-" + "B" * 24)
    assert call(["--debug", "run"]) == 2
    said = capsys.readouterr()
    assert "BBBB" not in said.out + said.err


def test_with_every_market_disabled_nothing_is_pretended(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text("[marketplaces.vast]\nenabled=false\n[marketplaces.runpod]\nenabled=false\n", encoding="utf-8")
    assert "every marketplace is disabled" in refusal(capsys, "run", code=1)


def test_a_proxy_that_cannot_be_used_is_named(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://user:hunter2@127.0.0.1:9")
    line = refusal(capsys, "scan")
    assert "ALL_PROXY" in line
    assert "hunter2" not in line


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["rum"], "rum"),
        (["now", "RTX 4090 <=0.40 colour:red"], "colour"),
        (["now", "RTX 9999"], "9999"),
        (["watch", "add", "RTX 4090 <=R$ 2,00"], "R$"),
        (["watch", "add", "RTX 4090 <=0"], "0"),
        (["watch", "add", "RTX 4090 <=0.40 until:2020-01-01"], "2020-01-01"),
        (["watch", "add", "RTX 4090", "--chat", "somebody"], "somebody"),
        (["watch", "remove", "seven"], "ID"),
        (["watch", "remove"], "ID"),
        (["watch"], "command"),
        (["now", "RTX 4090", "--json", "<=0.40", "--config"], "--config"),
        (["history", "RTX 4090", "--days", "nan"], "--days"),
        (["history", "RTX 4090", "--market", "mars"], "mars"),
        (["alerts", "--since", "yesterday"], "yesterday"),
        (["scan", "--market", "mars"], "mars"),
        (["status", "--colour"], "--colour"),
        (["--config"], "--config"),
    ],
)
def test_a_word_that_is_not_understood_is_named(
    config: Path, capsys: pytest.CaptureFixture[str], words: list[str], named: str
) -> None:
    assert named in refusal(capsys, *words)


def test_what_cannot_be_done_is_a_failure_of_one_line(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no rule 7" in refusal(capsys, "watch", "remove", "7", code=1)


def test_without_a_word_the_commands_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call([]) == 0
    assert "doctor" in capsys.readouterr().out

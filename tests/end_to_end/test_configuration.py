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
        ("[history]\nraw_days = 1000000000000", "history.raw_days"),
        ("[history]\nraw_days = 1e300", "history.raw_days"),
        (f"[history]\nraw_days = {'9' * 400}", "history.raw_days"),
        (f"[history]\nraw_days = {'9' * 5000}", "not usable TOML"),
        (f"[history]\ncards = {'[' * 5000}", "not "),
        ("[scan]\nslowest_seconds = 1e300", "scan.slowest_seconds"),
        ("[alerts]\ncooldown_minutes = 1e300", "alerts.cooldown_minutes"),
        ("[alerts]\nexpire_minutes = 1e300", "alerts.expire_minutes"),
        ("[alerts]\ngone_after_seconds = 1e300", "alerts.gone_after_seconds"),
        ("[alerts]\ngone_after_scans = 1000000000000", "alerts.gone_after_scans"),
        ("[marketplaces.vast]\nrows_per_day = 10000000000000", "marketplaces.vast.rows_per_day"),
        ("[marketplaces.vast]\ncensus_minutes = 1e300", "marketplaces.vast.census_minutes"),
        ("[marketplaces.vast]\nrequests_per_minute = 1e300", "marketplaces.vast.requests_per_minute"),
        ("[marketplaces.runpod]\nrequests_per_minute = 1e300", "marketplaces.runpod.requests_per_minute"),
        ("[marketplaces.runpod]\nrequests_per_minute = 1e-300", "marketplaces.runpod.requests_per_minute"),
        (f"[telegram]\nowners = [{'9' * 30}]", "telegram.owners"),
        ("[telegram]\nowners = ['²']", "telegram.owners"),
        ("[storage]\nurl = 'postgres://x'", "storage.url"),
        ("[storage]\nurl = ''", "storage.url"),
        ("[storage]\nurl = 'sqlite:///'", "storage.url"),
        ("[metrics]\nlisten = '9109'", "metrics.listen: not an address with a port; write it as 127.0.0.1:9109"),
        ("[metrics]\nlisten = 'gpu.example.org:9109'", "metrics.listen: 'gpu.example.org' is not an IP address"),
        ("[history]\ncards = ['4099']", "config.toml: history.cards"),
        ("[[watches]]\nname = 'a'\nrule = 'L4'\nchat = '١٢٣'", "watches.0.chat"),
        ("[[watches]]\nname = 'a'\nrule = 'L4'\nchat = '0'", "watches.0.chat"),
        ("[[watches]]\nname = 'a'\nrule = 'L4'\nchat = true", "watches.0.chat"),
        ("[[watches]]\nname = 'a'\nrule = 'L4'\nchat = 99999999999999999999999", "watches.0.chat"),
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


def test_a_byte_order_mark_before_the_first_key_is_accepted(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_bytes(b"\xef\xbb\xbflanguage = 'pt_BR'\n")
    assert call(["alerts"]) == 0
    assert capsys.readouterr().err == ""


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
        (["watch", "remove", "seven"], "'seven' is not the number of a rule"),
        (["watch", "add", "RTX 4090", "--chat", "--5"], "--5"),
        (["watch", "add", "RTX 4090", "--chat", "0"], "'0'"),
        (["watch", "add", "RTX 4090", "--chat", "²"], "²"),
        (["watch", "add", "RTX 4090", "--chat", "4503599627370497"], "4503599627370497"),
        (["watch", "remove"], "ID"),
        (["watch"], "add, list or remove"),
        (["now", "RTX 4090", "--json", "<=0.40", "--config"], "--config"),
        (["history", "RTX 4090", "--days", "nan"], "--days"),
        (["history", "RTX 4090", "--days", "x"], "'x'"),
        (["history", "RTX 4090", "--market", "mars"], "mars"),
        (["history", "RTX 4090", "--market", "vast", "--tier", "secure"], "secure"),
        (["history", "RTX 4090", "--market", "runpod", "--tier", "datacenter"], "datacenter"),
        (["alerts", "--since", "yesterday"], "yesterday"),
        (["scan", "--market", "mars"], "mars"),
        (["status", "--colour"], "--colour"),
        (["--config"], "--config"),
        (["--config=", "status"], "--config"),
        (["--config", ".", "status"], "this is a folder"),
    ],
)
def test_a_word_that_is_not_understood_is_named(
    config: Path, capsys: pytest.CaptureFixture[str], words: list[str], named: str
) -> None:
    assert named in refusal(capsys, *words)


@pytest.mark.parametrize("words", [["7"], ["9" * 22], ["9" * 5000], ["--", "-1"]])
def test_a_rule_that_is_not_there_cannot_be_removed(
    config: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert f"there is no rule {words[-1]}" in refusal(capsys, "watch", "remove", *words, code=1)


def test_without_a_word_the_commands_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call([]) == 0
    assert "doctor" in capsys.readouterr().out

"""The documents say what is true of the code: they are read, and what they name is tried."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, get_args

import pytest
from pydantic import BaseModel
from typer.main import get_command

from bot.cli.root import app_for
from bot.commands.names import NAMES
from bot.settings import Settings, load, secret_names
from market.gpu import CATALOGUE
from market.grammar import read_rule, write_rule
from market.rule import RuleError
from scanners import registry

ROOT: Final = Path(__file__).parents[1]
READMES: Final = ("README.md", "README.pt-BR.md")
DOCUMENTS: Final = tuple(
    sorted(str(path.relative_to(ROOT)) for folder in (ROOT, ROOT / "docs") for path in folder.glob("*.md"))
)
PACKAGES: Final = ("market", "scanners", "storage", "bot", "tests", "benchmarks", "docs")
TODAY: Final = date(2026, 12, 1)
EXAMPLE: Final = "config.example.toml"

each_readme = pytest.mark.parametrize("name", READMES)
each_document = pytest.mark.parametrize("name", DOCUMENTS)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The lines of every fenced block of that language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text_of(name), re.DOTALL | re.MULTILINE)
    return [line for block in found for line in block.splitlines() if line.strip()]


def commands() -> Iterator[str]:
    """Every command of the command line, those of a group with its name before them."""
    for name, command in get_command(app_for(())).commands.items():  # type: ignore[attr-defined] # the root is a group
        yield name
        yield from (f"{name} {sub}" for sub in getattr(command, "commands", {}))


def keys_of_settings() -> set[str]:
    keys = {f"marketplaces.{name}.{key}" for name, module in registry.modules().items() for key in fields(module)}
    return keys | {key for key in dotted("", Settings) if not key.startswith("marketplaces")}


def fields(module: Any) -> set[str]:
    return set(module.Settings.model_fields) - {"api_key_file"}


def dotted(prefix: str, model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        kinds = (field.annotation, *get_args(field.annotation))
        section = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
        if section is None:
            yield f"{prefix}{name}"
        else:
            yield from dotted(f"{prefix}{name}.", section)


def leaves(prefix: str, record: Mapping[str, Any]) -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from leaves(f"{prefix}{name}.", value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from leaves(f"{prefix}{name}.", value[0])
        else:
            yield f"{prefix}{name}"


# -- configuration --------------------------------------------------------------------------------------------------


def test_the_example_configuration_loads_as_it_stands_and_says_the_defaults() -> None:
    settings = load(ROOT / EXAMPLE, environ={}, cwd=ROOT)
    defaults = load(None, environ={}, cwd=ROOT)
    assert settings.model_dump() == defaults.model_dump()
    assert settings.secrets() == ()
    assert settings.watches == []


def test_the_example_configuration_names_every_key_and_no_other() -> None:
    with_rules = re.sub(r"^# (\[\[watches\]\]|\w+ = )", r"\1", text_of(EXAMPLE), flags=re.MULTILINE)
    assert set(leaves("", tomllib.loads(with_rules))) == keys_of_settings()


def test_the_example_rules_load_when_their_marks_are_taken_away(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    with_rules = re.sub(r"^# (\[\[watches\]\]|\w+ = )", r"\1", text_of(EXAMPLE), flags=re.MULTILINE)
    config.write_text(with_rules, encoding="utf-8")
    (watch,) = load(config, environ={}, cwd=tmp_path).watches
    assert read_rule(watch.rule, catalogue=CATALOGUE, today=TODAY)


def test_the_page_on_configuration_explains_every_key_and_no_other() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \|", text_of("docs/configuration.md"), re.MULTILINE)
    assert set(rows) == keys_of_settings()


@pytest.mark.parametrize("name", [EXAMPLE, "docs/configuration.md"])
def test_every_variable_that_carries_a_secret_is_named(name: str) -> None:
    for variable in secret_names().values():
        assert variable in text_of(name)


def test_every_setting_that_a_readme_names_exists() -> None:
    sections = {key.rpartition(".")[0] for key in keys_of_settings()} - {""}
    for name in READMES:
        named = re.findall(r"`((?:" + "|".join(map(re.escape, sections)) + r")\.\w+)`", text_of(name))
        assert named, name
        assert set(named) <= keys_of_settings(), name


# -- commands -------------------------------------------------------------------------------------------------------


@each_readme
@pytest.mark.parametrize("command", sorted(commands()))
def test_every_command_is_in_the_readme_with_an_example(name: str, command: str) -> None:
    first = command.partition(" ")[0]
    (row,) = re.findall(rf"^\| `{first}` \|.*$", text_of(name), re.MULTILINE)
    assert f"`atalaia {command}" in row.split(" | ")[-1]


@each_readme
def test_no_readme_shows_a_command_that_does_not_exist(name: str) -> None:
    shown = re.findall(r"(?:^\$ |`|/)atalaia ([a-z]+)", text_of(name), re.MULTILINE)
    assert shown
    assert set(shown) <= set(commands())


@pytest.mark.parametrize("command", sorted(commands()))
def test_every_command_describes_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    get_command(app_for(())).main([*command.split(), "--help"], prog_name="atalaia", standalone_mode=False)
    shown = capsys.readouterr().out
    assert f"Usage: atalaia {command}" in shown
    assert len(shown.splitlines()[2].strip()) > 10


@each_readme
def test_every_chat_command_is_in_the_readme_and_no_other(name: str) -> None:
    rows = re.findall(r"^\| (`/.*)$", text_of(name), re.MULTILINE)
    words = set(re.findall(r"`/([a-z]+)", "\n".join(rows)))
    known = {*NAMES, *(alias for aliases in NAMES.values() for alias in aliases)}
    assert set(NAMES) <= words <= known
    assert name == "README.md" or words == known


# -- rules ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*READMES, "docs/rules.md"])
def test_every_rule_that_is_shown_can_be_read_and_is_repeated_alike(name: str) -> None:
    lines = blocks(name, "rule")
    assert len(lines) >= 5
    for line in lines:
        rule = read_rule(line, catalogue=CATALOGUE, today=TODAY)
        assert read_rule(write_rule(rule, catalogue=CATALOGUE), catalogue=CATALOGUE, today=TODAY) == rule, line


@each_readme
def test_every_rule_given_to_a_command_can_be_read(name: str) -> None:
    given = re.findall(r'atalaia (?:watch add|now) "([^"]+)"', text_of(name))
    sent = re.findall(r"^/(?:watch|vigiar) (.+)$", text_of(name), re.MULTILINE)
    assert given
    assert sent
    for text in (*given, *sent):
        assert read_rule(text, catalogue=CATALOGUE, today=TODAY), text


def test_every_rule_shown_as_refused_is_refused() -> None:
    lines = blocks("docs/rules.md", "refused")
    assert len(lines) >= 5
    for line in lines:
        with pytest.raises(RuleError):
            read_rule(line, catalogue=CATALOGUE, today=TODAY)


def test_the_refusal_that_is_quoted_is_the_one_that_is_given() -> None:
    (word, quoted) = re.findall(r'watch add "([^"]+)"\n    atalaia: (.+)$', text_of("docs/rules.md"), re.MULTILINE)[0]
    with pytest.raises(RuleError) as refusal:
        read_rule(word, catalogue=CATALOGUE, today=TODAY)
    assert str(refusal.value) == quoted


# -- paths, links, versions -----------------------------------------------------------------------------------------


@each_document
def test_every_file_and_folder_that_a_document_names_exists(name: str) -> None:
    named = re.findall(rf"`((?:{'|'.join(PACKAGES)})/[\w./-]*)`", text_of(name))
    for path in named:
        assert (ROOT / path).exists(), path
    assert named or name != "ARCHITECTURE.md"


@each_document
def test_every_name_of_the_code_in_a_document_exists(name: str) -> None:
    for dotted_name in re.findall(r"(?<![\w/.])(?:market|scanners|storage|bot)(?:\.[A-Za-z_]\w*)+", text_of(name)):
        assert dotted_name in keys_of_settings() or resolve_name(dotted_name) is not None


@each_document
def test_every_relative_link_leads_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(name)):
        if not target.startswith("https://"):
            path = ((ROOT / name).parent / target.partition("#")[0]).resolve()
            assert path.is_relative_to(ROOT), target
            assert path.exists(), target


@each_document
def test_no_document_holds_a_path_of_somebodys_machine(name: str) -> None:
    assert not re.search(r"(?<![\w.~%])/(?:home|root|Users|tmp|work|opt|mnt|srv)/", text_of(name))


@each_readme
def test_a_readme_names_the_other_one_and_the_make_targets_that_exist(name: str) -> None:
    text, (other,) = text_of(name), set(READMES) - {name}
    assert f"({other})" in text
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    shown = set(re.findall(r"^ +make ([a-z]+)", text, re.MULTILINE))
    assert {"demo", "test", "run"} <= shown <= targets


def test_the_readmes_have_the_same_parts() -> None:
    first, second = (re.findall(r"^(#+) ", text_of(name), re.MULTILINE) for name in READMES)
    assert first == second
    assert blocks(READMES[0], "ini") == blocks(READMES[1], "ini")


def test_the_changelog_begins_with_the_version_of_the_project() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    assert re.findall(r"^## \[([^\]]+)\]", text_of("CHANGELOG.md"), re.MULTILINE)[0] in (version, "Unreleased")
    assert f"## [{version}]" in text_of("CHANGELOG.md")

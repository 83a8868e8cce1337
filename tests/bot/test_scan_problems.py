"""What went wrong with a marketplace is said in the reader's language, whichever of the scanners' sentences it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.language import speech_for
from bot.render.scan_problems import problem_said

SCANNERS = Path(__file__).parents[2] / "scanners"
ERRORS = {
    "Unreachable",
    "OddAnswer",
    "Refused",
    "KeyRejected",
    "Retired",
    "RateLimited",
    "QuotaExhausted",
}
PORTUGUESE = speech_for("pt_BR")


def sentences() -> Iterator[str]:
    """Every problem that the scanners can tell, with `7` wherever something is put in."""
    for path in SCANNERS.rglob("*.py"):
        if "simulator" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
                yield from _texts(node.args[1])


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from _texts(one)
            yield from _texts(other)
        case ast.JoinedStr(values=parts):
            texts = [""]
            for part in parts:
                ends = [part.value] if isinstance(part, ast.Constant) else _inner(part)
                texts = [text + str(end) for text in texts for end in ends]
            yield from texts
        case _:
            raise AssertionError(ast.dump(node))


def _inner(part: ast.expr) -> list[str]:
    """What is put in: each of two texts, or a number."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return list(_texts(value)) if isinstance(value, ast.IfExp) else ["7"]


def test_the_scanners_tell_of_many_things() -> None:
    assert len(set(sentences())) > 40


@pytest.mark.parametrize("sentence", sorted(set(sentences())))
def test_every_problem_of_the_scanners_is_one_that_is_translated(sentence: str) -> None:
    said = problem_said(sentence, PORTUGUESE)
    assert not said.startswith("algo deu errado"), "it was not recognised"
    assert said != problem_said(sentence, speech_for("en"))


@pytest.mark.parametrize(
    ("problem", "english", "portuguese"),
    [
        (
            'the key was rejected (404 {"success":false,"error":"auth_error","msg":"Invalid user key"})',
            "the key was rejected (404: “Invalid user key”)",
            "a chave foi recusada (404: “Invalid user key”)",
        ),
        (
            'refused (500 {"success":false,"detail":[{"loc":["body"],"msg":"value is not valid',
            "refused (500: “value is not valid”)",
            "recusou (500: “value is not valid”)",
        ),
        ('refused (502 {"code":17})', "refused (502)", "recusou (502)"),
        ("asked too often (429)", "asked too often (429)", "perguntamos rápido demais (429)"),
        ("refused ([[[[[[[[)", "refused", "recusou"),
        (
            "the connection to example.org:443 failed (ConnectError: no route)",
            "the connection to example.org:443 failed (“ConnectError: no route”)",
            "a conexão com example.org:443 falhou (“ConnectError: no route”)",
        ),
        ('{"a": "b"}', "no reason given", "nenhum motivo foi dado"),
        (
            "a thing of a later version",
            "a thing of a later version",
            "algo deu errado: “a thing of a later version”",
        ),
        ("", "no reason given", "nenhum motivo foi dado"),
    ],
)
def test_a_servers_words_are_short_quoted_and_never_data(problem: str, english: str, portuguese: str) -> None:
    assert problem_said(problem, speech_for("en")) == english
    assert problem_said(problem, PORTUGUESE) == portuguese


def test_a_long_story_of_a_server_is_cut() -> None:
    assert len(problem_said(f"refused (500 {'x' * 5000})", PORTUGUESE)) < 130

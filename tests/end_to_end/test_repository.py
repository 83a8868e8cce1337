"""What a person's own set-up makes is never offered for commit, and nothing that looks like a secret is in the tree."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOKEN = re.compile(r"[0-9]{8,10}:[A-Za-z0-9_-]{35}")
PRIVATE = (
    "config.toml",
    "config.home.toml",
    ".env",
    "atalaia.db",
    "atalaia.db-wal",
    "atalaia.db-shm",
    "atalaia.db.lock",
    "atalaia.db.2026-12-01.bak",
    "atalaia.log",
    "atalaia.log.1",
    "secrets/token",
)
GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    """What git says in a folder, without anybody's own settings."""
    assert GIT is not None
    environment = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": str(folder)}
    done = subprocess.run([GIT, *words], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


@needs_git
def test_nothing_of_a_persons_set_up_is_offered_for_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    shutil.copy(ROOT / ".gitignore", tmp_path)
    shutil.copy(ROOT / "config.example.toml", tmp_path)
    for name in PRIVATE:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("private", encoding="utf-8")
    offered = git(tmp_path, "status", "--porcelain", "--untracked-files=all").split()
    assert {name for name in offered if name != "??"} == {".gitignore", "config.example.toml"}


def tracked() -> list[Path]:
    """The files of the project: as git has them, else as they lie there."""
    if GIT is not None and (ROOT / ".git").exists():
        return [ROOT / name for name in git(ROOT, "ls-files", "-z").split("\0") if name]
    folders = ("bot", "market", "scanners", "storage", "tests", "benchmarks", "docs")
    return [path for folder in folders for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]


def test_nothing_in_the_tree_looks_like_a_bot_token() -> None:
    files = [path for path in tracked() if path.is_file()]
    assert len(files) > 100
    found = [path.relative_to(ROOT) for path in files if TOKEN.search(path.read_bytes().decode("utf-8", "replace"))]
    assert found == []


def test_the_search_for_tokens_finds_one() -> None:
    assert TOKEN.search("token = '" + "1" * 10 + ":" + "A" * 35 + "'")


def test_the_example_configuration_holds_no_secret() -> None:
    lines = (ROOT / "config.example.toml").read_text(encoding="utf-8").splitlines()
    secrets = [line for line in lines if re.match(r"\s*#?\s*(token|api_key)\s*=", line)]
    assert len(secrets) == 3
    assert all(re.match(r'\s*(token|api_key)\s*=\s*""', line) for line in secrets)

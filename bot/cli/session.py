"""What every command needs: the configuration it was started with, and where it prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from bot import logs
from bot.settings import Settings, config_home, find_config, load


class Failure(Exception):
    """An operation that failed for a reason the user can understand: one line, exit code 1."""


class Usage(Exception):
    """A command that cannot be understood: one line naming the word, exit code 2."""


@dataclass(kw_only=True)
class Session:
    """One call of the command line."""

    config: Path | None = None
    debug: bool = False
    as_json: bool = False
    _settings: Settings | None = None

    def take_options(self, arguments: Sequence[str]) -> list[str]:
        """Take `--config FILE`, `--json` and `--debug` out of the arguments, wherever they stand; the others are left.

        Raises Usage when `--config` names no file.
        """
        left: list[str] = []
        rest = iter(arguments)
        for word in rest:
            if word == "--":
                left.extend(rest)
            elif word == "--json":
                self.as_json = True
            elif word == "--debug":
                self.debug = True
            elif word == "--config" or word.startswith("--config="):
                value = word.partition("=")[2] or next(rest, "")
                if not value:
                    raise Usage("--config: the name of a file is missing")
                self.config = Path(value)
            else:
                left.append(word)
        return left

    def secrets(self) -> tuple[str, ...]:
        """What must not be shown, as far as it is known yet."""
        return self._settings.secrets() if self._settings is not None else ()

    def settings(self, *, level: int = logs.WARNING) -> Settings:
        """The configuration, read once; logging is set up with its secrets masked, from `level` on."""
        if self._settings is None:
            path = find_config(self.config, cwd=Path.cwd(), config_home=config_home(os.environ))
            self._settings = load(path, environ=os.environ, cwd=Path.cwd())
            logs.set_up(logs.Redactor(self._settings.secrets()), level=logs.DEBUG if self.debug else level)
            if path is None:
                self.note("no configuration file: using the defaults")
        return self._settings

    def note(self, text: str) -> None:
        """A remark for the person, on standard error: standard output belongs to answers."""
        typer.echo(text, err=True)

    def answer(self, record: Any, table: Callable[[], str]) -> None:
        """Print the answer: one JSON document, or what `table` makes of it."""
        if self.as_json:
            sys.stdout.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
        else:
            sys.stdout.write(table() + "\n")
        sys.stdout.flush()

"""What every command needs: the configuration it was started with, and where it prints."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import logs
from bot.cli.streams import is_unicode, tell
from bot.settings import Settings, config_home, find_config, load

_KEY = re.compile(r"[a-z]+\.[^:]+: ")


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
    config_used: Path | None = None
    """The file that was read, once it was."""
    _settings: Settings | None = None

    def take_options(self, arguments: Sequence[str]) -> list[str]:
        """Take `--config FILE`, `--json` and `--debug` out of the arguments, wherever they stand; the others are left.

        Raises Usage when `--config` names no file.
        """
        left: list[str] = []
        rest = iter(arguments)
        for word in rest:
            if word == "--":
                left.extend(("--", *rest))
            elif word == "--json":
                self.as_json = True
            elif word == "--debug":
                self.debug = True
            elif word == "--config" or word.startswith("--config="):
                value = word.partition("=")[2] if "=" in word else next(rest, "")
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
            try:
                cwd = Path.cwd()
            except OSError as error:
                raise Failure(f"the working directory cannot be used ({error.strerror}); go to another one") from None
            path = find_config(self.config, cwd=cwd, config_home=config_home(os.environ))
            self._settings = load(path, environ=os.environ, cwd=cwd)
            self.config_used = path
            logs.set_up(logs.Redactor(self._settings.secrets()), level=logs.DEBUG if self.debug else level)
            if path is None:
                self.note("no configuration file: using the defaults")
        return self._settings

    def note(self, text: str) -> None:
        """A remark for the person, on standard error: standard output belongs to answers."""
        tell(text)

    def placed(self, problem: str) -> str:
        """A mistake that was found after reading the file, with the file's name where it begins with a key."""
        return f"{self.config_used}: {problem}" if self.config_used and _KEY.match(problem) else problem

    def answer(self, record: Any, table: Callable[[], str]) -> None:
        """Print the answer: one JSON document, or what `table` makes of it. Raises Failure where nothing can be
        written, BrokenPipeError where nobody reads."""
        plain = not is_unicode(sys.stdout)
        text = json.dumps(record, ensure_ascii=plain, allow_nan=False) if self.as_json else table()
        try:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            raise Failure(f"the answer cannot be written: {getattr(error, 'strerror', None) or error}") from error

"""The configuration file: where it is and what is written in it. What the keys mean is for `bot.settings`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class ConfigError(Exception):
    """The configuration cannot be used; the text names the file and the key."""


def find_config(chosen: Path | None, *, cwd: Path, config_home: Path) -> Path | None:
    """The file to read: the chosen one, else `./config.toml`, else the user's; None if there is none.

    Raises ConfigError when a file was chosen and is not there.
    """
    if chosen is not None:
        if chosen.is_dir():
            raise ConfigError(f"{chosen}: this is a folder; name the configuration file in it")
        if not chosen.is_file():
            raise ConfigError(f"{chosen}: no such configuration file")
        return chosen
    for candidate in (cwd / "config.toml", config_home / "atalaia" / "config.toml"):
        if candidate.is_file():
            return candidate
    return None


def read_config(path: Path) -> dict[str, Any]:
    """The file's keys as they stand; a byte order mark before them is no part of them. Raises ConfigError."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: not usable TOML: a number is too long or lists are too deep") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def config_home(environ: Mapping[str, str]) -> Path:
    """The user's folder for configuration."""
    chosen = environ.get("XDG_CONFIG_HOME")
    return Path(chosen) if chosen else Path(environ.get("HOME", "~")).expanduser() / ".config"

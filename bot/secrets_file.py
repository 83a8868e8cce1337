"""Secrets of the configuration: from the environment, from a file of their own, or from the value in the file.

A placeholder of an example is refused; no error shows a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.config_file import ConfigError

PLACEHOLDERS = frozenset(
    {"changeme", "change-me", "secret", "token", "your-token", "your_token", "your-key", "your-api-key", "xxx", "todo"}
)
"""Values that stand in examples for a secret and are never one; `<...>` and `123456:ABC-DEF...` count too."""


def fill_secret(
    raw: dict[str, Any], place: tuple[str, ...], variable: str, environ: Mapping[str, str], folder: Path, name: str
) -> None:
    """Put a secret where it belongs: the environment wins over a file named by `…_file`, that over the value."""
    section: Any = raw
    for part in place[:-1]:
        if not isinstance(section, dict):
            return
        section = section.setdefault(part, {})
    if not isinstance(section, dict):
        return
    key, dotted = place[-1], ".".join(place)
    value, origin = section.get(key), f"{name}: {dotted}"
    file_name = section.pop(f"{key}_file", "")
    if not isinstance(file_name, str):
        raise ConfigError(f"{name}: {dotted}_file: the name of a file is expected")
    if file_name:
        if value:
            raise ConfigError(f"{name}: {dotted} and {dotted}_file are both given; keep one")
        value, origin = _secret_of(folder / Path(file_name).expanduser(), f"{name}: {dotted}_file"), f"{dotted}_file"
    if environ.get(variable):
        value, origin = environ[variable], variable
    if isinstance(value, str):
        value = value.strip()
        if _is_placeholder(value):
            raise ConfigError(
                f"{origin}: still the placeholder of an example; put the real one there or leave it empty"
            )
        value = SecretStr(value) if value else None
    if value is None:
        section.pop(key, None)
    else:
        section[key] = value


def _secret_of(path: Path, origin: str) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{origin}: {path} cannot be read ({type(error).__name__})") from None
    if not text or "\n" in text:
        raise ConfigError(f"{origin}: {path} must hold one line with the secret")
    return text


def _is_placeholder(value: str) -> bool:
    lowered = value.casefold()
    return (
        lowered in PLACEHOLDERS
        or (lowered.startswith("<") and lowered.endswith(">"))
        or lowered.startswith(("your-", "your_", "123456:abc", "123456789:abc", "paste"))
        or (len(value) > 2 and set(value) <= set("xX.*-"))
    )

"""The configuration: one TOML file, secrets also from the environment or from files, nothing ignored silently.

Every marketplace brings its own settings; this module finds them by folder. A mistake is one sentence that names the
file and the key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    create_model,
    field_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from market.alerting import Policy
from scanners import registry

PLACEHOLDERS = frozenset(
    {"changeme", "change-me", "secret", "token", "your-token", "your_token", "your-key", "your-api-key", "xxx", "todo"}
)
"""Values that stand in examples for a secret and are never one; `<...>` and `123456:ABC-DEF...` count too."""


class ConfigError(Exception):
    """The configuration cannot be used; the text names the file and the key."""


def _digits(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    text = str(value).strip()
    return int(text) if text.lstrip("-").isdigit() else value


Id = Annotated[int, BeforeValidator(_digits)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StorageSettings(_Section):
    """Where the history lives."""

    url: str = "sqlite:///atalaia.db"


class TelegramSettings(_Section):
    """The bot and who may talk to it."""

    token: SecretStr | None = None
    api_url: str = "https://api.telegram.org"
    owners: list[Id] = []
    allowed_users: list[Id] = []
    allowed_chats: list[Id] = []


class ScanSettings(_Section):
    """How the marketplaces are asked."""

    slowest_seconds: Positive = 300.0


class AlertSettings(_Section):
    """When people are told."""

    cooldown_minutes: NotNegative = 5.0
    gone_after_scans: int = Field(default=2, ge=1)
    gone_after_seconds: NotNegative = 120.0
    expire_minutes: Positive = 15.0
    cheaper_percent: Annotated[float, Field(gt=0, lt=100)] = 5.0

    def policy(self) -> Policy:
        """The same in the units of the core."""
        return Policy(
            cooldown_s=self.cooldown_minutes * 60,
            gone_after_scans=self.gone_after_scans,
            gone_after_s=self.gone_after_seconds,
            expire_s=self.expire_minutes * 60,
            cheaper_ppm=round(self.cheaper_percent * 10_000),
        )


class HistorySettings(_Section):
    """What is recorded, and for how long in full."""

    raw_days: Positive = 90.0
    cards: list[str] = []


class MetricsSettings(_Section):
    """Where metrics are served; empty is nowhere."""

    listen: str = ""


class WatchSettings(_Section):
    """A rule kept in the file; `name` identifies it."""

    name: str = Field(min_length=1, max_length=40)
    rule: str
    chat: Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)] = "terminal"


def _marketplaces() -> type[BaseModel]:
    fields: dict[str, Any] = {
        name: (module.Settings, Field(default_factory=module.Settings)) for name, module in registry.modules().items()
    }
    return create_model("MarketplaceSettings", __base__=_Section, **fields)


class Settings(BaseSettings):
    """Everything that can be configured, with its defaults."""

    model_config = SettingsConfigDict(extra="forbid", strict=True, frozen=True, validate_default=False)

    language: Literal["en", "pt_BR"] = "en"
    timezone: str = "UTC"
    storage: StorageSettings = StorageSettings()
    telegram: TelegramSettings = TelegramSettings()
    marketplaces: Annotated[Any, BeforeValidator(lambda value: _marketplaces().model_validate(value, strict=True))] = (
        Field(default_factory=dict, validate_default=True)
    )
    scan: ScanSettings = ScanSettings()
    alerts: AlertSettings = AlertSettings()
    history: HistorySettings = HistorySettings()
    metrics: MetricsSettings = MetricsSettings()
    watches: list[WatchSettings] = []

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"{value!r} is not a time zone; write one like America/Sao_Paulo or UTC") from error
        return value

    @field_validator("watches")
    @classmethod
    def _names_differ(cls, value: list[WatchSettings]) -> list[WatchSettings]:
        names = [watch.name for watch in value]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two watches are named {name!r}; the name tells them apart")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The caller has read the file and the secrets: no other variable of the environment may change anything."""
        return (init_settings,)

    def secrets(self) -> tuple[str, ...]:
        """The literal values that must never be shown."""
        found = [self.telegram.token, *(getattr(each, "api_key", None) for _, each in self.marketplaces)]
        return tuple(secret.get_secret_value() for secret in found if secret is not None)


def secret_names() -> dict[tuple[str, ...], str]:
    """Place of each secret in the file, and the variable of the environment that may carry it instead."""
    names: dict[tuple[str, ...], str] = {("telegram", "token"): "ATALAIA_TELEGRAM_TOKEN"}
    for market, module in registry.modules().items():
        if "api_key" in module.Settings.model_fields:
            names["marketplaces", market, "api_key"] = f"ATALAIA_{market.upper()}_API_KEY"
    return names


def find_config(chosen: Path | None, *, cwd: Path, config_home: Path) -> Path | None:
    """The file to read: the chosen one, else `./config.toml`, else the user's; None if there is none.

    Raises ConfigError when a file was chosen and is not there.
    """
    if chosen is not None:
        if not chosen.is_file():
            raise ConfigError(f"{chosen}: no such configuration file")
        return chosen
    for candidate in (cwd / "config.toml", config_home / "atalaia" / "config.toml"):
        if candidate.is_file():
            return candidate
    return None


def load(path: Path | None, *, environ: Mapping[str, str], cwd: Path) -> Settings:
    """Read and check the configuration; `path` None gives the defaults. Raises ConfigError."""
    raw = _read(path) if path is not None else {}
    folder = path.resolve().parent if path is not None else cwd
    name = str(path) if path is not None else "configuration"
    for place, variable in secret_names().items():
        _fill_secret(raw, place, variable, environ, folder, name)
    try:
        settings = Settings(**raw)
    except ValidationError as error:
        raise ConfigError(f"{name}: {_first_problem(error)}") from None
    return settings.model_copy(update={"storage": StorageSettings(url=_absolute(settings.storage.url, folder))})


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _fill_secret(
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


def _first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, by its dotted key; never the value, which may be a secret."""
    problem = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(str(part) for part in problem["loc"])
    texts = {"extra_forbidden": "unknown key"}
    message = texts.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    return f"{key}: {message[0].lower()}{message[1:]}"


def _absolute(url: str, folder: Path) -> str:
    prefix = "sqlite:///"
    if not url.startswith(prefix) or url.startswith("sqlite:////"):
        return url
    return prefix + str(folder / url.removeprefix(prefix))


def config_home(environ: Mapping[str, str]) -> Path:
    """The user's folder for configuration."""
    chosen = environ.get("XDG_CONFIG_HOME")
    return Path(chosen) if chosen else Path(environ.get("HOME", "~")).expanduser() / ".config"

"""The configuration: one TOML file, secrets also from the environment or from files, nothing ignored silently.

Every marketplace brings its own settings; this module finds them by folder. A mistake is one sentence that names the
file and the key.
"""

from __future__ import annotations

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

from bot.config_file import ConfigError, config_home, find_config, read_config
from bot.metrics.address import listen_address
from bot.recipient import LARGEST, TERMINAL, recipient
from bot.secrets_file import fill_secret
from market.alerting import Policy
from market.names import seen_name
from scanners import registry
from storage.engine import database_path
from storage.errors import StoreError

__all__ = ["ConfigError", "Settings", "config_home", "find_config", "load", "secret_names"]


def _digits(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = value.strip()
    return int(text) if len(text) <= 20 and text.isascii() and text.removeprefix("-").isdigit() else value


def _recipient(value: object) -> object:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return recipient(str(value)) if whole or isinstance(value, str) else value


Id = Annotated[int, BeforeValidator(_digits), Field(ge=-LARGEST, le=LARGEST)]
Seconds = Annotated[float, Field(gt=0, le=31_536_000, allow_inf_nan=False)]
"""At most a year, as everything that is waited for."""
Minutes = Annotated[float, Field(gt=0, le=525_600, allow_inf_nan=False)]
Days = Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StorageSettings(_Section):
    """Where the history lives."""

    url: str = "sqlite:///atalaia.db"

    @field_validator("url")
    @classmethod
    def _is_a_file(cls, value: str) -> str:
        try:
            database_path(value)
        except StoreError:  # its text has the address, which may hold a password
            raise ValueError("only an SQLite file can be used; write it as sqlite:///name.db") from None
        return value


class TelegramSettings(_Section):
    """The bot and who may talk to it."""

    token: SecretStr | None = None
    api_url: str = "https://api.telegram.org"
    owners: list[Id] = []
    allowed_users: list[Id] = []
    allowed_chats: list[Id] = []


class ScanSettings(_Section):
    """How the marketplaces are asked."""

    slowest_seconds: Seconds = 300.0


class AlertSettings(_Section):
    """When people are told."""

    cooldown_minutes: Annotated[float, Field(ge=0, le=525_600, allow_inf_nan=False)] = 5.0
    gone_after_scans: int = Field(default=2, ge=1, le=1_000_000)
    gone_after_seconds: Annotated[float, Field(ge=0, le=31_536_000, allow_inf_nan=False)] = 120.0
    expire_minutes: Minutes = 15.0
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

    raw_days: Days = 90.0
    cards: list[str] = []


class MetricsSettings(_Section):
    """Where metrics are served; empty: nowhere."""

    listen: str = ""

    @field_validator("listen")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value:
            listen_address(value)
        return value


def _seen(value: Any) -> Any:
    return seen_name(value) if isinstance(value, str) else value


class WatchSettings(_Section):
    """A rule kept in the file; `name` identifies it."""

    name: Annotated[str, BeforeValidator(_seen)] = Field(min_length=1, max_length=40)
    rule: str
    chat: Annotated[str, BeforeValidator(_recipient)] = TERMINAL


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


def load(path: Path | None, *, environ: Mapping[str, str], cwd: Path) -> Settings:
    """Read and check the configuration; `path` None gives the defaults. Raises ConfigError."""
    raw = read_config(path) if path is not None else {}
    folder = path.resolve().parent if path is not None else cwd
    name = str(path) if path is not None else "configuration"
    for place, variable in secret_names().items():
        fill_secret(raw, place, variable, environ, folder, name)
    try:
        settings = Settings(**raw)
    except ValidationError as error:
        raise ConfigError(f"{name}: {_first_problem(error)}") from None
    return settings.model_copy(update={"storage": StorageSettings(url=_absolute(settings.storage.url, folder))})


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

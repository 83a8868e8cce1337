"""What every marketplace is configured by; a module adds its own keys to it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

RequestsPerMinute = Annotated[float, Field(ge=0.001, le=1_000_000)]
"""Seldom enough for any quota, and no pause so long that no clock can tell it."""
RowsPerDay = Annotated[int, Field(gt=0, le=1_000_000_000_000)]
Minutes = Annotated[float, Field(gt=0, le=525_600)]
"""At most a year."""


class MarketSettings(BaseModel):
    """Settings of one marketplace. Unknown keys are refused, and an error never shows the value it is about."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, allow_inf_nan=False)

    enabled: bool = True
    url: str
    """Root of the service, without a path."""
    api_key: SecretStr | None = None
    api_key_file: Path | None = None
    """Read by whoever loads the configuration, which then fills `api_key`."""
    requests_per_minute: RequestsPerMinute

    @field_validator("url")
    @classmethod
    def _is_web_address(cls, url: str) -> str:
        if not url.startswith(("https://", "http://")) or not url.partition("://")[2].strip("/"):
            raise ValueError("must start with https:// (or http:// for a service on this machine)")
        return url.rstrip("/")

    @field_validator("api_key")
    @classmethod
    def _empty_is_none(cls, key: SecretStr | None) -> SecretStr | None:
        text = key.get_secret_value().strip() if key else ""
        return SecretStr(text) if text else None

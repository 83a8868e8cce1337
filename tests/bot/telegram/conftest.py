"""A bot on a fake Telegram."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from functools import cache

import httpx
import pytest

from tests.bot.telegram.cast import LeapingClock
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import BotApi


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy of this machine, the library's switch put back afterwards, certificates (slow) loaded once."""
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    monkeypatch.setattr(httpx, "create_ssl_context", _certificates)


@pytest.fixture
def clock() -> LeapingClock:
    return LeapingClock()


@pytest.fixture
async def api(clock: LeapingClock) -> AsyncIterator[BotApi]:
    """Telegram by the same clock as the bot."""
    async with BotApi(clock=lambda: clock.now().timestamp()) as running:
        yield running


@pytest.fixture
async def stage(api: BotApi, clock: LeapingClock) -> AsyncIterator[Stage]:
    """Not started yet; stopped at the end if it was."""
    made = Stage(api, clock)
    yield made
    if hasattr(made, "bot"):
        await made.bot.stop()


@pytest.fixture
async def playing(stage: Stage) -> Stage:
    """A running bot with one owner, one listed person and one listed group."""
    await stage.play()
    return stage

"""Examining a set-up: every check says what was found and, where something is wrong, what to do about it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.access import OWNER_FACT
from bot.clock import SystemClock
from bot.guesses import GUESSES_FACT
from bot.product import Product, assembled
from bot.rulecheck import check_supported
from bot.settings import ConfigError, Settings
from market.rule import RuleError
from scanners.client import UnusableProxyError
from scanners.errors import KeyRejected, ScanError
from storage.errors import StoreError
from storage.heartbeat import freshness

_RELEASED = 2026


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was looked at. `remedy` is set where something should be done."""

    name: str
    ok: bool
    detail: str
    remedy: str | None = None


class Configured(Protocol):
    """Where the configuration comes from."""

    def settings(self) -> Settings:
        """Read it. Raises ConfigError."""

    @property
    def config_used(self) -> Path | None:
        """The file that was read; None when there was none."""


async def examine(configured: Configured) -> list[Check]:
    """Look at everything that can be wrong with a set-up; asks Telegram and each marketplace one cheap question."""
    try:
        settings = configured.settings()
    except ConfigError as error:
        return [Check(name="config", ok=False, detail=str(error), remedy="correct that key and run doctor again")]
    used = configured.config_used
    detail = f"{used} is read" if used else "no configuration file: the defaults are used"
    checks = [Check(name="config", ok=True, detail=detail)]
    checks.append(await _token(settings))
    try:
        async with assembled(settings, SystemClock()) as product:
            checks.append(Check(name="database", ok=True, detail=f"{product.store.path} is sound"))
            checks.extend(_owner(product))
            checks.append(_rules(product))
            checks.extend([await _market(product, name) for name in product.markets])
            checks.append(_clock(product))
            checks.append(Check(name="zone", ok=True, detail=f"{settings.timezone} is known"))
    except StoreError as error:
        checks.append(Check(name="database", ok=False, detail=f"{error.path}: {error.problem}", remedy=error.remedy))
    except UnusableProxyError as error:
        checks.append(Check(name="proxy", ok=False, detail=str(error), remedy="unset that variable"))
    except ConfigError as error:
        checks.append(Check(name="config", ok=False, detail=str(error), remedy="correct that key"))
    return checks


async def _token(settings: Settings) -> Check:
    token = settings.telegram.token
    if token is None:
        return Check(
            name="token",
            ok=True,
            detail="no Telegram token: alerts go to the terminal",
            remedy="ask @BotFather for a token and set ATALAIA_TELEGRAM_TOKEN to be told in Telegram",
        )
    # imported here: who runs without Telegram does not pay for its library
    from bot.telegram.greeting import Unanswered, Unusable, bot_name

    try:
        name = await bot_name(token, settings.telegram.api_url)
    except Unusable as error:
        remedy = "copy it whole from @BotFather: digits, a colon, 35 characters"
        return Check(name="token", ok=False, detail=str(error), remedy=remedy)
    except Unanswered as error:
        remedy = "check telegram.api_url and the connection; `run` goes on trying"
        return Check(name="token", ok=False, detail=str(error), remedy=remedy)
    return Check(name="token", ok=True, detail=f"Telegram knows it: {name}")


def _owner(product: Product) -> list[Check]:
    """Whether anybody can get into the bot, where there is one."""
    telegram = product.settings.telegram
    if telegram.token is None:
        return []
    stored = product.chats.fact(OWNER_FACT)
    if telegram.owners or stored is not None:
        return [Check(name="owner", ok=True, detail="the bot has an owner")]
    wrong = product.chats.fact(GUESSES_FACT)
    detail = "the bot has no owner yet" + (f"; {wrong} wrong one-time codes were sent to it" if wrong else "")
    remedy = "send the bot the one-time code that `run` prints, or put your number into telegram.owners"
    return [Check(name="owner", ok=True, detail=detail, remedy=remedy)]


def _rules(product: Product) -> Check:
    lost = product.watches.unreadable()
    problems = [f"rule {each.id} cannot be read any more" for each in lost]
    for watch in product.settings.watches:
        try:
            check_supported(product.rules.read(watch.rule))
        except RuleError as error:
            problems.append(f"watches.{watch.name}: {error}")
    if problems:
        return Check(name="rules", ok=False, detail="; ".join(problems), remedy="edit or remove these rules")
    return Check(name="rules", ok=True, detail=f"{len(product.watches.list())} stored, all readable")


async def _market(product: Product, name: str) -> Check:
    market, now = product.markets[name], product.clock.now()
    reserve = (market.limits.rows_per_answer or 0) if market.limits.rows_per_day is not None else 0
    wait = product.usage.turn(name, now, 60 / market.limits.requests_per_minute)
    if wait > 0:
        await product.clock.wait(asyncio.Event(), wait)
        product.usage.turn(name, product.clock.now(), 60 / market.limits.requests_per_minute)
    allowed = product.usage.begin(name, now, reserve)
    if reserve and not allowed:
        return Check(
            name=name, ok=False, detail="the day's rows are used up", remedy="wait for the reset at midnight UTC"
        )
    rows = 0
    try:
        snapshot = await market.scan(market.heartbeat(), row_limit=allowed if reserve else None)
        rows = snapshot.rows
    except KeyRejected as error:
        return Check(
            name=name,
            ok=False,
            detail=error.problem,
            remedy=f"make a new key with read permission and set ATALAIA_{name.upper()}_API_KEY",
        )
    except ScanError as error:
        return Check(
            name=name, ok=False, detail=error.problem, remedy=f"check marketplaces.{name}.url and the connection"
        )
    finally:
        product.usage.settle(name, product.clock.now(), allowed if reserve else 0, rows)
    keyless = market.remarks()
    return Check(name=name, ok=True, detail="answers", remedy=" ".join(keyless) or None)


def _clock(product: Product) -> Check:
    now = product.clock.now()
    stored = [fresh.last_ok_at for fresh in freshness(product.store).values() if fresh.last_ok_at is not None]
    ahead = [at for at in stored if at > now]
    if now.year < _RELEASED or ahead:
        detail = f"the clock says {now:%Y-%m-%d %H:%M} UTC" + (", earlier than stored answers" if ahead else "")
        return Check(name="clock", ok=False, detail=detail, remedy="set the machine's clock, best by NTP")
    return Check(name="clock", ok=True, detail=f"{now:%Y-%m-%d %H:%M} UTC")

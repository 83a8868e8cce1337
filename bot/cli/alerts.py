"""`atalaia alerts`: the log of alerts, with what became of each and how long it took."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from bot.cli.session import Session, Usage
from bot.clock import SystemClock
from bot.product import assembled
from bot.render.numbers import span, usd
from bot.render.table import table
from market.money import dollars
from storage.alertlog import LoggedAlert

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}


def alerts(
    context: typer.Context,
    since: Annotated[
        str, typer.Option(metavar="TIME-OR-24h", help="A time such as 2026-12-01T08:00, or 24h, 7d.")
    ] = "24h",
) -> None:
    """Show what was told, when, and what became of it."""
    asyncio.run(_alerts(context.obj, since))


async def _alerts(session: Session, since: str) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        start = read_since(since, product.clock.now())
        found = product.alert_log.since(start)
        session.answer(
            {"alerts": [_record(each) for each in found]},
            lambda: (
                table(
                    ("id", "kind", "card", "per GPU-hour", "chat", "seen", "delay", "state", "why"),
                    [_row(each) for each in found],
                )
                if found
                else f"no alerts since {start:%Y-%m-%d %H:%M} UTC"
            ),
        )


def read_since(text: str, now: datetime) -> datetime:
    """A moment, or a span back from now. A moment without a zone is UTC. Raises Usage."""
    given = _SPAN.fullmatch(text.strip().lower())
    if given:
        try:
            return now - timedelta(seconds=float(given[1]) * _SECONDS[given[2]])
        except OverflowError:
            raise Usage(f"--since: {text!r} is too long ago") from None
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Usage(f"--since: {text!r} is neither a time such as 2026-12-01T08:00 nor a span such as 24h") from None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _record(each: LoggedAlert) -> dict[str, Any]:
    return {
        "id": each.id,
        "watch_ids": list(each.watch_ids),
        "chat": each.chat,
        "kind": each.kind,
        "gpu": each.gpu,
        "market": each.market,
        "key": each.key,
        "usd_per_gpu_hour": None if each.price_per_gpu is None else dollars(each.price_per_gpu),
        "seen_at": _exact(each.seen_at),
        "queued_at": _exact(each.queued_at),
        "sent_at": None if each.sent_at is None else _exact(each.sent_at),
        "state": each.state,
        "reason": each.reason,
    }


def _exact(at: datetime) -> str:
    """Always with milliseconds: delays are read from the differences."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _row(each: LoggedAlert) -> tuple[object, ...]:
    delay = None if each.sent_at is None else (each.sent_at - each.seen_at).total_seconds()
    return (
        each.id,
        each.kind,
        each.gpu,
        None if each.price_per_gpu is None else usd(each.price_per_gpu),
        each.chat,
        f"{each.seen_at:%Y-%m-%d %H:%M:%S} UTC",
        None if delay is None else f"{delay:.2f} s" if delay < 10 else span(delay),
        each.state,
        each.reason,
    )

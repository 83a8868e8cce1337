"""`atalaia status`, `health` and `doctor`: how it is doing, whether a supervisor should worry, and what to mend."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import typer

from bot.cli.session import Session
from bot.clock import SystemClock
from bot.doctor import Check, examine
from bot.product import Product, assembled
from bot.questions import MarketStatus, Status, problems
from bot.questions import status as ask_status
from bot.render.numbers import span
from bot.render.records import age_s, moment
from bot.render.table import ago, plural


def status(context: typer.Context) -> None:
    """Show budget and freshness."""
    asyncio.run(_status(context.obj))


def health(context: typer.Context) -> int:
    """Tell whether every enabled marketplace is answering.

    The exit code is 0 if so, else 1.
    """
    return asyncio.run(_health(context.obj))


def doctor(context: typer.Context) -> int:
    """Check the installation and say what to mend."""
    return asyncio.run(_doctor(context.obj))


async def _status(session: Session) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        answer = ask_status(product)
        session.answer(status_json(answer), lambda: status_text(product, answer))


def status_json(answer: Status) -> dict[str, Any]:
    """The answer as a record."""
    return {
        "markets": {name: _market(market, answer) for name, market in answer.markets.items()},
        "outbox": {"queued": answer.queued, "oldest_s": age_s(answer.oldest_at, answer.at)},
        "alerts": {"held": answer.held},
        "rules": {"no_longer_allowed": sum(answer.resting.values()), "chats": sorted(answer.resting)},
        "database": {"bytes": answer.database_bytes},
    }


def _market(market: MarketStatus, answer: Status) -> dict[str, Any]:
    fresh, pace = market.freshness, market.pace
    return {
        "last_ok_at": moment(fresh.last_ok_at),
        "age_s": age_s(fresh.last_ok_at, answer.at),
        "failures_in_a_row": fresh.failures_in_a_row,
        "error": fresh.error,
        "requests_today": market.requests_today,
        "rows_today": market.rows_today,
        "rows_limit": market.rows_limit,
        "resets_at": moment(market.resets_at),
        "next_poll_in_s": None if pace is None else max(int((pace.next_at - answer.at).total_seconds()), 0),
        "pace_reason": None if pace is None else pace.reason,
        "rows_reserved": market.rows_reserved,
        "rows_left": market.rows_left,
        "rows_per_hour": None if market.rows_per_hour is None else round(market.rows_per_hour, 1),
        "census_pace_s": None if pace is None else pace.census_s,
        "probe_round_s": None if pace is None else pace.round_s,
    }


def status_text(product: Product, answer: Status) -> str:
    """The answer for people."""
    lines = []
    for name, market in answer.markets.items():
        fresh = market.freshness
        lines.append(f"{name}: last good answer {ago(fresh.last_ok_at, answer.at)}")
        if fresh.failures_in_a_row:
            lines.append(f"  failing: {plural(fresh.failures_in_a_row, 'time', 'times')} in a row, {fresh.error}")
        spent = f"  today {plural(market.requests_today, 'request', 'requests')}, {market.rows_today} rows"
        if market.rows_limit is not None and market.resets_at is not None:
            left = span((market.resets_at - answer.at).total_seconds())
            spent += f" of {market.rows_limit}, reset in {left}"
        lines.append(spent)
        if market.rows_left is not None and market.rows_per_hour is not None:
            aside = f", {market.rows_reserved} set aside" if market.rows_reserved else ""
            lines.append(f"  {market.rows_left} rows left{aside}, now about {market.rows_per_hour:.0f} an hour")
        lines.extend(f"  {each}" for each in _paces(market, answer.at))
    oldest = f", the oldest for {span((answer.at - answer.oldest_at).total_seconds())}" if answer.oldest_at else ""
    held = f", {answer.held} held back" if answer.held else ""
    lines.append(f"outbox: {plural(answer.queued, 'alert', 'alerts')} waiting{oldest}{held}")
    if answer.resting:
        rules = plural(sum(answer.resting.values()), "rule rests", "rules rest")
        lines.append(f"no longer allowed: {rules}, of the chats {', '.join(answer.resting)}")
    lines.append(f"database: {answer.database_bytes / 1e6:.1f} MB in {product.store.path}")
    return "\n".join(lines)


def _paces(market: MarketStatus, at: datetime) -> Iterator[str]:
    """When the next question comes and why, the round of probes and the pace of full pictures."""
    pace = market.pace
    if pace is None:
        return
    if not market.is_asked(at):
        yield "not being asked: no atalaia is running on this database"
        return
    yield f"next question in {span((pace.next_at - at).total_seconds())}: {pace.reason}"
    if pace.round_s is not None:
        yield f"every scarce card is asked for within {span(pace.round_s)}"
    every, wanted = pace.census_s, market.picture_s
    if every is not None:
        why = ""
        if wanted is not None and every > wanted:
            why = f" instead of {span(wanted)}, so that they take half of the rows at most"
        yield f"full picture of each card every {span(every)}{why}"


async def _health(session: Session) -> int:
    async with assembled(session.settings(), SystemClock()) as product:
        found = problems(product)
        session.answer({"healthy": not found, "problems": found}, lambda: "healthy" if not found else "\n".join(found))
    return 1 if found else 0


async def _doctor(session: Session) -> int:
    checks = await examine(session)
    session.answer({"checks": [_check(each) for each in checks]}, lambda: "\n".join(_check_lines(checks)))
    return 0 if all(each.ok for each in checks) else 1


def _check(each: Check) -> dict[str, Any]:
    return {"name": each.name, "ok": each.ok, "detail": each.detail, "remedy": each.remedy}


def _check_lines(checks: list[Check]) -> list[str]:
    lines = []
    for each in checks:
        lines.append(f"{'ok  ' if each.ok else 'FAIL'} {each.name}: {each.detail}")
        if each.remedy:
            lines.append(f"     {each.remedy}")
    return lines

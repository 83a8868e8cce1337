"""`atalaia watch`: the same rules as in the chat; a running `run` takes changes up by itself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from bot.cli.session import Failure, Session, Usage
from bot.clock import SystemClock
from bot.effort import efforts
from bot.language import speech_for
from bot.namesake import namesake
from bot.product import Product, assembled
from bot.questions import matching
from bot.recipient import TERMINAL, recipient
from bot.render.effort import cost_lines, effort_record, warnings
from bot.render.table import plural, table
from bot.render.text import offer_line
from bot.rulecheck import check_supported
from market.effort import Effort
from market.names import seen_name
from market.verdict import unsatisfiable
from market.watch import Watch

LONGEST_NAME = 40
LONGEST_ID = 18
"""Digits, with a sign: the store counts no further."""
_NUMBER = re.compile(r"-?[0-9]+")

app = typer.Typer(help="Add, list and remove watch rules.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def watch(context: typer.Context) -> None:
    """Add, list and remove watch rules."""
    if context.invoked_subcommand is None:
        raise Usage("watch: a command is missing: add, list or remove")


@app.command("add", context_settings={"ignore_unknown_options": True})
def add(
    context: typer.Context,
    rule: Annotated[list[str], typer.Argument(help='Such as "RTX 4090 <=0.40 rel>98".')],
    chat: Annotated[str, typer.Option(help="Chat id that is told, or `terminal`.")] = "terminal",
    name: Annotated[str | None, typer.Option(help="A name for the rule.")] = None,
) -> None:
    """Watch for offers that pass a rule."""
    asyncio.run(_add(context.obj, " ".join(rule), chat, name))


@app.command("list")
def list_(context: typer.Context) -> None:
    """Show every rule and how many offers match it now."""
    asyncio.run(_list(context.obj))


@app.command("remove")
def remove(context: typer.Context, watch_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Stop watching a rule and delete it."""
    if not _NUMBER.fullmatch(watch_id):
        raise Usage(f"{watch_id!r} is not the number of a rule; `atalaia watch list` shows them")
    if len(watch_id) > LONGEST_ID:
        raise Failure(_absent(watch_id))
    asyncio.run(_remove(context.obj, int(watch_id)))


async def _add(session: Session, text: str, chat: str, name: str | None) -> None:
    try:
        chat = recipient(chat)
    except ValueError as error:
        raise Usage(f"--chat: {error}") from None
    async with assembled(session.settings(), SystemClock()) as product:
        rule = product.rules.read(text)
        check_supported(rule)
        if name is not None:
            name = seen_name(name)
            if not 1 <= len(name) <= LONGEST_NAME:
                raise Usage(f"--name: 1 to {LONGEST_NAME} characters that can be seen are expected")
        bearer = namesake(product.watches.list(chat), name or rule.name)
        if bearer is not None:
            raise Usage(f"--name: {bearer.name!r} is taken by rule {bearer.id}: {bearer.text}")
        canonical = product.rules.write(rule)
        watch = product.watches.add(
            chat=chat, text=canonical, name=name or rule.name, origin="cli", now=product.clock.now()
        )
        costs = efforts(product, watch)
        record = {**_record(product, watch), "effort": _effort_record(costs)}
        session.answer(record, lambda: _reply(product, watch, costs))


def _effort_record(costs: Mapping[str, Effort]) -> dict[str, Any]:
    return {name: effort_record(each, name, speech_for("en")) for name, each in costs.items()}


def _reply(product: Product, watch: Watch, costs: Mapping[str, Effort]) -> str:
    lines = [f"rule {watch.id}: {watch.text}"]
    lines.extend(f"  excluded: {where} ({reason})" for where, reason in unsatisfiable(watch.rule).items())
    if any(market == "runpod" for market, _ in watch.rule.places) and watch.rule.disk_gb > 8:
        lines.append("  on RunPod disk is billed apart and is not in the price")
    now = matching(product, watch.rule)
    if now:
        lines.append(f"  {plural(len(now), 'stored offer matches', 'stored offers match')} already; the best:")
        lines.extend(f"  - {offer_line(each.offer, watch.rule.terms, watch.rule.disk_gb)}" for each in now[:3])
    else:
        lines.append("  nothing that is stored matches; a running atalaia asks for it within seconds")
    lines.extend(f"  cost on {each}" for each in cost_lines(costs, speech_for("en")))
    lines.extend(f"  too much on {each}" for each in warnings(costs, speech_for("en")))
    lines.append(f"  what matches at its first check, and whatever appears later, is told to {watch.chat}")
    if watch.chat != TERMINAL and product.settings.telegram.token is None:
        lines.append("  no Telegram token is set: until there is one, its alerts are printed by `atalaia run`")
    return "\n".join(lines)


async def _list(session: Session) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        watches = product.watches.list()
        for lost in product.watches.unreadable():
            session.note(f"rule {lost.id} cannot be read any more: {lost.text}")
        records = [_record(product, watch) for watch in watches]
        session.answer(
            {"watches": records},
            lambda: (
                table(
                    ("id", "chat", "name", "rule", "state", "matching"),
                    [_row(record) for record in records],
                )
                if records
                else 'no rules yet; add one with  atalaia watch add "RTX 4090 <=0.40" --chat terminal'
            ),
        )


def _row(record: Mapping[str, Any]) -> list[Any]:
    state = record["state"] if record["allowed"] else "no longer allowed"
    return [*(record[key] for key in ("id", "chat", "name", "rule")), state, record["matching"]]


async def _remove(session: Session, watch_id: int) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        watch = product.watches.by_id(watch_id)
        if not product.watches.remove(watch_id):
            raise Failure(_absent(str(watch_id)))
        if watch is not None and watch.origin == "file":
            session.note(f"rule {watch_id} is kept in the configuration file and comes back unless it is removed there")
        session.answer({"removed": watch_id}, lambda: f"rule {watch_id} is deleted")


def _absent(watch_id: str) -> str:
    return f"there is no rule {watch_id}; `atalaia watch list` shows those there are"


def _record(product: Product, watch: Watch) -> dict[str, Any]:
    state = watch.state if watch.state in ("active", "paused", "snoozed") and not watch.barred else "paused"
    return {
        "id": watch.id,
        "chat": watch.chat,
        "name": watch.name,
        "rule": watch.text,
        "state": state,
        "allowed": not watch.barred,
        "matching": len(matching(product, watch.rule)),
    }

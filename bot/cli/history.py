"""`atalaia history`: price and supply of a card over time, with its gaps shown as gaps."""

from __future__ import annotations

import asyncio
import math
from typing import Annotated, Any

import typer

from bot.cli.session import Session, Usage
from bot.clock import SystemClock
from bot.product import Product, assembled
from bot.questions import card_history
from bot.render.numbers import percent, span, usd
from bot.render.records import moment
from bot.render.table import plural, table
from market.money import dollars
from market.rule import EVERY_PLACE
from storage.history import History
from storage.series import Point

LONGEST_DAYS = 3660
TIERS = ("datacenter", "secure", "community")


def history(
    context: typer.Context,
    gpu: Annotated[list[str], typer.Argument(help='A card or family, such as "RTX 4090", H100 or "A100 80GB".')],
    days: Annotated[str, typer.Option(metavar="DAYS", help="How far back.")] = "7",
    market: Annotated[str | None, typer.Option(help="vast or runpod.")] = None,
    tier: Annotated[str | None, typer.Option(help="datacenter, secure or community.")] = None,
) -> None:
    """Show price and supply over time."""
    span_days = read_days(days)
    if tier is not None and tier not in TIERS:
        raise Usage(f"--tier: {tier!r} is none of {', '.join(TIERS)}")
    if market is not None and tier is not None and (market, tier) not in EVERY_PLACE:
        there = sorted(each for name, each in EVERY_PLACE if name == market)
        if there:
            raise Usage(f"--tier: {market} has no {tier!r}, only {' and '.join(there)}")
    asyncio.run(_history(context.obj, " ".join(gpu), span_days, market, tier))


def read_days(text: str) -> float:
    """A number of days. Raises Usage."""
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 < days <= LONGEST_DAYS:
        raise Usage(f"--days: {text!r} is not a number of days between 0 and {LONGEST_DAYS}")
    return days


async def _history(session: Session, text: str, days: float, market: str | None, tier: str | None) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        if market is not None and market not in product.markets:
            raise Usage(f"--market: {market!r} is none of {', '.join(product.markets)}")
        choice = product.rules.card(text)
        name = choice.name if choice.vram_gb is None else f"{choice.name} {choice.vram_gb}GB"
        found = card_history(product, choice, days=days, market=market, tier=tier)
        session.answer(history_json(name, found), lambda: history_table(product, name, found))


def history_json(name: str, found: History) -> dict[str, Any]:
    """The answer as a record."""
    return {
        "gpu": name,
        "from": moment(found.start),
        "to": moment(found.end),
        "samples": found.samples,
        "gaps": [[moment(start), moment(end)] for start, end in found.gaps],
        "available_share": found.available_share,
        "series": [_point(each) for each in found.series],
    }


def _point(each: Point) -> dict[str, Any]:
    return {
        "at": moment(each.at),
        "market": each.market,
        "tier": each.tier,
        "terms": each.terms,
        "best_usd_per_gpu_hour": _usd(each.best),
        "median_usd_per_gpu_hour": _usd(each.median),
        "gpus": each.gpus,
        "offers": each.offers,
        "stock": each.stock,
    }


def _usd(micro_dollars: int | None) -> float | None:
    return None if micro_dollars is None else dollars(micro_dollars)


def history_table(product: Product, name: str, found: History) -> str:
    """The answer for people."""
    unknown = sum((end - start).total_seconds() for start, end in found.gaps)
    samples, gaps = plural(found.samples, "sample", "samples"), plural(len(found.gaps), "gap", "gaps")
    every = "" if found.every_s is None else f", one about every {span(found.every_s)}"
    lines = [
        f"{name}, {found.start:%Y-%m-%d %H:%M} to {found.end:%Y-%m-%d %H:%M} UTC",
        f"{_share(found)}; {samples}{every}, no data for {span(unknown)} in {gaps}",
    ]
    if found.samples == 0:
        lines.append("nothing is recorded of this card: watch it, or add it to `history.cards`")
    if found.series:
        heads = ("at (UTC)", "market", "tier", "terms", "best", "median", "GPUs", "offers", "stock")
        lines.append(table(heads, [_row(each) for each in found.series]))
    return "\n".join(lines)


def _share(found: History) -> str:
    if found.available_share is None:
        return "it was not watched in this time"
    return f"on offer {percent(round(found.available_share * 1_000_000))} of the time that was watched"


def _row(each: Point) -> tuple[object, ...]:
    return (
        f"{each.at:%m-%d %H:%M}",
        each.market,
        each.tier,
        each.terms,
        None if each.best is None else usd(each.best),
        None if each.median is None else usd(each.median),
        each.gpus,
        each.offers,
        each.stock,
    )

"""`atalaia now`: what is on offer, from the store. It never polls, and says how old its data are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from bot.cli.session import Session
from bot.clock import SystemClock
from bot.product import Product, assembled
from bot.questions import Offers, answers_in_full, offers_now
from bot.render.numbers import percent, usd
from bot.render.records import age_s, market_record, moment, offer_record
from bot.render.table import ago, plural, table
from market.alert import price_per_gpu
from storage.offers import Current

STALE_GAPS = 3


def now(
    context: typer.Context,
    rule: Annotated[
        list[str] | None, typer.Argument(help='A rule such as "RTX 4090 <=0.40"; none: everything.')
    ] = None,
) -> None:
    """Show the stored current offers that match a rule."""
    asyncio.run(_now(context.obj, " ".join(rule or [])))


async def _now(session: Session, text: str) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        wanted = product.rules.read(text) if text.strip() else None
        answer = offers_now(product, wanted)
        markets = {name: _market(product, name, answer) for name in answer.freshness}
        session.answer(offers_json(product, answer, markets), lambda: offers_table(product, answer))


def _market(product: Product, name: str, answer: Offers) -> Mapping[str, Any]:
    fresh = answer.freshness[name]
    return market_record(
        ok=fresh.last_ok_at is not None and fresh.failures_in_a_row == 0,
        complete=answers_in_full(product, name),
        error=fresh.error,
        rows=sum(each.offer.market == name for each in answer.offers),
        age=age_s(fresh.last_ok_at, answer.taken_at),
    )


def offers_json(product: Product, answer: Offers, markets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The answer of `now` and `scan`, with a record of each market."""
    return {
        "taken_at": moment(answer.taken_at),
        "markets": dict(markets),
        "offers": [
            offer_record(
                each.offer,
                seen_at=each.seen_at,
                now=answer.taken_at,
                links=product.links,
                terms=answer.terms,
                disk_gb=answer.disk_gb,
            )
            for each in answer.offers
        ],
    }


def offers_table(product: Product, answer: Offers) -> str:
    """The same for people: warnings first, then the offers."""
    lines = [_freshness_line(product, name, answer) for name in answer.freshness]
    if not answer.offers:
        never = all(fresh.last_ok_at is None for fresh in answer.freshness.values())
        lines.append(
            "nothing is stored yet: start `atalaia run`, or ask once with `atalaia scan`"
            if never
            else "no stored offer matches"
        )
        return "\n".join(lines)
    heads = ("card", "GPUs", "per GPU-hour", "total/h", "market", "tier", "reliability", "stock", "place", "seen")
    lines.append(table(heads, [_row(each, answer, answer.taken_at) for each in answer.offers]))
    disk = f"prices in US$; on Vast.ai with {answer.disk_gb} GB of disk, on RunPod without disk"
    lines.append(f"{plural(len(answer.offers), 'offer', 'offers')}; {disk}")
    return "\n".join(lines)


def _row(each: Current, answer: Offers, at: datetime) -> tuple[object, ...]:
    offer = each.offer
    whole = offer.hourly(answer.terms, answer.disk_gb)
    return (
        f"{offer.gpu} {offer.vram_gb} GB",
        offer.gpu_count,
        None if whole is None else usd(price_per_gpu(offer, answer.terms, answer.disk_gb)),
        None if whole is None else usd(whole),
        offer.market,
        offer.tier,
        None if offer.reliability_ppm is None else percent(offer.reliability_ppm),
        offer.stock,
        offer.place,
        ago(each.seen_at, at),
    )


def _freshness_line(product: Product, name: str, answer: Offers) -> str:
    fresh = answer.freshness[name]
    if fresh.last_ok_at is None:
        return f"{name}: never answered yet" + (f" ({fresh.error})" if fresh.error else "")
    line = f"{name}: last good answer {ago(fresh.last_ok_at, answer.taken_at)}"
    age = (answer.taken_at - fresh.last_ok_at).total_seconds()
    if age > STALE_GAPS * product.settings.scan.slowest_seconds:
        line += " - WARNING: old data, what is shown may be gone"
    if fresh.error:
        line += f"; failing now: {fresh.error}"
    return line

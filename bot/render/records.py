"""Answers as JSON records: every key always present, unknown is None and never 0."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.render.text import Links
from market.money import dollars, per_gpu
from market.offer import DEFAULT_DISK_GB, Offer, Terms


def moment(at: datetime | None) -> str | None:
    """`2026-12-01T12:00:00Z`; parts of a second are kept when there are any."""
    if at is None:
        return None
    text = at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    return text.removesuffix(".000") + "Z"


def offer_record(
    offer: Offer,
    *,
    seen_at: datetime,
    now: datetime,
    links: Links,
    terms: Terms = "on_demand",
    disk_gb: int = DEFAULT_DISK_GB,
) -> dict[str, Any]:
    """One offer; with terms `interruptible` the `usd_*` prices are the interruptible ones."""
    whole = offer.hourly(terms, disk_gb)
    link = links.get(offer.market)
    return {
        "market": offer.market,
        "key": offer.key,
        "offer_id": offer.offer_id,
        "gpu": offer.gpu,
        "gpu_count": offer.gpu_count,
        "vram_gb": offer.vram_gb,
        "terms": terms,
        "tier": offer.tier,
        "usd_per_gpu_hour": None if whole is None else per_gpu(whole, offer.gpu_count),
        "usd_per_hour": None if whole is None else dollars(whole),
        "interruptible_usd_per_hour": None if offer.interruptible_price is None else dollars(offer.interruptible_price),
        "disk_gb_included": disk_gb if offer.storage_price is not None else offer.disk_gb,
        "reliability": None if offer.reliability_ppm is None else offer.reliability_ppm / 1_000_000,
        "verified": offer.verified,
        "stock": offer.stock,
        "country": offer.country,
        "place": offer.place,
        "seen_at": moment(seen_at),
        "age_s": age_s(seen_at, now),
        "url": None if link is None else link(offer),
    }


def age_s(at: datetime | None, now: datetime) -> int | None:
    """Whole seconds since; never negative, whatever a clock did."""
    return None if at is None else max(int((now - at).total_seconds()), 0)


def market_record(
    *, ok: bool, complete: bool | None, error: str | None, rows: int | None, age: int | None
) -> Mapping[str, Any]:
    """The state of one marketplace in `scan` and `now`."""
    return {"ok": ok, "complete": complete, "error": error, "rows": rows, "age_s": age}

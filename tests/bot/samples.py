"""Offers and alerts made for the tests of what is shown, and text that means harm."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from bot.render.text import Links
from market.alert import Alert, AlertKind, Part
from market.offer import Offer, Stock, Terms

NOW = datetime(2027, 1, 10, 12, 0, tzinfo=UTC)
LINKS: Links = {
    "vast": lambda offer: f"https://cloud.example/create/?gpu={offer.gpu_count}&order=price",
    "runpod": lambda offer: f"https://console.example/deploy?count={offer.gpu_count}",
}

VAST = Offer(
    key="vast:501:1",
    market="vast",
    machine="501",
    gpu="RTX 4090",
    spelling="RTX 4090",
    gpu_count=1,
    vram_gb=24,
    tier="community",
    price=350_000,
    offer_id="70001",
    disk_gb=8,
    storage_price=144_000,
    interruptible_price=120_000,
    reliability_ppm=970_000,
    verified=True,
    country="BR",
    place="São Paulo, BR",
)
RUNPOD = Offer(
    key="runpod:made 4090:secure:2",
    market="runpod",
    machine="made 4090",
    gpu="RTX 4090",
    spelling="RTX 4090",
    gpu_count=2,
    vram_gb=24,
    tier="secure",
    price=1_380_000,
    offer_id="made 4090",
    stock="low",
    data_centers=("XX-ONE-1", "XX-TWO-1", "XX-TRI-1", "XX-TRI-2"),
)


def part(*offers: Offer, **changes: Any) -> Part:
    """A part of an alert with these offers; one RTX 4090 if none is given."""
    plain = Part(
        watch_id=7,
        name=None,
        rule="RTX 4090 <=0.40",
        terms="on_demand",
        disk_gb=8,
        offers=offers or (VAST,),
        count=len(offers) or 1,
    )
    return replace(plain, **changes)


def alert(*parts: Part, kind: AlertKind = "available", seen_s: float = 3) -> Alert:
    """An alert of these parts, seen so many seconds ago."""
    return Alert(
        kind=kind,
        chat="1",
        parts=parts or (part(),),
        seen_at=NOW - timedelta(seconds=seen_s),
        dedup_key="one",
        reason="made for a test",
    )


HARM = [
    "<b>&_*[`",
    "</code>",
    "&lt;",
    "a\nb\x00\x1b[2J",
    "\u202egnp.exe",
    "\u200b\ufeff",
    "\ud800",
    "{price}",
    "\"'>",
    "🦙" * 3000,
]
hostile: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(HARM),
    st.text(max_size=40),
    st.text(alphabet="<>&\"'{}%/ab;#\u202e\U0001f999", max_size=300),
    st.builds(str.__mul__, st.sampled_from(["W", "&", "<i>", "é", "🦙"]), st.integers(0, 9000)),
)
amounts = st.integers(0, 2**63)
terms_of: st.SearchStrategy[Terms] = st.sampled_from(["on_demand", "interruptible"])
stocks: st.SearchStrategy[Stock | None] = st.sampled_from(["low", "medium", "high", None])

offers_of: st.SearchStrategy[Offer] = st.builds(
    Offer,
    key=st.one_of(hostile, st.integers(0, 99).map(str)),
    market=st.one_of(st.sampled_from(["vast", "runpod"]), hostile),
    machine=hostile,
    gpu=hostile,
    spelling=hostile,
    gpu_count=st.integers(1, 2**31),
    vram_gb=st.integers(0, 2**63),
    tier=st.sampled_from(["datacenter", "secure", "community"]),
    price=amounts,
    offer_id=hostile,
    disk_gb=st.integers(0, 2**31),
    storage_price=st.none() | amounts,
    interruptible_price=st.none() | amounts,
    reliability_ppm=st.none() | st.integers(0, 1_000_000),
    verified=st.sampled_from([True, False, None]),
    stock=stocks,
    country=st.none() | hostile,
    place=st.none() | hostile,
    data_centers=st.lists(hostile, max_size=5).map(tuple),
    ends_at=st.none() | st.integers(0, 2**40),
)


@st.composite
def parts_of(draw: st.DrawFn) -> Part:
    """A part with anything in it."""
    offers = tuple(draw(st.lists(offers_of, max_size=3)))
    return Part(
        watch_id=draw(st.integers(1, 2**63)),
        name=draw(st.none() | hostile),
        rule=draw(hostile),
        terms=draw(terms_of),
        disk_gb=draw(st.integers(0, 2**31)),
        offers=offers,
        count=len(offers) + draw(st.integers(0, 2**31)),
    )

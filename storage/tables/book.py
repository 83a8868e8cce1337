"""The order book: what is on offer, what was, and which answers told so.

Money is micro-dollars an hour for the whole offer; `since`, `t0`, `t1` are epoch seconds, `at`, `seen_at` and
`last_at` epoch milliseconds.
"""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

from storage.tables.base import CLUSTERED, STRICT, Table, at_least, int64, one_of, string


class Market(Table, table=True):
    """One card in one tier of one marketplace: what history is told by."""

    __tablename__ = "market"
    __table_args__ = (
        UniqueConstraint("provider", "gpu", "vram_gb", "tier"),
        one_of("tier", "datacenter", "secure", "community"),
        STRICT,
    )
    market_id: int = Field(primary_key=True)
    provider: str = string()
    gpu: str = string()
    vram_gb: int
    tier: str = string()


class OfferRow(Table, table=True):
    """What is slow to change about an offer, kept once: its last description, for as long as history names it."""

    __tablename__ = "offer"
    __table_args__ = (UniqueConstraint("market_id", "key"), at_least("gpu_count", 1), STRICT)
    offer_id: int = Field(primary_key=True)
    market_id: int = Field(foreign_key="market.market_id")
    key: str = string()
    machine: str = string()
    gpu_count: int
    spelling: str = string()
    disk_gb: int
    storage_price: int | None = int64(nullable=True)
    country: str | None = string(nullable=True)
    place: str | None = string(nullable=True)
    data_centers: str | None = string(nullable=True)
    gpu_ids: str | None = string(nullable=True)
    machine_gpus: int | None
    disk_space_gb: int | None
    down_mbps: int | None
    ram_gb: int | None
    cuda: int | None
    ends_at: int | None = int64(nullable=True)
    first_at: int = int64()


class Cur(Table, table=True):
    """The open offers. `since` begins the present stay, `t0` the span that is open now.

    An offer belongs to the query that last showed it, and was last seen when that was last answered; it has a
    `seen_at` (milliseconds) of its own only once that query stopped showing it.
    """

    __tablename__ = "cur"
    __table_args__ = (
        at_least("price", 1),
        CheckConstraint("reliability_ppm BETWEEN 0 AND 1000000", name="reliability_ppm"),
        one_of("verified", 0, 1),
        one_of("stock", 1, 2, 3),
        CheckConstraint("(coverage_id IS NULL) <> (seen_at IS NULL)", name="seen"),
        Index("cur_coverage", "coverage_id"),
        STRICT,
    )
    offer_id: int = Field(primary_key=True, foreign_key="offer.offer_id")
    market_id: int = Field(foreign_key="market.market_id")
    since: int = int64()
    t0: int = int64()
    ask: str = string()
    price: int = int64()
    interruptible_price: int | None = int64(nullable=True)
    reliability_ppm: int | None
    verified: int | None
    stock: int | None
    coverage_id: int | None = Field(foreign_key="coverage.coverage_id")
    seen_at: int | None = int64(nullable=True)


class Span(Table, table=True):
    """Closed presences of one price, append-only: on offer from `t1 - dur` until `t1`."""

    __tablename__ = "span"
    __table_args__ = (at_least("dur", 1), CLUSTERED)
    market_id: int = Field(primary_key=True)
    t1: int = int64(primary_key=True)
    offer_id: int = int64(primary_key=True)
    dur: int
    price: int = int64()
    rel_bp: int | None
    stock: int | None
    unverified: int


class Floor(Table, table=True):
    """Change points of the cheapest price per GPU, micro-dollars; NULL is none on offer.

    `terms` 0 is on-demand, 1 interruptible; `class` 95 counts only offers above 95 % reliability, 0 all. Unverified
    offers are left out.
    """

    __tablename__ = "floor"
    __table_args__ = (one_of("terms", 0, 1), one_of("class", 0, 95), CLUSTERED)
    market_id: int = Field(primary_key=True)
    terms: int = Field(primary_key=True)
    class_: int = Field(primary_key=True, sa_column_kwargs={"name": "class"})
    at: int = int64(primary_key=True)
    price: int | None = int64(nullable=True)


class CoverageRow(Table, table=True):
    """The queries that were ever answered, and when each last was."""

    __tablename__ = "coverage"
    __table_args__ = (UniqueConstraint("text"), STRICT)
    coverage_id: int = Field(primary_key=True)
    market: str = string()
    text: str = string()
    last_at: int = int64()


class Scan(Table, table=True):
    """One line for each question asked: without one, nobody knows. `status` 0 whole, 1 cut, 2 failed."""

    __tablename__ = "scan"
    __table_args__ = (one_of("status", 0, 1, 2), CLUSTERED)
    coverage_id: int = Field(primary_key=True, foreign_key="coverage.coverage_id")
    at: int = int64(primary_key=True)
    status: int
    rows: int
    ms: int
    error: str | None = string(nullable=True)


class Pulse(Table, table=True):
    """How each marketplace is doing, milliseconds: one row a market, so that a health check reads one row."""

    __tablename__ = "pulse"
    __table_args__ = CLUSTERED
    market: str = string(primary_key=True)
    last_at: int = int64()
    last_ok_at: int | None = int64(nullable=True)
    last_complete_at: int | None = int64(nullable=True)
    failures: int
    error: str | None = string(nullable=True)

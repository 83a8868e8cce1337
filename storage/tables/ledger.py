"""Small counters: what was spent of each account's quota, which generation the data is, and single facts."""

from __future__ import annotations

from storage.tables.base import CLUSTERED, Table, at_least, int64, string


class UsageRow(Table, table=True):
    """What one account spent on one UTC day. `reserved` rows are set aside for questions still on their way."""

    __tablename__ = "usage"
    __table_args__ = (at_least("requests", 0), at_least("rows", 0), at_least("reserved", 0), CLUSTERED)
    market: str = string(primary_key=True)
    day: str = string(primary_key=True)
    requests: int
    rows: int
    reserved: int


class Counter(Table, table=True):
    """Generations, so that one process notices what another wrote by reading one row."""

    __tablename__ = "counter"
    __table_args__ = CLUSTERED
    name: str = string(primary_key=True)
    value: int = int64()


class Meta(Table, table=True):
    """Single facts, such as who owns the bot."""

    __tablename__ = "meta"
    __table_args__ = CLUSTERED
    key: str = string(primary_key=True)
    value: str = string()

"""What every table declaration shares: STRICT types, integers of 64 bits, constraint names that migrations can use.

`STRICT` refuses a text where a number belongs; the declarations themselves validate nothing.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Integer, MetaData, Text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

BIG = BigInteger().with_variant(Integer, "sqlite")
"""64 bits everywhere: micro-dollars, epoch seconds and milliseconds."""

STRICT = {"sqlite_strict": True}
CLUSTERED = {"sqlite_strict": True, "sqlite_with_rowid": False}
"""Rows stand in the order of their primary key: smaller, and read in one run."""


class Table(
    SQLModel, registry=registry(metadata=MetaData(naming_convention={"ck": "ck_%(table_name)s_%(constraint_name)s"}))
):
    """Base of the declarations, with a registry of its own."""


def string(**options: Any) -> Any:
    """A text column; `nullable=True` where it may be missing."""
    return Field(sa_type=Text, **options)


def int64(**options: Any) -> Any:
    """An integer column of 64 bits."""
    return Field(sa_type=BIG, **options)


def one_of(column: str, *values: str | int) -> CheckConstraint:
    """A check that a column holds one of these values (or nothing, where that is allowed)."""
    listed = ", ".join(repr(value) for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def at_least(column: str, least: int) -> CheckConstraint:
    """A check that a number is not below a bound."""
    return CheckConstraint(f"{column} >= {least}", name=column)

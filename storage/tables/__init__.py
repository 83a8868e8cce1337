"""The schema, declared once; migrations bring a file to it and a test holds both together.

Rows never leave the package: the declarations serve `metadata`, the queries read plain tuples.
"""

from __future__ import annotations

from storage.tables import book, delivery, ledger, people, talk
from storage.tables.base import Table

metadata = Table.metadata

__all__ = ["book", "delivery", "ledger", "metadata", "people", "talk"]

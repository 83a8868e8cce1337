"""Answers that brought nothing new, counted so that the log has one line for many of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

EACH: Final = timedelta(minutes=5)


class Tally:
    """Counts quiet answers by market."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[datetime, int]] = {}
        """By market, when the first of them came and how many have come."""

    def line(self, market: str, at: datetime) -> str | None:
        """Count an answer; what is to be said of the market's quiet answers, once they span five minutes."""
        since, before = self._counted.get(market, (at, 0))
        span, count = at - since, before + 1
        if span < EACH:
            self._counted[market] = (since, count)
            return None
        self._counted[market] = (at, 0)
        return f"{market}: {count} answers in {span.total_seconds() / 60:.0f} min, nothing new"

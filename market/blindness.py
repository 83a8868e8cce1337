"""The time in which a market could not be watched: who had a rule on it is told afterwards, once, without a sound.

What came and went in that time was not seen by anybody; this says so instead of letting silence pass for calm.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from market.alert import Alert

_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Blindness:
    """One market, from its last good answer before until its first good one after. Aware UTC."""

    market: str
    since: datetime
    until: datetime

    @property
    def seconds(self) -> float:
        """How long it was."""
        return (self.until - self.since).total_seconds()

    def alert(self, chat: str, topic: str | None = None) -> Alert:
        """The message to a chat. Its key holds all that it says, so that the same is never queued twice."""
        span = f"{(self.since - _EPOCH) // _MILLISECOND}-{(self.until - _EPOCH) // _MILLISECOND}"
        return Alert(
            kind="blind",
            chat=chat,
            topic=topic,
            parts=(),
            seen_at=self.until,
            dedup_key=f"blind:{self.market}:{span}:{chat}",
            reason="the market could not be watched",
        )


def blindness_of(alert: Alert) -> Blindness:
    """What an alert of the kind `blind` tells. Raises ValueError for any other."""
    kind, market, span, _ = alert.dedup_key.split(":", 3)
    if kind != "blind" or alert.kind != "blind":
        raise ValueError(f"{alert.dedup_key!r} tells of no blindness")
    since, until = (_EPOCH + int(each) * _MILLISECOND for each in span.split("-"))
    return Blindness(market=market, since=since, until=until)

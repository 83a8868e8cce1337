"""A reading as metrics: their names, units and help texts.

Names follow the conventions of Prometheus: base units, the unit last. What is not known has no sample; it is never 0.
Label values are words of the program: markets, states, kinds and outcomes; never a chat, a rule or a text.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from typing import Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)

from bot.metrics.reading import MarketReading, Reading
from bot.metrics.tallies import DELAY_EDGES_S, Delays
from bot.version import product_version

_ValueOf = Callable[[Reading, MarketReading], float | None]

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_OF_MARKETS: Final[tuple[tuple[str, str, _ValueOf], ...]] = (
    (
        "last_good_answer_timestamp_seconds",
        "When the marketplace last gave a good answer.",
        lambda _, market: last.timestamp() if (last := market.status.freshness.last_ok_at) else None,
    ),
    (
        "consecutive_failures",
        "Questions in a row that had no good answer.",
        lambda _, market: market.status.freshness.failures_in_a_row,
    ),
    ("today_requests", "Questions asked this UTC day.", lambda _, market: market.status.requests_today),
    ("today_rows", "Rows charged this UTC day.", lambda _, market: market.status.rows_today),
    ("today_reserved_rows", "Rows set aside for questions on their way.", lambda _, market: market.reserved),
    (
        "today_limit_rows",
        "Rows that may be charged in a UTC day; absent where rows are not charged.",
        lambda _, market: market.status.rows_limit,
    ),
    (
        "next_poll_seconds",
        "Time until the next question; 0 when it is due.",
        lambda reading, market: (
            max((pace.next_at - reading.at).total_seconds(), 0.0) if (pace := market.status.pace) else None
        ),
    ),
    (
        "planned_gap_seconds",
        "Planned time between two questions while the marketplace answers.",
        lambda _, market: pace.gap_s if (pace := market.status.pace) else None,
    ),
    ("open_offers", "Offers that are on offer as far as is known.", lambda _, market: market.offers),
)


class ReadingCollector:
    """Gives a registry the metrics of a reading that is made when somebody asks."""

    def __init__(self, latest: Callable[[], Reading]) -> None:
        self._latest = latest

    def describe(self) -> Iterable[Metric]:
        """What there is, for a registry that must know the names."""
        return list(families(Reading(at=_NEVER)))

    def collect(self) -> Iterable[Metric]:
        """What there is now. Raises StoreError."""
        return list(families(self._latest()))


def families(reading: Reading) -> Iterator[Metric]:
    """Every metric of the product."""
    yield InfoMetricFamily(
        "atalaia_build",
        "The running version.",
        {"version": product_version(), "python": platform.python_version()},
    )
    yield GaugeMetricFamily(
        "atalaia_health_problems", "What keeps it from being healthy, as /healthz says it.", value=len(reading.problems)
    )
    for name, text, value_of in _OF_MARKETS:
        family = GaugeMetricFamily(f"atalaia_market_{name}", text, labels=["market"])
        for market, each in reading.markets.items():
            value = value_of(reading, each)
            if value is not None:
                family.add_metric([market], value)
        yield family
    yield from _outbox(reading)
    yield _gauge("atalaia_rules", "Rules by state.", "state", reading.rules.items())
    yield _alerts(reading)
    yield _delays(reading.delays)
    yield GaugeMetricFamily(
        "atalaia_database_bytes", "Size of the database on disk, its log included.", value=reading.database_bytes
    )


def _outbox(reading: Reading) -> Iterator[Metric]:
    counts = ((state, each.count) for state, each in reading.outbox.items())
    yield _gauge("atalaia_outbox_alerts", "Alerts that are neither sent nor given up, by state.", "state", counts)
    ages = (
        (state, max((reading.at - each.oldest_at).total_seconds(), 0.0))
        for state, each in reading.outbox.items()
        if each.oldest_at is not None
    )
    yield _gauge("atalaia_outbox_oldest_age_seconds", "Age of the oldest of them; absent without any.", "state", ages)


def _alerts(reading: Reading) -> Metric:
    family = CounterMetricFamily(
        "atalaia_alerts", "Alerts that came to their end since the start.", labels=["kind", "outcome"]
    )
    for (kind, outcome), count in reading.outcomes.items():
        family.add_metric([kind, outcome], count)
    return family


def _delays(delays: Delays) -> Metric:
    edges = (*(str(edge) for edge in DELAY_EDGES_S), "+Inf")
    return HistogramMetricFamily(
        "atalaia_alert_delay_seconds",
        "From the first sight of an offer to its alert, of alerts sent since the start that nothing had held back.",
        buckets=list(zip(edges, accumulate(delays.classes), strict=True)),
        sum_value=delays.sum_s,
    )


def _gauge(name: str, text: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for word, value in values:
        family.add_metric([word], value)
    return family

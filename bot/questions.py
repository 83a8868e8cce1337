"""Typed questions with typed answers, for the command line and the chat alike. None of them asks a marketplace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from bot.logs import Redactor
from bot.pace import PaceNote, read_pace
from bot.product import Product
from bot.token import is_rejected
from market.budget import row_rate
from market.offer import DEFAULT_DISK_GB, Offer, Terms
from market.rule import CardChoice, Rule
from market.verdict import matches
from scanners.waits import next_midnight
from storage.admission import resting
from storage.heartbeat import Freshness, freshness, whole_lately
from storage.history import History, history
from storage.offers import Current, current

NEW_RULE: Final = "a new rule is being asked for"
LATE_S: Final = 60.0
"""A question that should have been asked so long ago was not: nobody is scanning."""
STALE_GAPS = 3
"""A market without a good answer for so many gaps is not healthy."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offers:
    """What is on offer as far as is known, cheapest per GPU first. Each offer carries when it was last seen."""

    taken_at: datetime
    offers: tuple[Current, ...]
    terms: Terms
    disk_gb: int
    freshness: dict[str, Freshness]


def offers_now(product: Product, rule: Rule | None) -> Offers:
    """The stored offers that match a rule; without one, all verified offers."""
    terms: Terms = rule.terms if rule else "on_demand"
    disk_gb = rule.disk_gb if rule else DEFAULT_DISK_GB
    found = matching(product, rule)
    return Offers(
        taken_at=product.clock.now(),
        offers=tuple(found),
        terms=terms,
        disk_gb=disk_gb,
        freshness={name: freshness_of(product, name) for name in product.markets},
    )


def matching(product: Product, rule: Rule | None) -> list[Current]:
    """Open offers of the enabled markets that match, cheapest per GPU first, then by key."""
    now = product.clock.now()
    terms: Terms = rule.terms if rule else "on_demand"
    disk_gb = rule.disk_gb if rule else DEFAULT_DISK_GB
    found = [
        each
        for each in current(product.store)
        if each.offer.market in product.markets
        and (each.offer.verified is not False if rule is None else matches(rule, each.offer, now))
    ]
    return sorted(found, key=lambda each: (each_price(each.offer, terms, disk_gb), each.offer.key))


def each_price(offer: Offer, terms: Terms, disk_gb: int) -> float:
    """Micro-dollars per GPU for a month, for ordering; offers not on these terms come last."""
    monthly = offer.monthly(terms, disk_gb)
    return float("inf") if monthly is None else monthly / offer.gpu_count


def freshness_of(product: Product, market: str) -> Freshness:
    """How one market is doing; empty if it was never asked. Secrets in what the market said of a failure are masked."""
    found = freshness(product.store).get(market, Freshness())
    if found.error is None:
        return found
    return replace(found, error=Redactor(product.settings.secrets())(found.error))


def answers_in_full(product: Product, market: str) -> bool | None:
    """Whether a market's latest answers to all that it was lately asked are complete; None if it never answered."""
    if freshness_of(product, market).last_ok_at is None:
        return None
    gap_s = max(picture_gap_s(product, market), product.settings.scan.slowest_seconds)
    return whole_lately(product.store, market, within_s=2 * gap_s)


def picture_gap_s(product: Product, market: str) -> float:
    """Seconds that ordinarily pass between two full pictures of a card: as wanted, or as the rows allow."""
    note = read_pace(product.chats, market)
    return max(product.census_s(market), (note.census_s or 0.0) if note is not None else 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class MarketStatus:
    """One market's freshness, spending and pace."""

    freshness: Freshness
    requests_today: int
    rows_today: int
    rows_limit: int | None
    resets_at: datetime | None
    pace: PaceNote | None
    rows_reserved: int | None = None
    """Rows set aside for questions on their way, or lost to a crash until the reset; None where none are charged."""
    rows_left: int | None = None
    rows_per_hour: float | None = None
    """The rate at which those left may be spent now, so that they last until their reset."""
    picture_s: float | None = None
    """Seconds between two full pictures of a card, as wanted."""

    def is_asked(self, at: datetime) -> bool:
        """Whether the next question is not so late that nobody can be scanning."""
        return self.pace is not None and (self.pace.next_at - at).total_seconds() >= -LATE_S

    def gap_s(self, slowest_s: float) -> float:
        """The time that may ordinarily pass between two answers."""
        planned = self.pace.gap_s if self.pace is not None and self.pace.gap_s is not None else 0.0
        return max(planned, slowest_s)


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """How the product is doing."""

    at: datetime
    markets: dict[str, MarketStatus]
    queued: int
    """Alerts that wait to be sent."""
    oldest_at: datetime | None
    """Since when the oldest of those could have been sent."""
    database_bytes: int
    held: int = 0
    """Alerts that a cool-down, quiet hours or a snooze keeps back, as it should."""
    resting: Mapping[str, int] = field(default_factory=dict)
    """By chat, the rules that rest because the chat is not on the lists any more."""


def status(product: Product) -> Status:
    """Budget and freshness of every enabled market, the outbox and the database."""
    now = product.clock.now()
    waiting, newest = product.alert_log.waiting(now), _newest(product)
    markets = {}
    for name, market in product.markets.items():
        spent = product.usage.spent(name, now)
        limit, resets_at = market.limits.rows_per_day, next_midnight(now)
        left = None if limit is None else max(limit - spent.rows - spent.reserved, 0)
        markets[name] = MarketStatus(
            freshness=freshness_of(product, name),
            requests_today=spent.requests,
            rows_today=spent.rows,
            rows_limit=limit,
            resets_at=resets_at if limit is not None else None,
            pace=_pace(product, name, newest.get(name), now),
            rows_reserved=None if limit is None else spent.reserved,
            rows_left=left,
            rows_per_hour=None if left is None else 3600 * row_rate(now, left, resets_at),
            picture_s=product.census_s(name),
        )
    return Status(
        at=now,
        markets=markets,
        queued=waiting.queued,
        held=waiting.held,
        oldest_at=waiting.oldest_at,
        resting=resting(product.store),
        database_bytes=product.store.bytes(),
    )


def _newest(product: Product) -> dict[str, datetime]:
    """By market, when the newest rule that it is asked for was made, if that is not long ago."""
    newest: dict[str, datetime] = {}
    now = product.clock.now()
    for watch in product.watches.running().values():
        if (now - watch.set_at).total_seconds() > LATE_S:
            continue
        for name, market in product.markets.items():
            if market.probes(watch.rule):
                newest[name] = max(newest.get(name, watch.set_at), watch.set_at)
    return newest


def _pace(product: Product, market: str, newest: datetime | None, now: datetime) -> PaceNote | None:
    """The note of a market's poller; one that is older than a new rule does not know that it is asked for at once."""
    note = read_pace(product.chats, market)
    if note is None or note.at is None or newest is None or newest <= note.at:
        return note
    running = (now - min(note.next_at, newest)).total_seconds() <= LATE_S
    return replace(note, next_at=min(note.next_at, now), reason=NEW_RULE) if running else note


def problems(product: Product) -> list[str]:
    """What keeps the product from being healthy, in plain sentences; none when it is."""
    found = []
    state = status(product)
    slowest = product.settings.scan.slowest_seconds
    for name, market in state.markets.items():
        last = market.freshness.last_ok_at
        allowed = STALE_GAPS * market.gap_s(slowest)
        why = f" ({market.freshness.error})" if market.freshness.error else ""
        if last is None:
            found.append(f"{name}: no good answer yet{why}")
        elif (age := int((state.at - last).total_seconds())) < -allowed:
            found.append(f"{name}: the last good answer is dated {-age} s ahead: the clock was set back")
        elif age > allowed:
            found.append(f"{name}: the last good answer is {age} s old, more than {allowed:.0f} s{why}")
    if product.settings.telegram.token is not None and is_rejected(product.chats):
        found.append("telegram: the bot token was rejected; put a valid one in and start again")
    late = 2 * product.settings.alerts.expire_minutes * 60
    if state.oldest_at is not None and (state.at - state.oldest_at).total_seconds() > late:
        found.append(f"outbox: an alert has been waiting since {state.oldest_at:%Y-%m-%d %H:%M} UTC")
    return found


def card_history(
    product: Product, choice: CardChoice, *, days: float, market: str | None = None, tier: str | None = None
) -> History:
    """Price and supply of a card (or of the cards of a family) over the last days."""
    end = product.clock.now()
    return history(
        product.store,
        cards=choice.cards,
        vram_gb=choice.vram_gb,
        market=market,
        tier=tier,  # type: ignore[arg-type] # the caller has checked the word
        start=end - timedelta(days=days),
        end=end,
        gap_s={name: picture_gap_s(product, name) for name in product.markets},
        contact_s=product.settings.scan.slowest_seconds,
    )

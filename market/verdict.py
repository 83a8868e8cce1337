"""Whether an offer is what a rule asks for, and every reason why not.

Unknown fails a filter. `judge` collects all reasons for a person; `matches` is the same decision for the hot path and
stops at the first one. Neither knows about prices of the past: `drop:` and `low:` are judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from market.grammar.figures import counts_text, reliability_text, version_text
from market.money import HOURS_PER_MONTH, MICRO
from market.offer import DEFAULT_DISK_GB, Offer
from market.place import data_center_country
from market.rule import Rule

What = Literal[
    "card", "vram", "count", "market", "tier", "reliability", "unverified", "price", "country", "data_center", "disk",
    "down", "ram", "cuda", "duration", "terms",
]  # fmt: skip
Value = int | float | str | tuple[str, ...] | None

_BY_TIER: Final = frozenset({"runpod"})
"""Markets that publish neither reliability nor verification: their tiers stand for both."""
_NOT_PUBLISHED: Final[Mapping[str, Mapping[str, str]]] = {
    "runpod": {
        "down": "RunPod publishes no download speed",
        "ram": "RunPod publishes no memory of the machine",
        "duration": "RunPod publishes no end of an offer",
    }
}
_SECONDS_A_DAY: Final = 86_400


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """One reason why an offer does not match.

    `wanted` and `found` are in the units people use: USD per GPU-hour (or per hour, where the ceiling is a total),
    per cent, GB, Mbit/s, days; texts are names, or figures as rules write them ("x2-4", ">=98"). `found` is None
    when the market did not say.
    """

    what: What
    wanted: Value
    found: Value

    def __str__(self) -> str:
        found = "unknown" if self.found is None else _text(self.found)
        return f"{self.what.replace('_', ' ')}: {found}, wanted {_text(self.wanted)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What a rule says about an offer."""

    misses: tuple[Miss, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether the offer matches."""
        return not self.misses


def judge(rule: Rule, offer: Offer, at: datetime) -> Verdict:
    """Every reason why `offer` does not match `rule` at that moment."""
    return Verdict(misses=(*_card_misses(rule, offer), *_deal_misses(rule, offer), *_machine_misses(rule, offer, at)))


def matches(rule: Rule, offer: Offer, at: datetime) -> bool:
    """The decision of `judge`, the cheap and selective tests first."""
    low, high = rule.counts
    count = offer.gpu_count
    if count < low or (high is not None and count > high):
        return False
    if (offer.market, offer.tier) not in rule.places or not _card_fits(rule, offer):
        return False
    return _reliable(rule, offer) and _price_fits(rule, offer) and next(_machine_misses(rule, offer, at), None) is None


def unsatisfiable(rule: Rule) -> Mapping[str, str]:
    """Markets of the rule (or a market and tier, "runpod community") that can never satisfy one of its filters, each
    with the reason in English. What is named here is excluded, and has to be said."""
    asked = {"down": rule.min_down_mbps, "ram": rule.min_ram_gb, "duration": rule.min_duration_s}
    excluded: dict[str, str] = {}
    for market in sorted({market for market, _ in rule.places}):
        reasons = _NOT_PUBLISHED.get(market, {})
        for what, value in asked.items():
            if value is not None and what in reasons:
                excluded.setdefault(market, reasons[what])
    if rule.countries and ("runpod", "community") in rule.places and "runpod" not in excluded:
        excluded["runpod community"] = "RunPod tells no place for Community Cloud"
    return excluded


def _card_fits(rule: Rule, offer: Offer) -> bool:
    if rule.min_vram_gb is not None and offer.vram_gb < rule.min_vram_gb:
        return False
    if not rule.choices:
        return True
    return any(
        offer.gpu in choice.cards and (choice.vram_gb is None or choice.vram_gb == offer.vram_gb)
        for choice in rule.choices
    )


def _reliable(rule: Rule, offer: Offer) -> bool:
    if offer.reliability_ppm is None:
        return offer.market in _BY_TIER
    return offer.reliability_ppm > rule.reliability_above


def _price_fits(rule: Rule, offer: Offer) -> bool:
    monthly = offer.monthly(rule.terms, rule.disk_gb)
    if monthly is None:
        return False
    ceiling = rule.offer_ceiling(offer.gpu_count)
    return ceiling is None or monthly <= ceiling * HOURS_PER_MONTH


def _card_misses(rule: Rule, offer: Offer) -> Iterator[Miss]:
    named = [choice for choice in rule.choices if offer.gpu in choice.cards]
    if rule.choices and not named:
        yield Miss(what="card", wanted=tuple(choice.name for choice in rule.choices), found=offer.gpu)
    sizes = {choice.vram_gb for choice in named}
    if named and None not in sizes and offer.vram_gb not in sizes:
        yield Miss(what="vram", wanted=tuple(f"{size} GB" for size in sorted(filter(None, sizes))), found=offer.vram_gb)
    if rule.min_vram_gb is not None and offer.vram_gb < rule.min_vram_gb:
        yield Miss(what="vram", wanted=rule.min_vram_gb, found=offer.vram_gb)
    low, high = rule.counts
    if offer.gpu_count < low or (high is not None and offer.gpu_count > high):
        yield Miss(what="count", wanted=counts_text(rule.counts), found=offer.gpu_count)


def _deal_misses(rule: Rule, offer: Offer) -> Iterator[Miss]:
    tiers = rule.tiers(offer.market)
    if not tiers:
        markets = sorted({market for market, _ in rule.places})
        yield Miss(what="market", wanted=tuple(markets), found=offer.market)
    elif offer.tier not in tiers:
        yield Miss(what="tier", wanted=tuple(sorted(tiers)), found=offer.tier)
    if not _reliable(rule, offer):
        found = None if offer.reliability_ppm is None else offer.reliability_ppm / 10_000
        yield Miss(what="reliability", wanted=reliability_text(rule.reliability_above), found=found)
    monthly = offer.monthly(rule.terms, rule.disk_gb)
    if monthly is None:
        yield Miss(what="terms", wanted=rule.terms, found="on_demand")
    elif not _price_fits(rule, offer):
        share = 1 if rule.ceiling_is_total else offer.gpu_count
        ceiling = (rule.ceiling or 0) / MICRO
        yield Miss(what="price", wanted=ceiling, found=monthly / (HOURS_PER_MONTH * MICRO * share))


def _machine_misses(rule: Rule, offer: Offer, at: datetime) -> Iterator[Miss]:
    if not rule.unverified and not _is_verified(offer):
        yield Miss(what="unverified", wanted="verified", found=None if offer.verified is None else "unverified")
    yield from _place_misses(rule, offer)
    if offer.market == "vast" and rule.disk_gb > DEFAULT_DISK_GB and _short(offer.disk_space_gb, rule.disk_gb):
        yield Miss(what="disk", wanted=rule.disk_gb, found=offer.disk_space_gb)
    if _short(offer.down_mbps, rule.min_down_mbps):
        yield Miss(what="down", wanted=rule.min_down_mbps, found=offer.down_mbps)
    if _short(offer.ram_gb, rule.min_ram_gb):
        yield Miss(what="ram", wanted=rule.min_ram_gb, found=offer.ram_gb)
    if rule.min_cuda is not None and _short(offer.cuda, rule.min_cuda):
        found = None if offer.cuda is None else version_text(offer.cuda)
        yield Miss(what="cuda", wanted=version_text(rule.min_cuda), found=found)
    if rule.min_duration_s is not None:
        left = None if offer.ends_at is None else offer.ends_at - at.timestamp()
        if left is None or left < rule.min_duration_s:
            wanted = rule.min_duration_s / _SECONDS_A_DAY
            yield Miss(what="duration", wanted=wanted, found=None if left is None else left / _SECONDS_A_DAY)


def _place_misses(rule: Rule, offer: Offer) -> Iterator[Miss]:
    if not (rule.countries or rule.not_countries or rule.data_centers):
        return
    centers = offer.data_centers
    if rule.data_centers:
        centers = tuple(center for center in centers if center in rule.data_centers)
        if not centers:
            wanted = tuple(sorted(rule.data_centers))
            yield Miss(what="data_center", wanted=wanted, found=offer.data_centers or None)
            return
    countries = [data_center_country(center) for center in centers] or [offer.country]
    if not any(rule.admits_country(country) for country in countries):
        wanted = tuple(sorted(rule.countries)) or tuple(f"not:{code}" for code in sorted(rule.not_countries))
        found = tuple(sorted({country for country in countries if country}))
        yield Miss(what="country", wanted=wanted, found=found or None)


def _is_verified(offer: Offer) -> bool:
    return offer.verified is True or (offer.verified is None and offer.market in _BY_TIER)


def _short(value: int | None, floor: int | None) -> bool:
    return floor is not None and (value is None or value < floor)


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        return " or ".join(value)
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)

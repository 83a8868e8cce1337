"""Is it news? Told once an episode, again only when clearly better, and never the same key within its cool-down."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from market.alert import SHOWN
from market.alerting.desk import Desk, Finding
from market.alerting.ranking import cheapest, price_of, ranked
from market.alerting.terms import Policy
from market.offer import Offer
from market.watch import Episode, Watch

CHEAPER_BY_AT_LEAST = 10_000
"""One cent, in micro-dollars per GPU-hour: less is not worth a message whatever the percentage."""


def judge_news(desk: Desk) -> None:
    hits: dict[int, dict[str, list[Offer]]] = {}
    market = desk.event.snapshot.market
    for offer in desk.event.changes.fresh():
        for watch in desk.index.hits(offer, desk.now):
            if market in watch.passed:
                hits.setdefault(watch.id, {}).setdefault(offer.gpu, []).append(offer)
    for watch_id, by_card in hits.items():
        judge_watch(desk, desk.index.by_id[watch_id], by_card, reason="a new match", seen_at=desk.now)


def judge_watch(
    desk: Desk,
    watch: Watch,
    by_card: Mapping[str, list[Offer]],
    *,
    reason: str,
    seen_at: datetime,
    in_full: bool = False,
) -> None:
    """Decide what of these matches is told. `in_full`: what is clearly cheaper is told with all that matches beside
    it, because a first pass is the first word about it."""
    fresh: list[Offer] = []
    for card, offers in by_card.items():
        place = (watch.id, card)
        episode = desk.episode(place)
        going = joined(episode, watch, card, offers, desk.now)
        best = cheapest(watch, offers)
        best_price = price_of(watch, best)
        told = going.told_price
        if told is None:
            free = [offer for offer in offers if desk.cooling(watch, offer.key) is None]
            if free:
                fresh.extend(free)
                going = going._replace(told_price=price_of(watch, cheapest(watch, free)))
            else:
                _hold(desk, watch, best)
        elif _clearly_cheaper(best_price, told, desk.policy) and in_full:
            fresh.extend(offers)
            going = going._replace(told_price=best_price)
        elif _clearly_cheaper(best_price, told, desk.policy):
            desk.findings.append(
                Finding(
                    kind="cheaper",
                    watch=watch,
                    offers=[best],
                    seen_at=desk.now,
                    dedup=desk.dedup(watch, f"{card}@{going.number}:cheaper:{best_price}"),
                    reason=f"cheaper than the US$ {told / 1e6:.4f} told last",
                )
            )
            desk.tell(watch, [best])
            going = going._replace(told_price=best_price)
        if going is not episode:
            desk.episodes[place] = going
    if fresh:
        _available(desk, watch, fresh, reason, seen_at)


def joined(episode: Episode | None, watch: Watch, card: str, offers: list[Offer], now: datetime) -> Episode:
    keys = frozenset([offer.key for offer in offers])
    if episode is None:
        number = int(now.timestamp() * 1000)
        return Episode(watch_id=watch.id, card=card, number=number, opened_at=now, members=keys)
    return episode if keys <= episode.members else episode._replace(members=episode.members | keys)


def _hold(desk: Desk, watch: Watch, offer: Offer) -> None:
    free_at = desk.cooling(watch, offer.key)
    told = desk.memory.told.get((watch.id, offer.key))
    if free_at is None or told is None:
        return
    desk.findings.append(
        Finding(
            kind="available",
            watch=watch,
            offers=[offer],
            seen_at=desk.now,
            # one held alert for each time the key was told, however often it comes and goes meanwhile
            dedup=f"{watch.id}:{offer.key}:held:{int(told.told_at.timestamp() * 1000)}",
            reason="back again, held by the cool-down",
            not_before=free_at,
        )
    )


def _available(desk: Desk, watch: Watch, offers: list[Offer], reason: str, seen_at: datetime) -> None:
    best_first = ranked(watch, offers)
    numbers = ",".join(f"{card}@{number}" for card, number in sorted(_numbers(desk, watch, best_first).items()))
    desk.findings.append(
        Finding(
            kind="available",
            watch=watch,
            offers=best_first,
            seen_at=seen_at,
            dedup=desk.dedup(watch, f"{numbers}:available"),
            reason=reason,
        )
    )
    desk.tell(watch, best_first[:SHOWN])


def _numbers(desk: Desk, watch: Watch, offers: list[Offer]) -> dict[str, int]:
    found = {}
    for card in {offer.gpu for offer in offers}:
        episode = desk.episode((watch.id, card))
        found[card] = episode.number if episode is not None else 0
    return found


def _clearly_cheaper(price: int, told: int, policy: Policy) -> bool:
    return told - price >= CHEAPER_BY_AT_LEAST and (told - price) * 1_000_000 >= told * policy.cheaper_ppm


def episodes_of(watch: Watch, offers: list[Offer], now: datetime) -> list[Episode]:
    """The episodes that begin when all these matches are told at once, by an alert or by the reply to a new rule."""
    by_card: dict[str, list[Offer]] = {}
    for offer in offers:
        by_card.setdefault(offer.gpu, []).append(offer)
    return [
        joined(None, watch, card, group, now)._replace(told_price=price_of(watch, cheapest(watch, group)))
        for card, group in by_card.items()
    ]

"""What a rule costs each market, worked out from the stored rules and offers: nothing has to be running for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from math import inf
from typing import Final

from bot.product import Product
from bot.questions import picture_gap_s
from bot.rulebook import Rulebook
from market.agenda import Agenda
from market.coverage import Coverage
from market.effort import Effort, effort, rows_of
from market.offer import Offer
from market.plan import Plan
from market.rule import Rule
from market.verdict import matches
from market.watch import Watch
from scanners.poller import MOST_EXCLUDED
from scanners.registry import Marketplace
from storage.asked import asked_lately
from storage.offers import current

FRESH: Final = 2
"""A card is known when a full picture of it is no older than so many of the ordinary gaps."""


def efforts(product: Product, watch: Watch) -> dict[str, Effort]:
    """What a stored rule costs each market that is asked for it, beyond what all other rules cost. Blocks.

    Raises StoreError.
    """
    # rules that ask the same are one, so that a thousand cost hardly more than their different ones
    active = (each for each in product.watches.running().values() if each.id != watch.id and each.state == "active")
    others = {_essence(each.rule): each for each in {each.text: each for each in active}.values()}
    own = others.get(_essence(watch.rule), watch)
    lean = {name for name, market in product.markets.items() if market.limits.rows_per_day is not None}
    book = Rulebook.of({**others, _essence(watch.rule): own}.values(), product.markets.values(), lean=lean)
    asked = [name for name in product.markets if book.queries[name].get(own.id)]
    known = [each.offer for each in current(product.store)] if lean.intersection(asked) else []
    offers = {name: [offer for offer in known if offer.market == name] for name in lean}
    cards = frozenset(product.judge.recorded).union(*(each.rule.card_names() or () for each in others.values()))
    return {name: _effort(product, name, watch, book, cards, offers.get(name, [])) for name in asked}


def _effort(
    product: Product, name: str, watch: Watch, book: Rulebook, cards: frozenset[str], offers: Sequence[Offer]
) -> Effort:
    """`book` holds all rules; `cards` are those that are recorded without this one, `offers` those known
    where rows are charged."""
    market, now = product.markets[name], product.clock.now()
    own = watch.rule.card_names() or frozenset()
    charged = market.limits.rows_per_day is not None
    mine = [offer for offer in offers if matches(watch.rule, offer, now)]
    theirs = [offer for offer in offers if any(each.id != watch.id for each in book.index.hits(offer, now))]
    before = Agenda(censuses=_pictures(market, cards), standing=tuple(theirs))
    after = Agenda(
        probes=book.probes[name],
        censuses=_pictures(market, cards | own),
        standing=tuple({offer.key: offer for offer in (*theirs, *mine)}.values()),
    )
    plan = Plan(
        gap_s=60.0 / market.limits.requests_per_minute,
        slowest_s=product.settings.scan.slowest_seconds,
        census_s=product.census_s(name),
        heartbeat=market.heartbeat(),
        confirm=market.confirm,
        cost={**rows_of(after.censuses, offers, now), **_beyond_exclusion(after.probes, offers, now)},
    )
    found = {offer.gpu for offer in offers}
    return effort(
        plan,
        before,
        after,
        rows_per_day=market.limits.rows_per_day,
        unseen=charged and not _are_known(product, market, own - cards - found),
    )


def _essence(rule: Rule) -> Rule:
    """What a rule asks for, whatever it is called and however long it lives."""
    return replace(rule, name=None, once=False, until=None)


def _pictures(market: Marketplace, cards: Collection[str]) -> tuple[Coverage, ...]:
    return market.census(sorted(cards)) if cards else ()


def _beyond_exclusion(probes: Sequence[Coverage], offers: Sequence[Offer], now: datetime) -> dict[str, float]:
    """Rows that a probe costs each time, because more machines are known than one question can keep out."""
    if len(offers) <= MOST_EXCLUDED:
        return {}
    shown = {each.to_text(): {offer.machine for offer in offers if each.expects(offer, now)} for each in probes}
    return {text: float(max(len(machines) - MOST_EXCLUDED, 0)) for text, machines in shown.items()}


def _are_known(product: Product, market: Marketplace, cards: Collection[str]) -> bool:
    """Whether full pictures have lately shown what there is of these cards."""
    if not cards:
        return True
    ages = asked_lately(product.store, market.name, product.clock.now())
    gap_s = picture_gap_s(product, market.name)
    return all(ages.get(each.to_text(), (inf, 0))[0] <= FRESH * gap_s for each in market.census(sorted(cards)))

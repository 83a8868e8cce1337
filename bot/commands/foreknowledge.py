"""What the store already knows of a rule that is being made, so that the reply can tell it and it counts as told.

A market is known for a rule when its recent answers speak for it: they show a match, or a complete one would have
shown any. What is not known is left to the rule's first check, which is told as one message: nothing is told twice,
and nothing is passed over in silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from bot.commands.queries import answered_since
from bot.commands.visit import Visit
from bot.questions import matching
from bot.render.chat.rules import Standing
from market.alerting import episodes_of, part_of, told_again
from market.coverage import Coverage
from market.probing import serves
from market.rule import Rule
from market.watch import Watch
from storage.offers import Current
from storage.watches import Reply


class Foreknowledge:
    """Answers `Watches.add` and `Watches.edit`; afterwards `standing` says what the reply is to show."""

    def __init__(self, visit: Visit, rule: Rule) -> None:
        """Looks up what was asked lately. Blocks."""
        self._visit = visit
        self._since = visit.now - timedelta(seconds=visit.stale_after_s)
        self._off = sorted({name for name, _ in rule.places} - visit.product.markets.keys())
        self._markets: dict[str, datetime | None] = {}
        """Markets that the rule asks, and since when complete answers show all that it wants; None: they do not."""
        for name, market in visit.product.markets.items():
            if probes := market.probes(rule):
                self._markets[name] = self._covered_since(name, rule, probes)
        self.standing = Standing(part=None, known={}, unknown=tuple(self._markets), off=self._off)

    def __call__(self, watch: Watch) -> Reply:
        """What the reply tells of a watch. Reads the store, writes nothing."""
        visit = self._visit
        found = [each for each in matching(visit.product, watch.rule) if each.offer.market in self._markets]
        known = {name: at for name in self._markets if (at := self._known_at(name, found))}
        offers = [each.offer for each in found if each.offer.market in known]
        part = part_of(watch, offers) if offers else None
        unknown = tuple(name for name in self._markets if name not in known)
        self.standing = Standing(part=part, known=known, unknown=unknown, off=self._off)
        return Reply(
            passed=frozenset(known),
            episodes=tuple(episodes_of(watch, offers, visit.now)),
            told=tuple(
                told_again(None, watch.id, offer.key, visit.now, visit.product.settings.alerts.policy())
                for offer in (part.offers if part is not None else ())
            ),
        )

    def _covered_since(self, name: str, rule: Rule, probes: Iterable[Coverage]) -> datetime | None:
        cards = rule.card_names() or frozenset()
        answered = answered_since(self._visit.product, name, cards, self._since)
        moments = [
            max((each.at for each in answered if each.complete and includes(each.coverage, piece)), default=None)
            for piece in pieces(probes)
        ]
        return min((at for at in moments if at is not None), default=None) if all(moments) else None

    def _known_at(self, name: str, found: Iterable[Current]) -> datetime | None:
        """When a market last spoke for the rule; None where its first check has to."""
        seen = [each.seen_at for each in found if each.offer.market == name]
        if any(at < self._since for at in seen):
            return None  # an old match would be passed over in silence: the first check looks at it again
        return self._markets[name] or max(seen, default=None)


def pieces(probes: Iterable[Coverage]) -> Iterable[Coverage]:
    """The queries of a rule, card by card: each may have been answered by another query."""
    for probe in probes:
        if probe.cards is None:
            yield probe
        else:
            yield from (replace(probe, cards=frozenset({card})) for card in sorted(probe.cards))


def includes(wide: Coverage, narrow: Coverage) -> bool:
    """Whether a complete answer to one query shows every offer that the other one asks for."""
    return not wide.excluded_machines and serves(wide, narrow)

"""What one more rule costs a market: how often its questions come round, the rows it takes a day, what it strains.

An estimate, by the plan's own arithmetic, of an ordinary day on which the rule's card is scarce. It refuses to guess
the rows of a card that nothing is known of, and it never keeps quiet about too many rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from math import ceil, floor, log10
from typing import Final, Literal

from market.agenda import Agenda
from market.budget import Budget
from market.coverage import Coverage
from market.offer import Offer
from market.plan import Plan

DAY_S: Final = 86_400.0
STRETCHED: Final = 2.0
"""From so many times their target on, full pictures are called too far apart."""

Limit = Literal["requests", "rows"]
"""Which of an account's limits is in the way."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Strain:
    """What all rules together are too many for."""

    what: Literal["round", "pictures", "rest"]
    """The round of all questions takes too long; full pictures are too far apart; questions cost so much that they have
    to rest."""
    each_s: float
    """Seconds between two of them, as things stand."""
    wanted_s: float
    """Seconds that there should be at most."""
    questions: int
    """How many different ones there are."""
    limit: Limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Effort:
    """What a rule costs one market. Figures have two significant digits."""

    asked_every_s: float
    """Seconds between two askings of the rule's questions while its card is scarce."""
    rows_per_day: int | None
    """None where rows are not charged, and where they are but nothing is known of a card yet."""
    looks_per_day: int | None
    """Those of them that are spent on looking again at what matches now: from what is left, as often as it allows."""
    charged: bool
    strains: tuple[Strain, ...] = ()


def effort(plan: Plan, before: Agenda, after: Agenda, *, rows_per_day: int | None, unseen: bool = False) -> Effort:
    """What is wanted of a market `after` a rule came, beyond what was wanted `before`.

    `plan` knows the rows that full pictures and probes cost, of which `after` has at least one. `rows_per_day`: the
    account's quota, None where rows are not charged. `unseen`: of a card of the rule nothing is known yet.
    """
    paces = _Paces.of(plan, after, rows_per_day)
    rows = again = None
    if rows_per_day is not None and not unseen:
        known = {each.to_text() for each in before.censuses}
        pictured = sum(plan.cost.get(text, 0.0) for each in after.censuses if (text := each.to_text()) not in known)
        standing = len({offer.key for offer in after.standing} - {offer.key for offer in before.standing})
        looked = standing / paces.look_s * DAY_S
        rows, again = ceil(rounded(pictured / paces.picture_s * DAY_S + looked)), ceil(rounded(looked))
    return Effort(
        asked_every_s=rounded(paces.asked_every_s),
        rows_per_day=rows,
        looks_per_day=again,
        charged=rows_per_day is not None,
        strains=tuple(paces.strains(plan, after)),
    )


def rows_of(questions: Iterable[Coverage], offers: Iterable[Offer], at: datetime) -> dict[str, float]:
    """How many of a market's offers, as they are known, each question would show, by its text."""
    by_card: dict[str, list[Offer]] = {}
    for offer in offers:
        by_card.setdefault(offer.gpu, []).append(offer)
    return {
        each.to_text(): float(
            sum(
                each.expects(offer, at)
                for card in (by_card if each.cards is None else each.cards)
                for offer in by_card.get(card, ())
            )
        )
        for each in questions
    }


def rounded(figure: float) -> float:
    """A figure with two significant digits."""
    return round(figure, 1 - floor(log10(figure))) if figure > 0 else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Paces:
    """Seconds between two questions of each kind, on an ordinary day on which no probe shows anything new."""

    asked_every_s: float
    picture_s: float
    look_s: float
    rests: tuple[float, ...]
    """Of each probe, as far as the rows make it rest."""
    pictures: int
    limit: Limit
    """What keeps full pictures apart, if anything does."""

    @classmethod
    def of(cls, plan: Plan, agenda: Agenda, rows_per_day: int | None) -> _Paces:
        budget = Budget(row_rate=None if rows_per_day is None else rows_per_day / DAY_S)
        probes = {each.to_text() for each in agenda.probes}
        # a picture that is a probe as well takes no turn of its own
        pictures = sum(each.to_text() not in probes for each in plan.pictures.of(agenda.censuses))
        between = plan.between(len(probes))
        round_s = plan.gap_s * len(probes)
        asked_every_s = round_s * (1 + 1 / between) if pictures else round_s
        picture_s = plan.census_pace(agenda, budget)
        *rests, standing_s = plan.periods(agenda, budget)
        # probes may leave the pictures too few turns
        crowd = max(plan.gap_s * (between + 1) * pictures / picture_s, 1.0)
        return cls(
            asked_every_s=asked_every_s,
            picture_s=picture_s * crowd,
            # a probe shows what stands when its turn has come: on the average half a round later
            look_s=standing_s + asked_every_s / 2,
            rests=tuple(rests),
            pictures=pictures,
            limit="requests" if crowd > picture_s / plan.census_s else "rows",
        )

    def strains(self, plan: Plan, agenda: Agenda) -> Iterable[Strain]:
        """What is too much."""
        if self.asked_every_s > plan.slowest_s:
            yield Strain(
                what="round",
                each_s=self.asked_every_s,
                wanted_s=plan.slowest_s,
                questions=len(agenda.probes),
                limit="requests",
            )
        if self.pictures and self.picture_s > STRETCHED * plan.census_s:
            yield Strain(
                what="pictures",
                each_s=self.picture_s,
                wanted_s=plan.census_s,
                questions=self.pictures,
                limit=self.limit,
            )
        late = [rest for rest in self.rests if rest > self.asked_every_s]
        if late:
            yield Strain(what="rest", each_s=max(late), wanted_s=self.asked_every_s, questions=len(late), limit="rows")

"""What questions cost in rows, and how often each may be asked for it.

Rows are spent at an even rate until their reset. What comes again with every answer makes its question rest; what
comes once costs its row whenever it is asked for, and is only reckoned with.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from market.agenda import Agenda, Purpose
from market.budget import CENSUS_LEAST, CENSUS_SHARE, Budget, shared_periods
from market.coverage import Coverage
from market.pictures import Pictures

CONFIRM_EACH_S: Final = 60.0
"""How often offers in doubt are asked for, and at most how often those that merely stand."""
STANDING_SHARE: Final = 0.25
"""Of the rows that full pictures leave: looks at what stands have so much at least."""
TOLD_SHARE: Final = 0.15
"""Of all rows: looks at what somebody was told of a while ago have no more."""
AGAIN_SHARE: Final = 0.2
"""Of all rows: machines that merely are known are shown again for no more, unless full pictures show them."""
KNOWN_LEAST_S: Final = 300.0
KNOWN_MOST_S: Final = 86_400.0
LATELY_S: Final = 3_600.0
"""How far back it counts how many offers come."""
CROWDED: Final = 0.6
"""Of the rows: where offers that come take more of them, probes are asked so much more seldom that they see fewer."""
FLEETING_S: Final = 600.0
"""What a probe then saves is offers that have gone within about so long."""


@dataclass(kw_only=True, slots=True)
class Outlay:
    """What the questions of one market have cost lately. Moments are on a monotonic clock, in seconds."""

    gap_s: float
    """The smallest spacing of two questions."""
    census_s: float
    """How often the full picture of a card is wanted."""
    pictures: Pictures = field(default_factory=Pictures)
    cost: dict[str, float] = field(default_factory=dict)
    """Rows that each probe and census is expected to cost, by its text."""
    _rows: dict[str, int] = field(default_factory=dict)
    _answered: dict[str, float] = field(default_factory=dict)
    _arrivals: dict[str, float] = field(default_factory=dict)
    """Offers a second that were not known, by probe: each costs its row once, however often one asks."""

    def charged(
        self, coverage: Coverage, purpose: Purpose, *, rows: int, news: int, again: float, moment: float
    ) -> None:
        """Note what an answer cost: `news` machines were not known, `again` rows come again with the next answer."""
        self._rows[coverage.to_text()] = rows
        if purpose == "census":
            self.cost[coverage.to_text()] = float(rows)
        elif purpose in ("first", "probe"):
            text = replace(coverage, excluded_machines=frozenset()).to_text()
            self.cost[text] = again
            # a first look shows what was there before; only later ones tell how many come
            if (since := self._answered.get(text)) is not None and moment > since:
                share = min((moment - since) / LATELY_S, 1.0)
                before = self._arrivals.get(text, 0.0)
                self._arrivals[text] = before + share * (news / (moment - since) - before)
            self._answered[text] = moment

    def last_rows(self, coverage: Coverage) -> int | None:
        """Rows of the latest answer to a question, None when it was never answered."""
        return self._rows.get(coverage.to_text())

    def recall(self, rows: Mapping[str, int]) -> None:
        """Know what an earlier run was charged for questions, by their texts."""
        self._rows.update(rows)

    def is_crowded(self, agenda: Agenda, budget: Budget) -> bool:
        """Whether offers that come take nearly all rows: then questions are too loose for the budget."""
        return bool(budget.row_rate) and sum(self._coming(agenda)) > CROWDED * (budget.row_rate or 0.0)

    def remembers(self) -> int:
        """How many questions are known."""
        return len(self._rows)

    def forget(self, kept: Collection[str]) -> None:
        """Know nothing more of questions but these, by their texts."""
        for memory in (self.cost, self._rows, self._answered, self._arrivals):
            for text in memory.keys() - kept:
                del memory[text]

    def census_pace(self, agenda: Agenda, budget: Budget) -> float:
        """Seconds between two full pictures of a card: stretched so that all together use what the probes leave, at
        most half of the rows and a tenth in any case."""
        if budget.row_rate is None:
            return self.census_s
        rows = self._picture_rows(agenda)
        if budget.row_rate <= 0:
            return inf if rows else self.census_s
        left = budget.row_rate - self._needed(agenda)
        share = min(max(left, CENSUS_LEAST * budget.row_rate), CENSUS_SHARE * budget.row_rate)
        return max(self.census_s, rows / share)

    def periods(self, agenda: Agenda, budget: Budget) -> list[float]:
        """How long each probe rests, and last of all how long what stands is not looked at. What costs nothing is asked
        in every round: its card is scarce."""
        round_s = self.round_s(agenda)
        costs = self._costs(agenda)
        if budget.row_rate is None:
            return [*(round_s for _ in costs), CONFIRM_EACH_S]
        rows = self._picture_rows(agenda)
        supply = budget.row_rate - (rows / self.census_pace(agenda, budget) if rows else 0.0)
        coming = self._coming(agenda)
        if sum(coming) > CROWDED * supply:
            costs = [cost + come * FLEETING_S for cost, come in zip(costs, coming, strict=True)]
        else:
            supply -= sum(coming)
        supply -= self._told_rate(agenda) / self.stretch(agenda, budget)
        # looks have what probes do not need, and a part of the rows in any case
        spare = max(supply - sum(costs) / round_s, supply * STANDING_SHARE)
        standing = len(agenda.standing)
        standing_s = max(CONFIRM_EACH_S, standing / spare if spare > 0 else inf) if standing else CONFIRM_EACH_S
        left = supply - standing / standing_s
        return [*shared_periods([(cost, round_s) for cost in costs], left), standing_s]

    def known_for(self, budget: Budget, machines: int) -> float:
        """Seconds after which a known machine is shown again, wanted or not: full pictures show most of them before,
        but not unverified ones or those of no card in particular. So many `machines` are known to a probe."""
        share = AGAIN_SHARE * (budget.row_rate or 0.0)
        # other probes know about as many together
        return min(max(2 * machines / share if share > 0 else inf, KNOWN_LEAST_S), KNOWN_MOST_S)

    def stretch(self, agenda: Agenda, budget: Budget) -> float:
        """How many times as seldom what was told is looked at, once that is a while ago: 1 where the rows suffice."""
        if not budget.row_rate:
            return 1.0
        return max(self._told_rate(agenda) / (TOLD_SHARE * budget.row_rate), 1.0)

    def _told_rate(self, agenda: Agenda) -> float:
        return sum(1 / each_s for _, each_s in agenda.told if each_s > CONFIRM_EACH_S)

    def round_s(self, agenda: Agenda) -> float:
        """Seconds in which every probe has its turn, if nothing else is asked."""
        return self.gap_s * max(len(agenda.probes), 1)

    def _costs(self, agenda: Agenda) -> list[float]:
        return [self.cost.get(each.to_text(), 0.0) for each in agenda.probes]

    def _coming(self, agenda: Agenda) -> list[float]:
        return [self._arrivals.get(each.to_text(), 0.0) for each in agenda.probes]

    def _needed(self, agenda: Agenda) -> float:
        """Rows a second that the probes would take if none had to rest."""
        return sum(self._coming(agenda)) + sum(self._costs(agenda)) / self.round_s(agenda)

    def _picture_rows(self, agenda: Agenda) -> float:
        return sum(self.cost.get(each.to_text(), 0.0) for each in self.pictures.of(agenda.censuses))

    def rests(self, agenda: Agenda, budget: Budget) -> dict[str, float]:
        """How long each probe rests beyond its turn, by its text: 0 for all that the rows suffice for."""
        round_s = self.round_s(agenda)
        rests = zip(agenda.probes, self.periods(agenda, budget), strict=False)
        return {each.to_text(): period if period > round_s else 0.0 for each, period in rests}

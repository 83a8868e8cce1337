"""Which question is asked next of one market, and when: the spending of a budget of requests and rows.

Probes carry the rules' filters. While a card is scarce they return nothing and cost nothing, so they take every turn
that the request limit allows; whatever else has to be asked fits into a few turns between them. Rows are spent at an
even rate until their reset: what costs rows rests for it, what costs none never does.

Pure: it is told what was asked and answered, and it is given the time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Final

from market.agenda import Agenda, Look, Purpose, Step
from market.budget import Budget
from market.coverage import Coverage
from market.offer import Offer
from market.outlay import CONFIRM_EACH_S, Outlay

MOST_CREDIT: Final = 2.0
"""Turns that other questions may save up, or owe when they could not wait."""
MOST_BETWEEN: Final = 30
"""Even the longest round of probes leaves one turn in so many to other questions."""
CLOSELY_S: Final = 25.0
"""What was told a moment ago is let into probes so often: that it has gone is to be known soon."""
RARE: Final = 2.0
"""Unusual numbers of GPUs are asked for half as often as the usual ones."""
MANY: Final = 1_000
"""Texts of questions to remember before those that are asked no more are forgotten."""

FASTEST: Final = "as fast as the request limit allows"
STRETCHED: Final = "stretched so that the day's rows last until their reset"
SLOWEST: Final = "the slowest pace allowed"
UNWATCHED: Final = "nothing is watched here; only checking that the market answers"


@dataclass(kw_only=True, slots=True)
class Plan(Outlay):
    """What one market was asked, and what follows from it. Moments are on a monotonic clock, in seconds."""

    slowest_s: float
    heartbeat: Coverage
    confirm: Callable[[Sequence[Offer]], tuple[Coverage, ...]]
    asked: dict[str, float] = field(default_factory=dict)
    """When each probe and census was last asked, by its text."""
    confirmed: dict[str, float] = field(default_factory=dict)
    """When each offer that is looked at again was last looked at, by key."""
    last_good: float = -inf
    _looks: tuple[Agenda, float, dict[str, Look]] | None = None
    _credit: float = MOST_CREDIT
    _turn_of_probes: bool = False

    def next(self, agenda: Agenda, moment: float, budget: Budget) -> Step:
        """The question that is due now, or for how long none is."""
        if agenda.urgent:
            return Step(coverage=self._longest_unasked(agenda.urgent), purpose="first")
        rests = self.rests(agenda, budget)
        due = [each for each in agenda.probes if self._age(each, moment) >= rests[each.to_text()]]
        if not due or not self._turn_of_probes:
            other = self._other(agenda, moment, budget, pressing=bool(due) and self._credit < 1)
            if other is not None:
                return other
        if due:
            singles = {low for low, high in (each.counts for each in agenda.probes) if low == high}
            chosen = max(due, key=lambda each: self._age(each, moment) / (RARE if _rare(each, singles) else 1.0))
            return Step(coverage=chosen, purpose="probe")
        if moment - self.last_good >= self.slowest_s:
            return Step(coverage=self.heartbeat)
        wait_s, reason = self.wait(agenda, moment, budget)
        return Step(wait_s=wait_s, reason=reason)

    def wait(self, agenda: Agenda, moment: float, budget: Budget) -> tuple[float, str]:
        """Seconds until the next question is due when one was asked just now, and why it is so long."""
        rests = self.rests(agenda, budget)
        waits = [rests[each.to_text()] - self._age(each, moment) for each in agenda.probes]
        waits.extend(self._other_waits(agenda, moment, budget))
        slowest = self.slowest_s - (moment - self.last_good)
        soonest = min([slowest, *waits])
        if agenda.urgent or (soonest <= self.gap_s and agenda.probes):
            return self.gap_s, FASTEST
        reason = UNWATCHED if not agenda.probes else SLOWEST if soonest == slowest else STRETCHED
        return max(soonest, self.gap_s), reason

    def took(self, step: Step, agenda: Agenda, moment: float) -> None:
        """Note that a question is asked now."""
        if step.coverage is None:
            return
        if step.purpose in ("first", "probe", "census"):
            self.asked[step.coverage.to_text()] = moment
        if step.purpose == "probe":
            self._credit = min(self._credit + 1 / self.between(len(agenda.probes)), MOST_CREDIT)
        elif step.purpose != "first" and agenda.probes:
            self._credit = max(self._credit - 1, -MOST_CREDIT)
        self._turn_of_probes = step.purpose not in ("first", "probe")
        self.confirmed.update({offer.key: moment for offer in step.offers})
        if len(self.asked) > MANY or self.remembers() > MANY:
            self._forget(agenda)

    def answered(
        self,
        coverage: Coverage,
        purpose: Purpose,
        *,
        rows: int,
        news: int,
        again: float,
        keys: Collection[str],
        moment: float,
    ) -> None:
        """Note a good answer: its rows, and the keys that it showed.

        `news` machines were not known; `again` rows will not be kept out of the next answer.
        """
        self.last_good = moment
        self.confirmed.update(dict.fromkeys(self.confirmed.keys() & keys, moment))
        self.charged(coverage, purpose, rows=rows, news=news, again=again, moment=moment)

    def doubt(self, offers: Iterable[Offer]) -> None:
        """An answer has left these offers in doubt: they are asked for with the next turn there is."""
        self.confirmed.update({offer.key: -inf for offer in offers})

    def between(self, probes: int) -> int:
        """Probes that are asked for each other question: so many that, in the middle, none is a second late."""
        return min(ceil(0.8 * self.gap_s * probes) + 1, MOST_BETWEEN)

    # -- the turns between the probes ---------------------------------------------------------------------------------

    def _other(self, agenda: Agenda, moment: float, budget: Budget, *, pressing: bool) -> Step | None:
        """The confirmation or census that is most overdue, if one is due; of those that cannot wait, if `pressing`."""
        looks = self.looks(agenda, moment, budget)
        late = {
            key: (moment - self.confirmed[key]) / look.ask_after_s
            for key, look in looks.items()
            if look.pressing or not pressing
        }
        due = sorted((key for key, by in late.items() if by >= 1), key=lambda key: -late[key])
        found = self.confirm([looks[key].offer for key in due]) if due else ()
        worst, best = 0.0, None
        if found:
            # the question that asks for the most overdue offer
            chosen = next((each for each in found if each.asks_for(looks[due[0]].offer)), found[0])
            offers = tuple(looks[key].offer for key in due if chosen.asks_for(looks[key].offer))
            worst, best = late[due[0]], Step(coverage=chosen, purpose="confirm", offers=offers)
        if pressing:
            return best
        pace = self.census_pace(agenda, budget)
        for each in self._affordable(agenda, budget):
            by = self._age(each, moment) / pace
            if by >= 1 and (best is None or by > worst):
                worst, best = by, Step(coverage=each, purpose="census")
        return best

    def _other_waits(self, agenda: Agenda, moment: float, budget: Budget) -> list[float]:
        pace = self.census_pace(agenda, budget)
        waits = [pace - self._age(each, moment) for each in self._affordable(agenda, budget)]
        looks = self.looks(agenda, moment, budget)
        waits.extend(look.ask_after_s - (moment - self.confirmed[key]) for key, look in looks.items())
        return waits

    def _affordable(self, agenda: Agenda, budget: Budget) -> list[Coverage]:
        left = budget.census_rows_left
        pictures = self.pictures.of(agenda.censuses)
        return [each for each in pictures if left > 0 and self.cost.get(each.to_text(), 0.0) <= left]

    def looks(self, agenda: Agenda, moment: float, budget: Budget) -> dict[str, Look]:
        """The offers that are looked at again, by key; worked out once for each moment."""
        if self._looks is not None and self._looks[0] is agenda and self._looks[1] == moment:
            return self._looks[2]
        found: dict[str, Look] = {}
        round_s = self.gap_s * (len(agenda.probes) + 1)
        standing_s = self.periods(agenda, budget)[-1]
        for offer in agenda.standing:
            found[offer.key] = Look(offer, standing_s, standing_s + 2 * round_s)
        stretch = self.stretch(agenda, budget)
        for offer, wanted_s in agenda.told:
            closely = wanted_s <= CONFIRM_EACH_S
            each_s = wanted_s if closely else wanted_s * stretch
            after_s = CLOSELY_S if closely else min(standing_s, max(each_s - 2 * round_s, 0.0))
            found[offer.key] = Look(offer, after_s, each_s, pressing=closely)
        for offer in agenda.doubtful:
            found[offer.key] = Look(offer, 0.0, min(CONFIRM_EACH_S, 10 * self.gap_s), pressing=True)
        if found and not self.confirm([next(iter(found.values())).offer]):
            found.clear()  # nothing hides anything there, so every answer confirms
        new = dict.fromkeys((offer.key for offer in agenda.doubtful), -inf)
        self.confirmed = {key: self.confirmed.get(key, new.get(key, moment)) for key in found}
        self._looks = agenda, moment, found
        return found

    def let_in(self, agenda: Agenda, moment: float, budget: Budget) -> frozenset[str]:
        """The machines that a probe may show although they are known: so it is seen whether they are still there, and
        no other question has to be asked."""
        looks = self.looks(agenda, moment, budget)
        return frozenset(
            look.offer.machine for key, look in looks.items() if moment - self.confirmed[key] >= look.after_s
        )

    # -- what was asked when ------------------------------------------------------------------------------------------

    def _longest_unasked(self, coverages: Iterable[Coverage]) -> Coverage:
        return min(coverages, key=lambda each: self.asked.get(each.to_text(), -inf))

    def _age(self, coverage: Coverage, moment: float) -> float:
        return moment - self.asked.get(coverage.to_text(), -inf)

    def _forget(self, agenda: Agenda) -> None:
        asked = (*agenda.probes, *agenda.urgent, *self.pictures.of(agenda.censuses))
        kept = {each.to_text() for each in asked}
        self.asked = {text: at for text, at in self.asked.items() if text in kept}
        self.forget(kept)


def _rare(probe: Coverage, singles: Collection[int]) -> bool:
    """Whether it is for the sizes that are left beside usual ones that are asked for by themselves."""
    low, high = probe.counts
    return low != high and any(low <= single and (high is None or single <= high) for single in singles)

"""What each market is asked for the rules, and that a query which fails keeps no rule silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from bot.judging import Judge
from market.alerting import Event, Policy
from market.changes import compare
from market.coverage import Coverage
from market.offer import Offer
from market.rule import Rule
from market.snapshot import Snapshot
from market.watch import Memory, Watch
from scanners.errors import Refused, Unreachable
from scanners.registry import Limits, Marketplace
from tests.market.chronicle import EVERYTHING, START, offer, rule, watch

ONE = replace(EVERYTHING, cards=frozenset({"RTX 4090"}), counts=(1, 1), ceiling=400_000)
TWO = replace(ONE, counts=(2, 2), ceiling=800_000)
BROAD = replace(ONE, counts=(1, 2), ceiling=None)
LOST = Unreachable("vast", "no answer")


class SizeBySize:
    """A market that is asked for one size after the other."""

    name = "vast"
    limits = Limits(requests_per_minute=10, rows_per_day=20_000, rows_per_answer=512)

    def __init__(self, opening: Coverage | None = None) -> None:
        self._opening = opening

    def probes(self, wanted: Rule) -> tuple[Coverage, ...]:
        return (ONE, TWO)

    def opening(self, wanted: Rule) -> Coverage | None:
        return self._opening

    def census(self, cards: Sequence[str]) -> tuple[Coverage, ...]:
        return tuple(replace(EVERYTHING, cards=frozenset({card})) for card in cards)


def judge_of(market: SizeBySize) -> Judge:
    return Judge(policy=Policy(), markets={"vast": cast("Marketplace", market)})


def answer(judge: Judge, coverage: Coverage, watches: tuple[Watch, ...], *offers: Offer, complete: bool = True) -> Any:
    snapshot = Snapshot(
        market="vast", coverage=coverage, complete=complete, offers=offers, taken_at=START, rows=len(offers)
    )
    event = Event(
        snapshot=snapshot,
        changes=compare({}, (), snapshot),
        known={each.key: each for each in offers},
        seen_at=lambda key: START,
        since=lambda key: START,
    )
    memory = Memory()
    decision = judge.decide(event, memory, watches)
    judge.note(event, memory, decision)
    return decision


def test_a_new_rule_is_asked_for_first_with_each_of_its_queries() -> None:
    judge = judge_of(SizeBySize())
    judge.take_up([watch(passed=False)])
    assert judge.agenda("vast").urgent == (ONE, TWO)
    judge.take_up([replace(watch(passed=False), answered=frozenset({ONE.to_text()}))])
    assert judge.agenda("vast").urgent == (TWO,)


def test_a_rule_with_an_opening_is_asked_for_by_it_alone_until_that_was_cut_or_failed() -> None:
    judge = judge_of(SizeBySize(opening=BROAD))
    new = watch(passed=False)
    judge.take_up([new])
    assert judge.agenda("vast").urgent == (BROAD,)
    judge.take_up([replace(new, answered=frozenset({BROAD.to_text()}))])
    assert judge.agenda("vast").urgent == (ONE, TWO)
    judge.take_up([new])
    judge.failed(BROAD, LOST)
    assert judge.agenda("vast").urgent == (ONE, TWO)


def test_a_query_that_fails_is_in_no_hurry_and_keeps_no_rule_silent() -> None:
    judge, watches = judge_of(SizeBySize()), (watch(passed=False),)
    judge.take_up(watches)
    judge.failed(TWO, LOST)
    assert judge.agenda("vast").urgent == (ONE,)
    (alert,) = answer(judge, ONE, watches, offer()).alerts
    assert alert.reason == "already true when the rule was first checked"


def test_a_query_that_is_answered_again_is_waited_for_again() -> None:
    judge, watches = judge_of(SizeBySize()), (watch(passed=False),)
    judge.failed(TWO, LOST)
    answer(judge, TWO, (), offer())
    assert answer(judge, ONE, watches, offer()).alerts == ()


def test_equal_rules_are_asked_for_once() -> None:
    judge = judge_of(SizeBySize())
    judge.take_up([watch(number) for number in range(1, 50)])
    assert judge.agenda("vast").probes == (ONE, TWO)


def test_watched_and_recorded_cards_are_taken_in_full() -> None:
    judge = Judge(policy=Policy(), markets={"vast": cast("Marketplace", SizeBySize())}, recorded=("H100 SXM",))
    judge.take_up([watch(of=rule("RTX 4090"))])
    assert judge.cards() == ("H100 SXM", "RTX 4090")
    assert len(judge.agenda("vast").censuses) == 2


def test_an_offer_in_doubt_is_asked_for_until_an_answer_settles_it() -> None:
    judge, there = judge_of(SizeBySize()), offer()
    snapshot = Snapshot(market="vast", coverage=ONE, complete=True, offers=(), taken_at=START, rows=0)
    event = Event(
        snapshot=snapshot,
        changes=compare({there.key: there}, [there], snapshot),
        known={there.key: there},
        seen_at=lambda key: START,
        since=lambda key: START,
    )
    judge.note(event, Memory(), judge.decide(event, Memory(), ()))
    assert judge.agenda("vast").doubtful == (there,)
    answer(judge, EVERYTHING, (), there)
    assert judge.agenda("vast").doubtful == ()


# -- machines that are known already ---


def known(judge: Judge, probe: Coverage = ONE) -> frozenset[str] | None:
    agenda = judge.agenda("vast")
    return None if agenda.known is None else frozenset(agenda.known(probe))


def test_machines_that_a_probe_would_show_again_are_known_once_they_were_seen() -> None:
    judge = judge_of(SizeBySize())
    assert known(judge) == frozenset()
    answer(judge, ONE, (), offer(7), offer(8, price=900_000), offer(9, count=2))
    assert known(judge) == frozenset({"7"})  # 8 is kept back by the ceiling anyway, and 9 is another size
    assert known(judge, TWO) == frozenset({"9"})


def test_what_matches_a_rule_stands_and_is_looked_at_again() -> None:
    judge, watches = judge_of(SizeBySize()), (watch(),)
    judge.take_up(watches)
    answer(judge, ONE, watches, offer(7), offer(8, price=900_000))
    memory = Memory()
    memory.by_key["vast:7:1"] = {(1, "RTX 4090")}
    judge._memory = memory  # as the store keeps it after the decision
    assert [each.machine for each in judge.agenda("vast").standing] == ["7"]


def test_nothing_is_known_of_an_answer_that_could_not_be_stored() -> None:
    judge = judge_of(SizeBySize())
    answer(judge, ONE, (), offer(7))
    judge.unstored("vast")
    assert known(judge) == frozenset()


def ignoring(judge: Judge, at: datetime = START) -> None:
    """An answer that shows machines which were to be kept out."""
    snapshot = Snapshot(
        market="vast", coverage=ONE, complete=True, offers=(offer(7),), taken_at=at, rows=1, exclusion_ignored=True
    )
    changes = compare({}, (), snapshot)
    event = Event(snapshot=snapshot, changes=changes, known={}, seen_at=lambda _: START, since=lambda _: START)
    judge.note(event, Memory(), judge.decide(event, Memory(), ()))


LEAN = replace(ONE, excluded_machines=frozenset({"7"}))
REFUSED = Refused("vast", "not a valid search")


def test_a_server_that_goes_on_showing_known_machines_is_asked_without_that_for_some_hours() -> None:
    judge = judge_of(SizeBySize())
    for _ in range(2):
        ignoring(judge)
    assert known(judge) is not None
    ignoring(judge)
    assert known(judge) is None
    ignoring(judge, START + timedelta(hours=7))
    assert known(judge) is not None  # it is tried again


def test_one_refusal_of_such_a_question_makes_the_next_one_go_without() -> None:
    judge = judge_of(SizeBySize())
    answer(judge, ONE, (), offer(7))
    judge.failed(LEAN, REFUSED)
    assert known(judge) == frozenset()
    answer(judge, ONE, (), offer(7))
    assert known(judge) == frozenset({"7"})


def test_a_server_that_answers_all_but_such_questions_is_believed_after_three_times() -> None:
    judge = judge_of(SizeBySize())
    for _ in range(3):
        answer(judge, ONE, (), offer(7))
        assert known(judge) is not None
        judge.failed(LEAN, REFUSED)
    assert known(judge) is None


def test_a_server_that_refuses_everything_for_a_while_proves_nothing() -> None:
    judge = judge_of(SizeBySize())
    answer(judge, ONE, (), offer(7))
    for _ in range(20):
        judge.failed(LEAN, REFUSED)
    answer(judge, LEAN, (), offer(7))
    assert known(judge) == frozenset({"7"})

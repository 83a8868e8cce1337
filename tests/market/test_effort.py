"""What a rule costs: by the plan's own arithmetic, and never less than what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from market.agenda import Agenda
from market.budget import Budget
from market.coverage import Coverage
from market.effort import Effort, effort, rounded, rows_of
from market.offer import Offer
from market.plan import Plan

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PICTURE = Coverage(market="vast", tiers=frozenset({"datacenter", "community"}), cards=frozenset({"RTX 4090"}))
OTHER = replace(PICTURE, cards=frozenset({"RTX 3090"}))
PROBE = replace(PICTURE, counts=(1, 1), ceiling=400_000)
OFFER = Offer(
    key="vast:1:1",
    market="vast",
    machine="1",
    gpu="RTX 4090",
    spelling="RTX 4090",
    gpu_count=1,
    vram_gb=24,
    tier="community",
    price=350_000,
    offer_id="1",
    reliability_ppm=990_000,
    verified=True,
)


def offers(number: int) -> tuple[Offer, ...]:
    return tuple(OFFER._replace(key=f"vast:{each}:1", machine=str(each)) for each in range(number))


def probes(number: int) -> tuple[Coverage, ...]:
    return tuple(replace(PROBE, counts=(each, each)) for each in range(1, number + 1))


def one_look(standing: Sequence[Offer]) -> tuple[Coverage, ...]:
    """All that stands is looked at again in one question."""
    return (replace(PICTURE, machines=frozenset(each.machine for each in standing)),)


def plan(cost: dict[Coverage, float] | None = None, **changes: Any) -> Plan:
    costs = {each.to_text(): rows for each, rows in (cost or {}).items()}
    settings: dict[str, Any] = {"gap_s": 6.0, "slowest_s": 300.0, "census_s": 1800.0, "heartbeat": PROBE}
    return Plan(**settings | {"confirm": one_look, "cost": costs} | changes)


def costs(plan: Plan, after: Agenda, before: Agenda | None = None, rows: int | None = 20_000) -> Effort:
    return effort(plan, before or Agenda(), after, rows_per_day=rows)


def test_a_lone_question_comes_round_each_spacing_but_for_the_turns_between() -> None:
    assert costs(plan(), Agenda(probes=(PROBE,), censuses=(PICTURE,))).asked_every_s == 7.0


def test_where_nothing_else_is_asked_no_turn_is_lost() -> None:
    free = plan(gap_s=2.0, confirm=lambda _: ())
    assert costs(free, Agenda(probes=(PROBE,), censuses=(PROBE,)), rows=None).asked_every_s == 2.0


def test_questions_of_other_rules_take_their_turns() -> None:
    alone = costs(plan(), Agenda(probes=probes(1)))
    assert costs(plan(), Agenda(probes=probes(5))).asked_every_s == 5 * alone.asked_every_s


@pytest.mark.parametrize("number", [1, 5, 20])
def test_the_plan_comes_round_as_often_as_was_said(number: int) -> None:
    asking = plan({PICTURE: 50, OTHER: 50})
    agenda = Agenda(probes=probes(number), censuses=(PICTURE, OTHER), standing=offers(5))
    keys = [offer.key for offer in agenda.standing]
    said = costs(asking, agenda).asked_every_s
    budget, moment, asked = Budget(row_rate=20_000 / 86_400), 0.0, 0
    while moment < 2 * 3600:
        step = asking.next(agenda, moment, budget)
        if step.coverage is not None:
            asking.took(step, agenda, moment)
            asked += step.purpose == "probe"
            rows = 50 if step.purpose == "census" else 0
            asking.answered(step.coverage, step.purpose, rows=rows, news=0, again=0, keys=keys, moment=moment)
        moment += asking.gap_s
    assert 0.8 * said <= moment / (asked / number) <= 1.05 * said


def test_full_pictures_of_a_card_that_nobody_recorded_cost_its_offers_each_time() -> None:
    after = Agenda(probes=(PROBE,), censuses=(PICTURE,))
    assert costs(plan({PICTURE: 50}), after).rows_per_day == 50 * 48


def test_full_pictures_that_are_taken_anyway_cost_no_further_rows() -> None:
    both = Agenda(probes=(PROBE,), censuses=(PICTURE,))
    assert costs(plan({PICTURE: 50}), both, before=both).rows_per_day == 0


def test_beside_others_only_the_new_picture_is_the_rules_cost() -> None:
    before, after = Agenda(censuses=(OTHER,)), Agenda(probes=(PROBE,), censuses=(OTHER, PICTURE))
    assert costs(plan({PICTURE: 10, OTHER: 40}), after, before).rows_per_day == 480


def test_pictures_never_cost_more_than_half_of_the_rows() -> None:
    found = costs(plan({PICTURE: 900}), Agenda(probes=(PROBE,), censuses=(PICTURE,)))
    assert found.rows_per_day == 10_000


def test_each_standing_match_is_looked_at_once_a_minute_while_rows_last() -> None:
    found = costs(plan(), Agenda(probes=(PROBE,), standing=offers(2)))
    assert (found.rows_per_day, found.looks_per_day) == (2_700, 2_700)


def test_many_standing_matches_share_the_rows_that_pictures_leave() -> None:
    found = costs(plan({PICTURE: 100}), Agenda(probes=(PROBE,), censuses=(PICTURE,), standing=offers(100)))
    assert (found.rows_per_day, found.looks_per_day) == (20_000, 15_000)


def test_what_stands_for_other_rules_already_is_not_this_rules_cost() -> None:
    before, after = Agenda(standing=offers(3)), Agenda(probes=(PROBE,), standing=offers(4))
    assert costs(plan(), after, before).looks_per_day == 1_400


def test_looks_wait_for_the_turn_of_a_probe() -> None:
    crowded = Agenda(probes=probes(30), standing=offers(1))
    assert costs(plan(), crowded).looks_per_day == 580


def test_where_rows_are_free_none_are_told() -> None:
    found = costs(plan({PICTURE: 50}), Agenda(probes=(PROBE,), censuses=(PICTURE,)), rows=None)
    assert (found.rows_per_day, found.charged) == (None, False)


def test_the_rows_of_a_card_that_nothing_is_known_of_are_not_guessed() -> None:
    after = Agenda(probes=(PROBE,), censuses=(PICTURE,))
    found = effort(plan(), Agenda(), after, rows_per_day=20_000, unseen=True)
    assert (found.rows_per_day, found.charged) == (None, True)


def test_an_ordinary_rule_strains_nothing() -> None:
    found = costs(plan({PICTURE: 200}), Agenda(probes=probes(5), censuses=(PICTURE,), standing=offers(20)))
    assert found.strains == ()


@pytest.mark.parametrize(("number", "strained"), [(48, False), (49, True)])
def test_a_round_longer_than_the_slowest_pace_is_a_strain(number: int, strained: bool) -> None:
    found = costs(plan(), Agenda(probes=probes(number), censuses=(PICTURE,)))
    assert [(each.what, each.limit, each.questions) for each in found.strains] == [("round", "requests", 49)] * strained


@pytest.mark.parametrize(("rows", "strained"), [(416, False), (418, True)])
def test_pictures_at_less_than_half_their_pace_for_want_of_rows_are_a_strain(rows: int, strained: bool) -> None:
    found = costs(plan({PICTURE: rows}), Agenda(probes=(PROBE,), censuses=(PICTURE,)))
    assert [(each.what, each.limit) for each in found.strains] == [("pictures", "rows")] * strained


def test_pictures_that_find_too_few_turns_are_a_strain_on_the_requests() -> None:
    cards = tuple(replace(PICTURE, cards=frozenset({f"card {each}"})) for each in range(20))
    (strain,) = costs(plan(), Agenda(probes=probes(30), censuses=cards)).strains
    assert (strain.what, strain.limit, strain.questions) == ("pictures", "requests", 20)
    assert strain.each_s == pytest.approx(20 * 31 * 6)


def test_probes_that_cost_more_than_their_share_are_a_strain() -> None:
    found = costs(plan({PROBE: 100}), Agenda(probes=(PROBE,)))
    (strain,) = found.strains
    assert (strain.what, strain.limit) == ("rest", "rows")
    assert strain.each_s == pytest.approx(100 / (20_000 / 86_400))


def test_an_offer_is_a_row_of_the_questions_that_would_show_it() -> None:
    dear = OFFER._replace(key="vast:9:1", machine="9", price=500_000)
    rows = rows_of([PICTURE, PROBE, OTHER, replace(PICTURE, cards=None)], [OFFER, dear], NOW)
    assert list(rows.values()) == [2, 1, 0, 2]


@pytest.mark.parametrize(
    ("figure", "shown"), [(0.0, 0.0), (0.0123, 0.012), (7.24, 7.2), (314.0, 310.0), (19_840.0, 20_000.0)]
)
def test_figures_have_two_significant_digits(figure: float, shown: float) -> None:
    assert rounded(figure) == shown

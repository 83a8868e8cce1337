"""What a new rule is told first: all that matches already, once, when its queries have been answered."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from market.coverage import Coverage
from market.offer import Offer
from tests.market.chronicle import EVERYTHING, START, Chronicle, offer, rule, watch

BOTH = EVERYTHING.tiers
PROBE = Coverage(market="vast", tiers=BOTH, cards=frozenset({"RTX 4090"}), counts=(1, 1), ceiling=400_000)


def test_sixty_matches_of_a_new_rule_are_one_message_with_the_best_and_the_count() -> None:
    world = Chronicle(watch(passed=False))
    world.passes = {1: frozenset({EVERYTHING.to_text()})}
    (alert,) = world.answer(*(offer(machine, price=300_000 + machine) for machine in range(60)))
    assert alert.parts[0].count == 60
    assert [each.machine for each in alert.parts[0].offers] == ["0", "1", "2"]
    assert alert.reason == "already true when the rule was first checked"
    assert world.answer(*(offer(machine, price=300_000 + machine) for machine in range(60))) == []


def test_a_first_pass_waits_for_each_of_the_rules_queries() -> None:
    first, second = replace(PROBE, counts=(1, 1)), replace(PROBE, counts=(2, 2), ceiling=800_000)
    world = Chronicle(watch(passed=False))
    world.passes = {1: frozenset({first.to_text(), second.to_text()})}
    assert world.answer(offer(1), coverage=first) == []
    (alert,) = world.answer(offer(2, count=2, price=700_000), coverage=second)
    assert alert.parts[0].count == 2
    assert world.watches[1].passed == {"vast"}


def test_a_first_pass_that_finds_nothing_is_silent_and_what_comes_later_is_news() -> None:
    world = Chronicle(watch(passed=False))
    world.passes = {1: frozenset({PROBE.to_text()})}
    assert world.answer(coverage=PROBE) == []
    (alert,) = world.answer(offer(), coverage=PROBE)
    assert alert.reason == "a new match"


def test_what_was_stored_before_a_rule_was_made_is_not_told_as_if_it_were_seen_now() -> None:
    world = Chronicle(watch(passed=False))
    world.answer(offer(1))
    world.edit(1, set_at=world.at + timedelta(seconds=1))
    world.passes = {1: frozenset({PROBE.to_text()})}
    (alert,) = world.answer(offer(2), coverage=PROBE)
    assert [each.machine for each in alert.parts[0].offers] == ["2"]


def test_a_clock_set_back_does_not_hold_up_a_first_pass() -> None:
    world = Chronicle(watch(passed=False))
    world.edit(1, set_at=START + timedelta(hours=2))
    world.passes = {1: frozenset({PROBE.to_text()})}
    (alert,) = world.answer(offer(), coverage=PROBE)
    assert alert.reason == "already true when the rule was first checked"


def pod(price: int = 690_000) -> Offer:
    return offer(price=price)._replace(
        key="runpod:NVIDIA GeForce RTX 4090:secure:1",
        market="runpod",
        machine="NVIDIA GeForce RTX 4090",
        tier="secure",
        disk_gb=0,
        storage_price=None,
        interruptible_price=None,
        reliability_ppm=None,
        verified=None,
        stock="low",
    )


PODS = Coverage(market="runpod", tiers=frozenset({"secure"}), counts=(1, 1))


def test_a_first_pass_on_the_second_market_is_silent_inside_the_episode_and_loses_no_price_that_was_told() -> None:
    world = Chronicle(watch(of=rule(ceiling=800_000), passed=False))
    world.passes = {1: frozenset({PROBE.to_text()})}
    world.answer(offer(price=350_000), coverage=PROBE)
    world.passes = {1: frozenset({PODS.to_text()})}
    assert world.answer(pod(690_000), coverage=PODS) == []
    assert world.watches[1].passed == {"vast", "runpod"}
    world.passes = {1: frozenset({PROBE.to_text()})}
    assert world.answer(offer(price=350_000), coverage=PROBE) == []
    (episode,) = world.memory.episodes.values()
    assert set(episode.members) == {"vast:555:1", pod().key}
    assert episode.told_price == 350_000


def test_a_first_pass_on_the_second_market_tells_what_is_clearly_cheaper() -> None:
    world = Chronicle(watch(of=rule(ceiling=800_000), passed=False))
    world.passes = {1: frozenset({PODS.to_text()})}
    world.answer(pod(690_000), coverage=PODS)
    world.passes = {1: frozenset({PROBE.to_text()})}
    (alert,) = world.answer(offer(1, price=350_000), offer(2, price=360_000), coverage=PROBE)
    assert (alert.kind, alert.parts[0].count) == ("available", 2)
    assert alert.reason == "already true when the rule was first checked"


def test_two_new_rules_of_one_chat_that_want_the_same_are_told_in_one_message() -> None:
    other = replace(PROBE, cards=None, min_vram_gb=24)
    world = Chronicle(watch(1, passed=False), watch(2, of=rule("RTX 4090", ceiling=380_000), passed=False))
    world.passes = {1: frozenset({PROBE.to_text()}), 2: frozenset({other.to_text()})}
    (alert,) = world.answer(offer(), coverage=PROBE)
    assert [part.watch_id for part in alert.parts] == [1, 2]
    assert world.answer(offer(), coverage=other) == []


def test_a_complete_opening_ends_the_first_pass_at_once_and_a_cut_one_does_not() -> None:
    for complete in (True, False):
        world = Chronicle(watch(passed=False))
        world.passes = {1: frozenset({PROBE.to_text(), replace(PROBE, counts=(2, 2)).to_text()})}
        world.openings = {1: EVERYTHING.to_text()}
        assert len(world.answer(offer(), complete=complete)) == int(complete)
        assert (world.watches[1].passed == {"vast"}) is complete

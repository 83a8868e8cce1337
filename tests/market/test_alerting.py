"""When people are told, and when they are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from market.alerting import Policy, episodes_of
from market.coverage import Coverage
from market.watch import Memory, Watch
from tests.market.chronicle import EVERYTHING, START, Chronicle, offer, rule, watch

BOTH = EVERYTHING.tiers
PROBE = Coverage(market="vast", tiers=BOTH, cards=frozenset({"RTX 4090"}), counts=(1, 1), ceiling=400_000)


def test_a_match_is_told_at_once_with_what_it_is_and_why() -> None:
    world = Chronicle()
    (alert,) = world.answer(offer())
    assert (alert.kind, alert.chat, alert.reason) == ("available", "111", "a new match")
    assert alert.seen_at == world.at
    part, best = alert.best()
    assert (part.watch_id, best.key, part.price_per_gpu()) == (1, "vast:555:1", 350_000)


def test_what_stays_on_offer_is_told_once() -> None:
    world = Chronicle()
    for _ in range(10):
        world.answer(offer())
    assert len(world.alerts) == 1


def test_a_new_ask_id_in_every_answer_is_the_same_offer() -> None:
    world = Chronicle()
    for ask in range(1001, 1005):
        world.answer(offer(ask=ask))
    assert len(world.alerts) == 1
    assert len(world.memory.episodes) == 1


def test_one_machine_in_several_sizes_is_one_message() -> None:
    world = Chronicle()
    slices = [offer(price=350_000 * count, count=count, ask=count) for count in (1, 2, 4, 8)]
    (alert,) = world.answer(*slices)
    assert alert.parts[0].count == 4
    assert len(world.alerts) == 1


def test_a_failed_answer_is_not_gone_and_not_back() -> None:
    world = Chronicle()
    world.answer(offer())
    world.failure()
    world.failure()
    world.answer(offer())
    assert len(world.alerts) == 1


@pytest.mark.parametrize("unknown", [{"complete": False}, {"coverage": PROBE}], ids=["cut", "hidden by a ceiling"])
def test_an_absence_that_proves_nothing_ends_no_episode(unknown: dict[str, object]) -> None:
    world = Chronicle()
    world.answer(offer())
    for _ in range(20):
        world.answer(**unknown)  # type: ignore[arg-type] # one of the keywords of `answer`
    world.answer(offer())
    assert len(world.alerts) == 1


def test_one_absence_between_two_presences_never_ends_the_episode() -> None:
    world = Chronicle()
    for _ in range(12):
        world.answer(offer())
        world.answer()
    assert len(world.alerts) == 1


def test_after_two_covering_absences_and_two_minutes_a_return_is_a_new_episode() -> None:
    world = Chronicle()
    world.answer(offer())
    world.answer()
    world.answer()
    assert not world.memory.episodes
    world.answer(offer())
    assert [alert.kind for alert in world.alerts] == ["available", "available"]
    assert len({alert.dedup_key for alert in world.alerts}) == 2


def test_two_absences_within_two_minutes_are_too_few() -> None:
    world = Chronicle(policy=Policy(cooldown_s=0))
    world.answer(offer())
    world.answer(after_s=30)
    world.answer(after_s=30)
    world.answer(offer(), after_s=30)
    assert len(world.alerts) == 1


def test_an_offer_that_became_too_dear_counts_as_missing_and_is_told_again_when_it_is_back() -> None:
    world = Chronicle()
    world.answer(offer(price=350_000))
    world.answer(offer(price=500_000))
    world.answer(offer(price=500_000))
    world.answer(offer(price=500_000))
    assert not world.memory.episodes
    world.answer(offer(price=350_000))
    assert len(world.alerts) == 2


def test_more_offers_inside_an_episode_are_silent() -> None:
    world = Chronicle()
    world.answer(offer(1))
    world.answer(offer(1), offer(2))
    world.answer(offer(1), offer(2), offer(3, price=349_000))
    assert len(world.alerts) == 1


def test_another_card_of_the_same_rule_is_news() -> None:
    world = Chronicle(watch(of=rule("RTX 4090", "RTX 5090")))
    world.answer(offer(1))
    world.answer(offer(1), offer(2, gpu="RTX 5090"))
    assert [alert.best()[1].gpu for alert in world.alerts] == ["RTX 4090", "RTX 5090"]


@pytest.mark.parametrize(
    ("price", "told"),
    [(332_500, True), (332_501, False), (320_000, True), (349_999, False)],
    ids=["five per cent", "just under five per cent", "more", "a trifle"],
)
def test_clearly_better_is_told_inside_an_episode(price: int, told: bool) -> None:
    world = Chronicle()
    world.answer(offer(1, price=350_000))
    alerts = world.answer(offer(1, price=350_000), offer(2, price=price))
    assert [alert.kind for alert in alerts] == (["cheaper"] if told else [])


def test_less_than_a_cent_is_not_worth_a_message() -> None:
    world = Chronicle()
    world.answer(offer(1, price=60_000))
    assert world.answer(offer(1, price=51_000)) == []
    assert [alert.kind for alert in world.answer(offer(1, price=50_000))] == ["cheaper"]


def test_a_slow_slide_is_compared_with_the_price_told_last_and_not_with_the_last_answer() -> None:
    world = Chronicle()
    for price in range(350_000, 299_000, -5_000):
        world.answer(offer(price=price))
    assert [alert.kind for alert in world.alerts] == ["available", "cheaper", "cheaper"]
    assert [alert.parts[0].price_per_gpu() for alert in world.alerts] == [350_000, 330_000, 310_000]


def test_the_same_key_back_within_its_cool_down_is_held_until_it_ends() -> None:
    world = Chronicle(policy=Policy(cooldown_s=3600))
    world.answer(offer())
    told_at = world.at
    for _ in range(2):
        world.answer()
    (held,) = world.answer(offer())
    assert held.not_before == told_at + timedelta(hours=1)
    assert held.reason == "back again, held by the cool-down"


def test_another_key_is_not_held_by_the_cool_down_of_the_first() -> None:
    world = Chronicle(policy=Policy(cooldown_s=3600))
    world.answer(offer(1))
    for _ in range(2):
        world.answer()
    world.answer(offer(1))
    (alert,) = world.answer(offer(1), offer(2))
    assert alert.not_before is None
    assert alert.best()[1].machine == "2"


def test_a_flapping_key_is_held_once_for_each_time_it_was_told() -> None:
    world = Chronicle(policy=Policy(cooldown_s=7200, gone_after_s=0, gone_after_scans=1))
    world.answer(offer())
    for _ in range(5):
        world.answer()
        world.answer(offer())
    assert len({alert.dedup_key for alert in world.alerts}) == 2


def test_the_cool_down_doubles_with_each_return_up_to_an_hour_and_is_forgotten_after_six() -> None:
    world = Chronicle(policy=Policy(cooldown_s=300))
    waits = []
    for _ in range(6):
        world.answer(offer(), after_s=4000)
        world.answer(after_s=300)
        world.answer(after_s=300)
        waits.append(world.memory.told[1, "vast:555:1"].wait_s)
    assert waits == [300, 600, 1200, 2400, 3600, 3600]
    world.answer(offer(), after_s=7 * 3600)
    assert world.memory.told[1, "vast:555:1"].wait_s == 300


def test_two_rules_of_one_chat_share_a_message_and_two_chats_have_one_each() -> None:
    world = Chronicle(watch(1, "111"), watch(2, "111", rule("RTX 4090", ceiling=380_000)), watch(3, "222"))
    alerts = world.answer(offer())
    assert sorted((alert.chat, [part.watch_id for part in alert.parts]) for alert in alerts) == [
        ("111", [1, 2]),
        ("222", [3]),
    ]


def test_a_rule_for_once_is_not_used_up_by_what_its_reply_told() -> None:
    once = watch(of=rule(once=True))
    world = Chronicle(once)
    told = offer(1)
    world.known[told.key] = told
    for episode in episodes_of(once, [told], world.at):
        world.memory.put(episode)
    assert [alert.kind for alert in world.answer(told, offer(2, price=300_000))] == ["cheaper"]


@pytest.mark.parametrize("state", ["paused", "snoozed", "done", "ended"])
def test_a_watch_that_is_not_active_is_silent(state: str) -> None:
    quiet = replace(watch(), state=state)  # type: ignore[arg-type] # the states of a watch
    assert Chronicle(quiet).answer(offer()) == []


def test_a_cut_answer_still_tells_what_it_shows() -> None:
    assert len(Chronicle().answer(offer(), complete=False)) == 1


def test_the_memory_forgets_an_episode_with_all_its_keys() -> None:
    world = Chronicle()
    world.answer(offer(1), offer(2))
    world.answer()
    world.answer()
    assert world.memory == Memory(told=world.memory.told)


def test_a_key_gone_for_good_leaves_a_long_episode() -> None:
    world = Chronicle()
    world.answer(offer(1), offer(2))
    for _ in range(3):
        world.answer(offer(2))
    (episode,) = world.memory.episodes.values()
    assert set(episode.members) == {"vast:2:1"}


def test_the_prices_of_a_rule_with_a_disk_include_it() -> None:
    with_disk: Watch = watch(of=rule(disk_gb=100, ceiling=400_000))
    (alert,) = Chronicle(with_disk).answer(offer(price=350_000))
    assert alert.parts[0].price_per_gpu() == 350_000 + round(92 * 150_000 / 720)


def test_times_of_an_alert_are_those_of_the_answer() -> None:
    (alert,) = Chronicle().answer(offer(), after_s=60)
    assert alert.seen_at == START + timedelta(seconds=60)


def test_a_clock_set_back_neither_mutes_a_key_nor_keeps_a_gone_one() -> None:
    world = Chronicle(policy=Policy(cooldown_s=300))
    world.answer(offer())
    world.answer()
    world.at -= timedelta(hours=2)
    world.answer()
    world.answer(after_s=150)
    assert not world.memory.episodes
    (alert,) = world.answer(offer(), after_s=30)
    assert alert.not_before is None


def test_two_cards_of_one_rule_that_became_cheaper_are_one_part_of_one_message() -> None:
    world = Chronicle(watch(of=rule("RTX 4090", "RTX 5090")))
    world.answer(offer(1), offer(2, gpu="RTX 5090"))
    (alert,) = world.answer(offer(1, price=300_000), offer(2, price=310_000, gpu="RTX 5090"))
    assert (alert.kind, len(alert.parts), alert.parts[0].count) == ("cheaper", 1, 2)


def test_what_was_closed_unsent_can_be_told_again_in_the_same_episode() -> None:
    world = Chronicle()
    (first,) = world.answer(offer(1))
    (episode,) = world.memory.episodes.values()
    world.memory.put(episode._replace(told_price=None))
    world.memory.told.clear()
    (second,) = world.answer(offer(1, price=340_000))
    assert first.dedup_key != second.dedup_key

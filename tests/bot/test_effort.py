"""What a rule costs, worked out from what is stored: rules, offers, and full pictures that were taken."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.effort import efforts
from market.effort import Effort
from scanners.markets.vast import Settings as VastSettings
from storage.watches import FileRule
from tests.bot.commands.parlour import Parlour, parlour, vast

ONE_QUESTION_S = 7.0
"""Seconds between two askings of a single question, the turns of others included."""


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Parlour]:
    async with parlour(tmp_path) as found:
        yield found


def cost(room: Parlour, rule: str, *, chat: str = "terminal") -> dict[str, Effort]:
    """The cost of a new rule."""
    text = room.product.rules.write(room.product.rules.read(rule))
    return efforts(room.product, room.product.watches.add(chat=chat, text=text, now=room.clock.now()))


async def test_only_markets_that_are_asked_for_the_rule_are_told(room: Parlour) -> None:
    assert cost(room, "4090 <=0.40").keys() == {"vast", "runpod"}
    assert cost(room, "4090 <=0.40 vast").keys() == {"vast"}


async def test_of_a_card_that_was_never_looked_at_the_rows_are_unknown(room: Parlour) -> None:
    found = cost(room, "4090 <=0.40 vast")["vast"]
    assert found.asked_every_s == pytest.approx(ONE_QUESTION_S, abs=1)
    assert (found.rows_per_day, found.charged) == (None, True)


async def test_a_full_picture_that_showed_nothing_makes_them_known(room: Parlour) -> None:
    await room.answered()
    assert cost(room, "4090 <=0.40 vast")["vast"].rows_per_day == 0


async def test_an_old_picture_that_showed_nothing_tells_nothing(room: Parlour) -> None:
    await room.answered()
    room.clock.pass_time(2 * 3600)
    assert cost(room, "4090 <=0.40 vast")["vast"].rows_per_day is None


async def test_stored_offers_of_a_card_are_the_rows_of_its_full_pictures(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.90) for each in range(50)])
    assert cost(room, "4090 <=0.40 vast")["vast"].rows_per_day == 2_400


async def test_a_second_rule_on_a_card_pays_for_its_own_matches_only(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.90) for each in range(50)], vast(77, 0.45), vast(78, 0.35))
    cost(room, "4090 <=0.40 vast")
    assert cost(room, "4090 <=0.40 vast name:again", chat="7")["vast"].rows_per_day == 0
    assert cost(room, "4090 <=0.50 vast")["vast"].rows_per_day == 1_400


async def test_a_rule_that_asks_for_every_size_comes_round_more_slowly(room: Parlour) -> None:
    assert cost(room, "4090 <=0.40 x1+ vast")["vast"].asked_every_s > 30


async def test_a_paused_rule_takes_no_turns_and_records_no_card(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.90) for each in range(50)])
    paused = room.product.watches.add(chat="terminal", text="RTX 4090 <=0.40 x2", now=room.clock.now())
    room.product.watches.pause(paused.id)
    found = cost(room, "4090 <=0.40 vast")["vast"]
    assert found.asked_every_s == pytest.approx(ONE_QUESTION_S, abs=1)
    assert found.rows_per_day == 2_400


async def test_an_edited_rule_is_not_counted_beside_its_old_self(room: Parlour) -> None:
    watch = room.product.watches.add(chat="terminal", text="RTX 4090 <=0.40 x4 vast", now=room.clock.now())
    after = room.product.watches.edit(watch.id, text="RTX 4090 <=0.40 vast", now=room.clock.now())
    assert after is not None
    assert efforts(room.product, after)["vast"].asked_every_s == pytest.approx(ONE_QUESTION_S, abs=1)


async def test_a_card_that_is_recorded_anyway_costs_no_further_pictures(tmp_path: Path) -> None:
    history: Any = {"cards": ["RTX 4090"]}
    async with parlour(tmp_path, history=history) as room:
        await room.answered(*[vast(each, 0.90) for each in range(50)])
        assert cost(room, "4090 <=0.40 vast")["vast"].rows_per_day == 0


async def test_more_known_machines_than_can_be_kept_out_strain_the_rows(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.30) for each in range(1_100)])
    strains = cost(room, "4090 <=0.40 vast")["vast"].strains
    assert "rest" in [each.what for each in strains]


async def test_a_small_quota_strains_the_full_pictures(tmp_path: Path) -> None:
    marketplaces: Any = {"vast": VastSettings(rows_per_day=1_000).model_dump()}
    async with parlour(tmp_path, marketplaces=marketplaces) as room:
        await room.answered(*[vast(each, 0.90) for each in range(50)])
        (strain,) = cost(room, "4090 <=0.40 vast")["vast"].strains
    assert (strain.what, strain.limit) == ("pictures", "rows")


async def test_a_thousand_rules_that_ask_the_same_cost_one_more_nothing(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.30 + each / 1000) for each in range(50)])
    rules = [
        FileRule(name=f"n{each}", chat="terminal", text=f"RTX 4090 <=0.{30 + each % 5} vast") for each in range(1_000)
    ]
    room.product.watches.sync_file(rules, room.clock.now())
    found = cost(room, "4090 <=0.33 vast")["vast"]
    assert found.asked_every_s == pytest.approx(ONE_QUESTION_S, abs=1)
    assert (found.rows_per_day, found.strains) == (0, ())

"""What people were told of is looked at again, and its message says when it went or grew too dear: once, silently."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from scanners.simulator.faults import Refuse
from scanners.simulator.journal import Entry
from tests.end_to_end.house import SEARCH
from tests.end_to_end.telegram.home import Home, HomeLife, alerts_in
from tests.fakes.botapi import Drop, Message, refusals

RULE = "RTX 4090 <=0.40 vast"


async def told(home: Home, life: HomeLife, **machine: Any) -> tuple[int, Message]:
    """A machine on offer and the message that tells of it."""
    await life.asks(home.owner, f"/watch {RULE}")
    await life.passes(minutes=1)
    number = home.market.vast.add_machine(**machine)
    await life.passes(minutes=1)
    return number, alerts_in(home.owner.chat)[-1]


def looks(home: Home, machine: int) -> list[Entry]:
    """The questions for this machine."""
    return [entry for entry in home.asked("vast") if machine in (entry.body or {}).get("machine_id", {}).get("in", ())]


def gaps(times: list[float], from_s: float = 0.0, until_s: float = float("inf")) -> list[float]:
    """Seconds between moments of a stretch of time."""
    found = [after - before for before, after in pairwise(times) if before >= from_s and after <= until_s]
    assert found
    return found


async def test_a_message_whose_offer_has_gone_says_after_how_long_without_a_sound(home: Home) -> None:
    async with home.running("vast") as life:
        machine, message = await told(home, life)
        await life.passes(minutes=6)
        assert message.edits == 0
        home.market.vast.remove_machine(machine)
        await life.passes(minutes=10)
        sounds = home.owner.chat.sounds
        await life.passes(minutes=30)
    assert message.edits == 1
    assert message.text.startswith("⚪ Gone after 7 min")
    assert home.owner.chat.sounds == sounds == 2  # the reply and the alert
    assert len(alerts_in(home.owner.chat)) == 1


async def test_a_message_whose_offer_became_dearer_than_its_rule_says_the_price(home: Home) -> None:
    async with home.running("vast") as life:
        machine, message = await told(home, life)
        home.market.vast.set_price(machine, 0.38)
        await life.passes(minutes=10)
        assert message.edits == 0  # dearer, but still what was asked for
        home.market.vast.set_price(machine, 0.60)
        await life.passes(minutes=10)
    assert message.edits == 1
    assert "rose to US$ 0.60" in message.text


async def test_a_message_of_several_offers_waits_for_the_last_of_them(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        first, second = home.market.vast.add_machine(price=0.30), home.market.vast.add_machine(price=0.31)
        await life.passes(minutes=1)
        (message,) = alerts_in(home.owner.chat)
        home.market.vast.remove_machine(first)
        await life.passes(minutes=10)
        assert message.edits == 0
        home.market.vast.set_price(second, 0.60)
        await life.passes(minutes=10)
    assert message.edits == 1
    assert "gone after" in message.text
    assert "rose to" in message.text


async def test_what_the_rule_no_longer_shows_is_asked_for_without_a_ceiling_closely_at_first_and_then_rarely(
    home: Home,
) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        home.market.vast.add_machine(price=0.31)  # it stays, and with it the message is not settled
        machine = home.market.vast.add_machine(price=0.30)
        await life.passes(minutes=1)
        home.market.vast.set_price(machine, 0.60)
        await life.passes(minutes=60)
    asked = [entry.body for entry in looks(home, machine)]
    assert asked
    assert not [key for body in asked for key in body if key.startswith(("dph", "reliability"))]
    assert all("num_gpus" in body for body in asked)
    begun = looks(home, machine)[0].at
    named = [(entry.at - begun).total_seconds() for entry in looks(home, machine)]
    assert max(gaps(named, until_s=13 * 60)) <= 60 + 15
    assert min(gaps(named, from_s=16 * 60)) >= 285
    shown = [
        (entry.at - begun).total_seconds() for entry in home.asked("vast") if "dph_total" not in (entry.body or {})
    ]
    assert max(gaps(shown, from_s=16 * 60)) <= 300 + 15


async def test_looking_again_never_takes_two_turns_of_a_rule(home: Home) -> None:
    async with home.running("vast") as life:
        for _ in range(9):
            home.market.vast.add_machine("RTX 3090", price=0.30)
        await life.asks(home.owner, "/watch RTX 3090 <=0.40 vast")
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=10)
    probes = [entry.at for entry in home.asked("vast") if "in" not in (entry.body or {}).get("machine_id", {})]
    assert max((after - before).total_seconds() for before, after in pairwise(probes)) <= 2 * 15 + 1


async def test_a_new_number_of_the_same_offer_is_not_its_end(home: Home) -> None:
    async with home.running("vast") as life:
        machine, message = await told(home, life)
        for _ in range(5):
            home.market.vast.rent(machine)
            home.market.vast.release(machine)
            await life.passes(minutes=2)
    assert message.edits == 0


async def test_a_market_that_fails_has_not_taken_anything_away(home: Home) -> None:
    async with home.running("vast") as life:
        _, message = await told(home, life)
        home.server.faults.add(Refuse(500, "oops"), times=1000, path=SEARCH)
        await life.passes(minutes=30)
    assert message.edits == 0


async def test_after_a_restart_it_is_still_known_what_was_told(home: Home) -> None:
    async with home.running("vast") as life:
        machine, message = await told(home, life)
    home.market.vast.remove_machine(machine)
    async with home.running("vast") as life:
        await life.passes(minutes=10)
    assert message.edits == 1
    assert "Gone after" in message.text


async def test_an_edit_that_meets_an_outage_is_made_up_for(home: Home) -> None:
    async with home.running("vast") as life:
        machine, message = await told(home, life)
        home.api.inject("editMessageText", Drop(), times=5)
        home.market.vast.remove_machine(machine)
        await life.passes(minutes=10)
    assert message.edits == 1


@pytest.mark.parametrize("refusal", [refusals.nothing_to_edit(), refusals.bad_request("message can't be edited")])
async def test_a_message_that_cannot_be_edited_is_left_alone_after_one_attempt(home: Home, refusal: Any) -> None:
    async with home.running("vast") as life:
        machine, _ = await told(home, life)
        home.api.inject("editMessageText", refusal, times=None)
        home.market.vast.remove_machine(machine)
        await life.passes(minutes=20)
    assert len(home.api.calls("editMessageText")) == 1


async def test_who_deleted_the_rule_is_not_bothered_with_the_end_of_its_offers(home: Home) -> None:
    async with home.running("vast") as life:
        machine, message = await told(home, life)
        await home.ask("watch", "remove", "1", "--json")
        home.market.vast.remove_machine(machine)
        await life.passes(minutes=10)
    assert message.edits <= 1
    assert len(alerts_in(home.owner.chat)) == 1

"""Telegram away, refusing or in two hands: scanning goes on, nothing is lost, nothing is told twice or too late."""

from __future__ import annotations

import logging
from itertools import pairwise

import pytest

from scanners.simulator.faults import Refuse
from tests.end_to_end.house import SEARCH
from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import OWNER, SECOND, Home, alerts_in
from tests.fakes.botapi import Drop, refusals

RULE = "RTX 4090 <=0.40 vast"


def gaps(home: Home) -> list[float]:
    """Seconds between questions to Vast.ai."""
    return [(after.at - before.at).total_seconds() for before, after in pairwise(home.asked("vast"))]


async def test_an_alert_that_meets_an_outage_comes_once_when_telegram_is_back(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        await home.api.stop()
        home.market.vast.add_machine()
        await life.passes(seconds=90)
        assert [alert["state"] for alert in await home.log()] == ["queued"]
        await home.api.start()
        await life.passes(minutes=5)
    (message,) = alerts_in(home.owner.chat)
    assert "seen 0 s ago" not in message.text
    assert [alert["state"] for alert in await home.log()] == ["sent"]


async def test_what_has_gone_during_an_outage_is_not_told_as_if_it_were_there(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        await home.api.stop()
        machine = home.market.vast.add_machine()
        await life.passes(seconds=30)
        home.market.vast.remove_machine(machine)
        await life.passes(seconds=60)
        await home.api.start()
        await life.passes(minutes=5)
        assert alerts_in(home.owner.chat) == []
        (alert,) = await home.log()
        assert (alert["state"], alert["sent_at"]) == ("expired", None)
        assert alert["reason"]
        home.market.vast.add_machine()  # what was never told mutes nothing
        await life.passes(minutes=1)
    assert len(alerts_in(home.owner.chat)) == 1


async def test_telegram_away_at_the_start_and_for_long_in_the_middle_loses_nothing(build_home: BuildHome) -> None:
    home = await build_home(extra=f'[[watches]]\nname = "a"\nrule = "{RULE}"\nchat = {OWNER}\n')
    await home.api.stop()
    home.market.vast.add_machine("RTX 4090")
    async with home.running("vast") as life:
        assert "Telegram does not answer yet; it is tried again" in home.terminal.getvalue()
        await life.passes(minutes=2)
        assert len(await home.offers()) == 1
        await home.api.start()
        await life.passes(minutes=1)
        assert len(alerts_in(home.owner.chat)) == 1
        assert "watches Vast.ai" in (await life.asks(home.owner, "/start")).text

        await life.asks(home.owner, "/watch RTX 3090 <=0.40 vast")
        await life.passes(minutes=1)
        await home.api.stop()
        home.market.vast.add_machine("RTX 3090")
        home.owner.tells("/status")
        await life.passes(minutes=10)
        await home.api.start()
        await life.passes(minutes=1)
        await life.heard()
        assert len(alerts_in(home.owner.chat)) == 2
        assert len(home.owner.chat.from_bot) == 5  # the alerts, /start, /watch, and what was asked meanwhile
    assert max(gaps(home)) <= 60
    assert {alert["state"] for alert in await home.log()} == {"sent"}


async def test_a_flood_limit_is_waited_out_and_delays_neither_another_chat_nor_the_scans(build_home: BuildHome) -> None:
    rules = "".join(f'[[watches]]\nname = "{chat}"\nrule = "{RULE}"\nchat = {chat}\n' for chat in (OWNER, SECOND))
    home = await build_home(extra=rules, users=(SECOND,))
    other = home.person(SECOND)
    async with home.running("vast") as life:
        await life.passes(minutes=1)
        home.api.inject("sendMessage", refusals.too_many_requests(34), chat_id=OWNER)
        began = home.clock.now().timestamp()
        home.market.vast.add_machine()
        await life.passes(minutes=3)
    (mine,), (theirs,) = alerts_in(home.owner.chat), alerts_in(other.chat)
    assert mine.at - theirs.at >= 34
    assert theirs.at - began <= 16
    assert max(gaps(home)) <= 16


async def test_a_long_flood_limit_survives_a_restart_and_ends_with_fresh_figures(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        home.api.inject("sendMessage", refusals.too_many_requests(1128), chat_id=OWNER)
        machine = home.market.vast.add_machine(price=0.35)
        await life.passes(minutes=2)
        limited_at = home.api.calls("sendMessage")[-1].at
    home.market.vast.set_price(machine, 0.345)
    async with home.running("vast") as life:
        await life.passes(minutes=25)
    (message,) = alerts_in(home.owner.chat)
    assert message.at - limited_at >= 1128
    assert "US$ 0.3467" in message.text  # with 8 GB of disk
    assert len(home.api.calls("sendMessage")) == 3  # the reply, the refused one, the alert


@pytest.mark.parametrize("problem", ["message is too long", "BUTTON_DATA_INVALID"])
async def test_what_telegram_will_never_take_is_tried_once_and_the_next_alert_goes(
    home: Home, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch any <=0.50 vast")
        await life.passes(minutes=1)
        home.api.inject("sendMessage", refusals.bad_request(problem))
        home.market.vast.add_machine("RTX 4090")
        await life.passes(minutes=5)
        assert alerts_in(home.owner.chat) == []
        home.market.vast.add_machine("RTX 3090")
        await life.passes(minutes=5)
    assert len(alerts_in(home.owner.chat)) == 1
    assert len(home.api.calls("sendMessage")) == 3
    assert [alert["state"] for alert in await home.log()] == ["failed", "sent"]
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1


async def test_another_reader_of_the_same_bot_is_a_line_and_neither_stops_nor_doubles_anything(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        home.api.inject("getUpdates", refusals.conflict(), times=None)
        home.owner.tells("/status")  # ends the poll that is under way
        await life.passes(seconds=30)
        home.market.vast.add_machine()
        await life.passes(minutes=5)
        assert len(alerts_in(home.owner.chat)) == 1
        said = [record for record in caplog.records if "another program" in record.getMessage()]
        assert 1 <= len(said) <= 6
        home.api.heal()
        await life.passes(minutes=1)
        assert "Vast.ai" in (await life.asks(home.owner, "/status")).text
    assert max(gaps(home)) <= 16


async def test_starting_again_and_again_announces_nothing(home: Home) -> None:
    home.market.vast.add_machine()
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
    for _ in range(8):
        async with home.running("vast") as life:
            await life.passes(seconds=15)
    assert len(home.owner.chat.from_bot) == 2  # the reply and the one alert


async def test_a_revoked_token_ends_the_sending_and_not_the_scanning_and_a_supervisor_is_told(home: Home) -> None:
    async with home.running() as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        assert (await home.ask("health", "--json")).code == 0
        home.api.revoke_token()
        asked = len(home.api.calls())
        home.market.vast.add_machine()
        await life.passes(minutes=10)
        health = await home.ask("health", "--json")
        assert len(await home.offers()) == 1
    assert len(home.api.calls()) - asked <= 2
    assert health.code == 1
    assert "token" in health.json["problems"][0]
    assert home.api.token not in health.out
    assert max(gaps(home)) <= 60


async def test_with_a_new_token_what_waited_goes_out_and_all_is_well(home: Home) -> None:
    async with home.running() as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        home.api.inject("*", refusals.unauthorized(), times=None)
        home.market.vast.add_machine()
        await life.passes(minutes=1)
    home.api.heal()
    home.clock.move(minutes=20)  # by now it needs a fresh answer, and it waits for one
    async with home.running() as life:
        await life.passes(minutes=2)
        assert (await home.ask("health", "--json")).json == {"healthy": True, "problems": []}
    assert len(alerts_in(home.owner.chat)) == 1


async def test_an_alert_that_is_tried_again_still_tells_its_own_news(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch any <=1 vast")
        await life.passes(minutes=1)
        for price in (0.20, 0.21, 0.22):
            home.market.vast.add_machine("RTX 3090", price=price)
        await life.passes(minutes=1)
        home.api.inject("sendMessage", refusals.server_error(500))
        home.market.vast.add_machine("RTX 4090", price=0.90)
        await life.passes(minutes=1)
    _, message = alerts_in(home.owner.chat)
    assert message.text.startswith("🟢 Available: 1× RTX 4090")


@pytest.mark.parametrize("still_there", [True, False])
async def test_an_alert_that_a_long_break_has_aged_waits_for_a_fresh_answer(home: Home, still_there: bool) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        await home.api.stop()
        machine = home.market.vast.add_machine()
        await life.passes(minutes=1)
    home.clock.move(hours=8)
    await home.api.start()
    if not still_there:
        home.market.vast.remove_machine(machine)
    async with home.running("vast") as life:
        await life.passes(minutes=5)
    assert len(alerts_in(home.owner.chat)) == still_there
    assert [alert["state"] for alert in await home.log()] == ["sent" if still_there else "expired"]


async def test_an_aged_alert_of_a_market_that_fails_holds_up_no_other_and_ends(home: Home) -> None:
    async with home.running() as life:
        await life.asks(home.owner, "/watch RTX 4090 <=1 vast")
        await life.asks(home.owner, "/watch RTX 4090 <=1 runpod")
        await life.passes(minutes=1)
        await home.api.stop()
        home.market.vast.add_machine()
        await life.passes(minutes=1)
    home.clock.move(hours=8)
    await home.api.start()
    home.server.faults.add(Refuse(500, "oops"), times=1000, path=SEARCH)
    async with home.running() as life:
        await life.passes(minutes=2)
        home.market.runpod.set_stock("NVIDIA GeForce RTX 4090", "secure", "HIGH", 1)
        await life.passes(minutes=1)
        assert [alert["state"] for alert in await home.log()] == ["held", "sent"]
        await life.passes(minutes=20)
    assert [alert["state"] for alert in await home.log()] == ["expired", "sent"]
    assert len(alerts_in(home.owner.chat)) == 1


async def test_an_alert_whose_answer_was_lost_comes_at_most_twice(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, f"/watch {RULE}")
        await life.passes(minutes=1)
        home.api.inject("sendMessage", Drop(), when="after")
        home.market.vast.add_machine()
        await life.passes(minutes=5)
    assert 1 <= len(alerts_in(home.owner.chat)) <= 2
    assert [alert["state"] for alert in await home.log()] == ["sent"]

"""The story that the product is for: a rule is written in the chat, the card appears, one message comes."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import OWNER, STRANGER, Home, alerts_in, number_of


def delay_s(alert: dict[str, str]) -> float:
    """Seconds from the answer that showed it to the message."""
    sent, seen = (datetime.fromisoformat(alert[name]) for name in ("sent_at", "seen_at"))
    return (sent - seen).total_seconds()


async def test_the_card_appears_and_one_alert_comes_to_who_asked_and_to_nobody_else(home: Home) -> None:
    stranger = home.person(STRANGER, "Eve")
    async with home.running("vast") as life:
        reply = await life.asks(home.owner, "/watch RTX 4090 <=0.40")
        assert "RTX 4090 <=0.40" in reply.text
        await life.passes(minutes=2)
        assert home.owner.chat.pending() == []
        home.market.vast.add_machine(price=0.35)
        await life.passes(minutes=2)
        (message,) = alerts_in(home.owner.chat)
        assert message.sounded
        assert message.text.startswith("🟢 Available: 1× RTX 4090")
        assert "US$ 0.35" in message.text
        await life.passes(minutes=10)
        await life.heard()
    assert len(alerts_in(home.owner.chat)) == 1
    assert stranger.chat.messages == []
    (alert,) = await home.log()
    assert (alert["chat"], alert["state"]) == (str(OWNER), "sent")
    assert 0 <= delay_s(alert) < 1


async def test_sixty_matches_of_a_new_rule_are_one_message_that_counts_them(home: Home) -> None:
    for number in range(60):
        home.market.vast.add_machine(price=0.30 + number / 1000)
    async with home.running("vast") as life:
        reply = await life.asks(home.owner, "/watch RTX 4090 <=0.40")
        assert "0.30" not in reply.text
        await life.passes(minutes=5)
        (message,) = alerts_in(home.owner.chat)
        shown = message.text.count("1× RTX 4090, 24 GB")
        assert f"and {60 - shown} more offers" in message.text
        assert "US$ 0.30" in message.text
        again = await life.asks(home.owner, "/now 4090 <=0.40")
        assert "60" in again.text
        home.market.vast.add_machine(price=0.31)
        await life.passes(minutes=5)
    assert len(alerts_in(home.owner.chat)) == 1


@pytest.mark.parametrize("ceiling", ["R$ 2,00", "2 EUR", "€2", "nan", "inf", "1e999", "-inf", "-1", "0"])
async def test_a_ceiling_that_is_no_price_in_dollars_is_refused_and_nothing_is_watched(
    home: Home, ceiling: str
) -> None:
    async with home.running("vast") as life:
        reply = await life.asks(home.owner, f"/watch RTX 4090 <={ceiling}")
        assert "Watching" not in reply.text
        assert "none" not in reply.text.lower().split()
    assert (await home.ask("watch", "list", "--json")).json == {"watches": []}


async def test_every_price_that_goes_out_names_its_currency_and_has_no_noise(home: Home) -> None:
    ana = home.person(222, "Bia", language="pt-br")
    home.config.write_text(home.config.read_text("utf-8").replace("allowed_users = []", "allowed_users = [222]"))
    home.market.vast.add_machine(price=0.1 + 0.2, gpus=4)
    async with home.running("vast") as life:
        for person, command in ((home.owner, "watch"), (ana, "vigiar")):
            await life.asks(person, f"/{command} RTX 4090 x4 <=0.40")
        await life.passes(minutes=1)
        (english,) = alerts_in(home.owner.chat)
        (portuguese,) = alerts_in(ana.chat)
    # the host asks 0.3 and Vast.ai adds 8 GB of disk to the whole offer
    assert "US$ 0.3" in english.text
    assert "US$ 1.2" in english.text
    assert "US$ 0,3" in portuguese.text
    assert "US$ 1,2" in portuguese.text
    for message in (english, portuguese):
        assert "$" not in message.text.replace("US$ ", "")
        assert not re.search(r"[.,]\d{7}", message.text)


async def test_odd_updates_make_no_second_rule_and_raise_nothing(
    build_home: BuildHome, caplog: pytest.LogCaptureFixture
) -> None:
    home = await build_home()
    channel = home.api.channel(-1007)
    async with home.running("vast") as life:
        said = home.owner.tells("/watch 4090 0.4")
        await home.owner.chat.next_message(10)
        home.owner.edits(said, "/watch 4090 0.5")
        channel.posts("/watch 4090 0.6")
        home.owner.tells("/watch@OtherBot 4090 0.7")
        await life.heard()
        assert home.owner.chat.pending() == []
        assert "RTX 3090 <=0.30" in (await life.asks(home.owner, "/WATCH 3090 0.30")).text
        example = await life.asks(home.owner, "/watch")
        assert "/watch RTX 4090 <=0.40" in example.text
        home.owner.shows(home.owner.chat, b"jpeg", "/watch L4 0.2")
        assert "L4 <=0.20" in (await home.owner.chat.next_message(10)).text
    watches = (await home.ask("watch", "list", "--json")).json["watches"]
    assert [watch["rule"] for watch in watches] == ["RTX 4090 <=0.40", "RTX 3090 <=0.30", "L4 <=0.20"]
    assert not [record for record in caplog.records if record.exc_info]


async def test_an_alert_has_a_number_that_the_log_knows(home: Home) -> None:
    home.market.vast.add_machine()
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch RTX 4090 <=0.40")
        await life.passes(minutes=1)
        (message,) = alerts_in(home.owner.chat)
    (alert,) = await home.log()
    assert number_of(message) == alert["id"]

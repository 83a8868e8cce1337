"""What hosts and people write arrives as they wrote it, in one attempt, and buttons outlive everything."""

from __future__ import annotations

import pytest

from tests.end_to_end.telegram.home import Home, alerts_in
from tests.fakes.botapi import refusals

HOSTILE = ["São Paulo, BR (rack_#1) [x]!", "US_East", "<b>&amp; \\*_`~|{a}.b-c=d>g+h", "a.b-c=d|{e}~f>g+h"]


@pytest.mark.parametrize("place", HOSTILE)
async def test_a_place_is_shown_as_the_host_wrote_it(home: Home, place: str) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, '/watch RTX_4090 <=0.40 name:"treino_lora *[x"')
        home.market.vast.add_machine(place=place)
        await life.passes(minutes=1)
    (message,) = alerts_in(home.owner.chat)
    assert place in message.text
    assert "treino_lora *[x" in message.text
    assert len(home.api.calls("sendMessage")) == 2  # the reply and the alert, each at the first attempt


async def test_markup_that_telegram_refuses_all_the_same_goes_once_as_plain_text(home: Home) -> None:
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch RTX_4090 <=0.40 name:treino_lora")
        home.market.vast.add_machine(place="US_East")
        home.api.inject("sendMessage", refusals.unparsable("Can't find end of the entity"))
        await life.passes(minutes=1)
    (message,) = alerts_in(home.owner.chat)
    assert "treino_lora" in message.text
    assert "<b>" not in message.text
    first, second = home.api.calls("sendMessage")[1:]
    assert "parse_mode" in first.params
    assert "parse_mode" not in second.params


async def test_the_buttons_of_the_longest_card_name_still_work_after_a_restart(home: Home) -> None:
    card = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"
    home.market.vast.add_machine(card, price=0.90, gpu_ram=97_887)
    async with home.running("vast") as life:
        await life.asks(home.owner, "/watch any <=1 vast name:açaí-de-domingo-à-tarde-com-granola")
        await life.passes(minutes=1)
        (message,) = alerts_in(home.owner.chat)
        assert all(len(button.data.encode()) <= 64 for button in message.keyboard.buttons() if button.data)
    async with home.running("vast") as life:
        toast = await home.owner.taps(message, "Pause").answered(10)
        assert toast.text
        await home.owner.taps(message, "History").answered(10)
        await life.heard()
        assert "Max-Q" in home.owner.chat.from_bot[-1].text
        home.market.vast.add_machine("RTX 4090")
        await life.passes(minutes=5)
    assert alerts_in(home.owner.chat) == [message]
    assert (await home.ask("watch", "list", "--json")).json["watches"][0]["state"] == "paused"

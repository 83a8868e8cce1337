"""One card, many spellings; many cards, nearly one spelling."""

from __future__ import annotations

import logging

import pytest

from tests.end_to_end.house import House

RTX_4090 = "NVIDIA GeForce RTX 4090"


async def test_six_spellings_are_one_card_on_both_markets(house: House) -> None:
    spellings = ("4090", "rtx4090", "RTX_4090", "rtx 4090", RTX_4090, " RTX  4090 ")
    for number, spelling in enumerate(spellings):
        said = await house.ask("watch", "add", f"{spelling} <=0.40 any tier", "--chat", str(number + 1))
        assert "RTX 4090 <=0.4" in said.out, said.err
    assert len({watch["rule"] for watch in (await house.ask("watch", "list", "--json")).json["watches"]}) == 1
    house.market.vast.add_machine()
    house.market.runpod.set_stock(RTX_4090, "community", "HIGH", 1)
    async with house.running() as life:
        await life.passes(minutes=2)
    named = [entry.body["gpu_name"] for entry in house.asked("vast") if "gpu_name" in entry.body]
    assert named
    assert all(name == {"eq": "RTX 4090"} for name in named)
    told = {(alert["chat"], alert["key"]) for alert in await house.log()}
    assert {chat for chat, _ in told} == {str(number + 1) for number in range(len(spellings))}
    both = {"vast:30007:1", f"runpod:{RTX_4090}:community:1"}
    assert {key for _, key in told} <= both
    for spelling in spellings:
        assert {offer["key"] for offer in await house.offers(f"{spelling} <=0.40 any tier")} == both


@pytest.mark.parametrize(
    ("watched", "offered"),
    [
        ("4090", "RTX 4090 D"),
        ("4090", "RTX 4090D"),
        ("4090", "RTX 4090 Laptop GPU"),
        ("3080", "RTX 3080 Ti"),
        ("L4", "L40S"),
        ("L4", "L40"),
        ("A10", "A100 PCIE"),
        ("A100", "RTX A1000"),
        ("4070", "RTX 4070S Ti"),
        ("A4000", "RTX 4000Ada"),
    ],
)
async def test_a_card_whose_name_holds_the_wanted_one_is_another_card(house: House, watched: str, offered: str) -> None:
    # the market answers with it all the same, as one that matches names loosely would
    house.market.vast.add_machine(watched_spelling(watched), price=0.1, raw={"gpu_name": offered})
    await house.watch(f"{watched} <=5 vast")
    async with house.running("vast") as life:
        await life.passes(seconds=40)
    assert house.asked("vast")
    assert house.alerts() == []


def watched_spelling(typed: str) -> str:
    """Vast.ai's spelling of a card that a person typed."""
    return {"4090": "RTX 4090", "3080": "RTX 3080", "A100": "A100 SXM4", "4070": "RTX 4070", "A4000": "RTX A4000"}.get(
        typed, typed
    )


async def test_a_market_may_call_a_card_by_its_maker(house: House) -> None:
    house.market.vast.add_machine("Tesla V100", gpu_ram=32768, price=0.1)
    await house.watch("V100 <=5")
    async with house.running("vast") as life:
        await life.passes(minutes=2)
    assert "1× Tesla V100" in house.alerts()[0] or "1× V100" in house.alerts()[0]


async def test_an_ambiguous_name_is_refused_with_every_card_it_may_mean(house: House) -> None:
    said = await house.ask("watch", "add", "6000 <=2")
    assert said.code == 2
    for card in ("Quadro RTX 6000", "RTX A6000", "RTX 6000 Ada", "RTX PRO 6000 WS"):
        assert card.removeprefix("Quadro ") in said.err
    assert "Traceback" not in said.err
    assert (await house.ask("watch", "list", "--json")).json == {"watches": []}


async def test_four_cards_with_6000_in_their_names_keep_their_own_memory_and_history(house: House) -> None:
    cards = {"Q RTX 6000": (24576, 0.2), "RTX A6000": (49140, 0.4), "RTX 6000Ada": (49140, 0.6)}
    cards["RTX PRO 6000 WS"] = (97887, 1.2)
    for spelling, (memory, price) in cards.items():
        house.market.vast.add_machine(spelling, gpu_ram=memory, price=price)
    await house.watch("RTX A6000, RTX 6000 Ada, Quadro RTX 6000, RTX PRO 6000 WS vast")
    async with house.running("vast") as life:
        await life.passes(minutes=4)
    offers = await house.offers()
    assert sorted(offer["vram_gb"] for offer in offers) == [24, 48, 48, 96]
    assert len({offer["gpu"] for offer in offers}) == 4
    for offer in offers:
        prices = {point["best_usd_per_gpu_hour"] for point in (await house.history(offer["gpu"]))["series"]}
        assert offer["usd_per_gpu_hour"] in prices
        assert len(prices - {None}) <= 2  # on demand and interruptible


async def test_a_family_finds_all_its_variants_and_a_variant_only_itself(house: House) -> None:
    for spelling, memory in (("H100 SXM", 81559), ("H100 PCIE", 81559), ("H100 NVL", 95830)):
        house.market.vast.add_machine(spelling, gpu_ram=memory, price=2.0)
    house.market.runpod.set_stock("NVIDIA H100 80GB HBM3", "secure", "HIGH", 1)
    await house.watch("H100 <=4", chat="1")
    await house.watch("H100 NVL <=4", chat="2")
    async with house.running() as life:
        await life.passes(minutes=5)
    found = await house.offers("H100 <=4")
    assert {(offer["market"], offer["gpu"]) for offer in found} == {
        ("vast", "H100 SXM"),
        ("vast", "H100 PCIe"),
        ("vast", "H100 NVL"),
        ("runpod", "H100 SXM"),
    }
    (nvl,) = await house.offers("H100 NVL <=4")
    assert nvl["vram_gb"] == 94
    text = house.terminal.getvalue()
    assert all(variant in text for variant in ("1× H100 SXM", "1× H100 PCIe", "1× H100 NVL"))
    assert {alert["gpu"] for alert in await house.log() if alert["chat"] == "2"} == {"H100 NVL"}


async def test_a_card_nobody_knows_is_stored_listed_and_can_be_watched(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.market.vast.add_machine("C500 SXM9", price=4.10, gpu_ram=65536)
    refused = await house.ask("watch", "add", "C500 SXM9 <=5")
    assert refused.code == 2
    caplog.set_level(logging.INFO)
    scanned = await house.scan("--market", "vast", "--json")
    assert [offer["gpu"] for offer in scanned.json["offers"]] == ["C500 SXM9"]
    assert await house.watch("any <=5", chat="1")
    assert await house.watch("C500 SXM9 <=5", chat="2")
    await house.watch("A100 <=5", chat="3")
    async with house.running("vast") as life:
        await life.passes(minutes=10)
        house.market.vast.add_machine("C600 SXM9", price=4.20, gpu_ram=65536)
        await life.passes(minutes=10)
    assert {alert["chat"] for alert in await house.log()} == {"1", "2"}
    assert {alert["gpu"] for alert in await house.log() if alert["chat"] == "2"} == {"C500 SXM9"}
    lines = [record for record in caplog.records if "not in the catalogue" in record.getMessage()]
    assert len(lines) == 1
    assert "C600 SXM9" in lines[0].getMessage()

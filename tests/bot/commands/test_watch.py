"""/watch: what the reply says, and that what it says counts as told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.conversation import Speaker
from tests.bot.commands.parlour import SECURE, Parlour, parlour, runpod, vast


async def test_the_reply_repeats_the_rule_as_it_was_understood(room: Parlour) -> None:
    text = await room.asks("/watch rtx_4090 max 0,40 x1 rel>=98 name:treino_lora")
    assert "RTX 4090 <=0.40 rel>=98 name:treino_lora" in text
    (watch,) = room.product.watches.list("111")
    assert (watch.text, watch.name, watch.origin) == (
        "RTX 4090 <=0.40 rel>=98 name:treino_lora",
        "treino_lora",
        "chat",
    )


async def test_with_nothing_stored_it_says_so_and_the_first_check_is_one_message(room: Parlour) -> None:
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert "Vast.ai has not been asked for this yet" in text
    (watch,) = room.product.watches.list("111")
    assert watch.passed == frozenset()
    (probe,) = room.product.markets["vast"].probes(watch.rule)
    await room.answered(*[vast(each) for each in range(1, 61)], coverage=probe)
    assert room.alerts() == [("available", "queued", 1)]


async def test_sixty_known_matches_are_one_reply_that_counts_them_and_no_alert_follows(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.30 + each / 1000) for each in range(1, 61)])
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert len(room.said) == 1
    assert "60 offers match now; the best:" in text
    assert "and 57 more offers" in text
    assert text.count("US$ 0.30") == 3
    assert "has not been asked" not in text
    (watch,) = room.product.watches.list("111")
    (probe,) = room.product.markets["vast"].probes(watch.rule)
    room.clock.pass_time(10)
    await room.answered(*[vast(each, 0.30 + each / 1000) for each in range(1, 61)], coverage=probe)
    await room.answered(*[vast(each, 0.30 + each / 1000) for each in range(1, 63)], coverage=probe)
    assert room.alerts() == []


async def test_after_a_reply_that_told_matches_a_clearly_cheaper_one_is_an_alert(room: Parlour) -> None:
    await room.answered(vast(1, 0.38))
    await room.asks("/watch 4090 <=0.40 vast")
    room.clock.pass_time(10)
    await room.answered(vast(1, 0.38), vast(2, 0.30))
    assert [kind for kind, _, _ in room.alerts()] == ["cheaper"]


async def test_known_to_be_absent_the_first_to_appear_is_an_alert(room: Parlour) -> None:
    await room.answered(vast(1, 0.60))
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert "Nothing matches at present" in text
    assert "has not been asked" not in text
    room.clock.pass_time(10)
    await room.answered(vast(1, 0.60), vast(2, 0.35))
    assert [kind for kind, _, _ in room.alerts()] == ["available"]


async def test_a_market_that_is_known_counts_as_told_and_the_other_is_still_to_be_checked(room: Parlour) -> None:
    await room.answered(vast(1, 0.35))
    text = await room.asks("/watch 4090 <=0.80")
    assert "1 offer matches now:" in text
    assert "RunPod has not been asked for this yet" in text
    (watch,) = room.product.watches.list("111")
    assert watch.passed == {"vast"}
    await room.answered(runpod(), coverage=SECURE)
    (watch,) = room.product.watches.list("111")
    assert watch.passed == {"vast", "runpod"}
    assert room.alerts() == []


async def test_old_answers_are_not_told_as_if_they_were_news(room: Parlour) -> None:
    await room.answered(vast(1, 0.35))
    room.clock.pass_time(16 * 60)
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert "has not been asked for this yet" in text
    assert "0.35" not in text
    (watch,) = room.product.watches.list("111")
    (probe,) = room.product.markets["vast"].probes(watch.rule)
    await room.answered(vast(1, 0.35), coverage=probe)
    assert [kind for kind, _, _ in room.alerts()] == ["available"]


@pytest.mark.parametrize("what", ["cut", "failed", "narrower"])
async def test_answers_that_cannot_speak_for_the_rule_prove_no_absence(room: Parlour, what: str) -> None:
    if what == "cut":
        await room.answered(vast(1, 0.90), complete=False)
    elif what == "failed":
        await room.answered(vast(1, 0.90))
        room.clock.pass_time(5)
        await room.failed()
    else:
        narrow = room.product.markets["vast"].probes(room.product.rules.read("4090 <=0.20 vast"))
        await room.answered(coverage=narrow[0])
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert "Vast.ai has not been asked for this yet" in text


async def test_what_a_market_can_never_satisfy_is_named_as_excluded(room: Parlour) -> None:
    text = await room.asks("/watch 4090 down>=500")
    assert "Excluded: RunPod (RunPod publishes no download speed)." in text
    assert "disk" not in text


async def test_the_reply_says_that_runpod_prices_leave_the_disk_out(room: Parlour) -> None:
    assert "RunPod prices do not include disk." in await room.asks("/watch 4090 <=0.80 disk:100")
    assert "do not include disk" not in await room.asks("/watch 4090 <=0.80 disk:100 vast")


@pytest.mark.parametrize("price", ["R$ 2,00", "2 EUR", "<=2 €"])
async def test_other_currencies_are_refused_and_nothing_is_stored(room: Parlour, price: str) -> None:
    text = await room.asks(f"/watch 4090 {price}")
    assert "other currencies are not converted" in text
    assert room.product.watches.list() == ()


@pytest.mark.parametrize("kind", ["drop:10%", "low:30d", "shortage"])
async def test_a_kind_of_rule_that_would_stay_silent_is_refused(room: Parlour, kind: str) -> None:
    text = await room.asks(f"/watch 4090 {kind}")
    assert "not watched by this version yet" in text
    assert room.product.watches.list() == ()


async def test_an_ambiguous_name_is_asked_back_and_the_choice_completes_the_rule(room: Parlour) -> None:
    text = await room.asks("/watch 6000 <=0.80 x2 name:big")
    assert "several cards bear this name" in text
    assert {"RTX 6000 Ada", "RTX A6000", "Quadro RTX 6000", "RTX PRO 6000"} <= set(room.labels())
    assert room.product.watches.list() == ()
    text, _ = await room.presses("RTX A6000")
    assert "RTX A6000 <=0.80 x2 name:big" in text
    assert room.said[-1].edits
    (watch,) = room.product.watches.list("111")
    assert watch.rule.card_names() == frozenset({"RTX A6000"})


async def test_a_choice_pressed_twice_makes_one_rule(room: Parlour) -> None:
    await room.asks("/watch 6000 <=0.80")
    data = room.button("RTX A6000").data or ""
    await room.presses_data(data)
    first = room.said[-1]
    await room.presses_data(data)
    assert room.said[-1] == first, "the second press says what the first one said"
    assert len(room.product.watches.list()) == 1


async def test_a_choice_mends_the_ambiguous_name_and_not_one_that_holds_it(room: Parlour) -> None:
    await room.asks("/watch RTX 6000 Ada, 6000 <=0.80")
    text, _ = await room.presses("RTX A6000")
    assert "RTX 6000 Ada, RTX A6000 <=0.80" in text


async def test_a_misspelt_card_is_refused_with_the_nearest_and_a_button_for_each(room: Parlour) -> None:
    text = await room.asks("/watch RTX 4099 <=0.40")
    assert "I cannot read RTX 4099" in text
    await room.presses("RTX 4090")
    assert [watch.text for watch in room.product.watches.list()] == ["RTX 4090 <=0.40"]


async def test_alone_it_shows_how_a_rule_is_written_with_examples_that_work(room: Parlour) -> None:
    text = await room.asks("/watch")
    examples = [line.removeprefix("/watch ") for line in text.split("\n") if line.startswith("/watch ")]
    assert len(examples) == 3
    for example in examples:
        assert "👁 Watching" in await room.asks(f"/watch {example}")


async def test_the_same_rule_again_is_no_second_rule(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    text = await room.asks("/watch RTX4090 max 0.4")
    assert "This is watched here already, as rule 1." in text
    assert len(room.product.watches.list()) == 1


async def test_the_same_rule_of_another_chat_is_its_own(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40")
    room.product.watches.add(chat="222", text="RTX 3090 <=0.20", now=room.clock.now())
    assert "👁 Watching" in await room.asks("/watch 3090 <=0.20")


async def test_free_text_that_reads_as_a_rule_is_offered_as_one(room: Parlour) -> None:
    text = await room.asks("4090 0,40")
    assert "RTX 4090 <=0.40" in text
    assert room.product.watches.list() == ()
    text, _ = await room.presses("Yes")
    assert "👁 Watching, rule 1:" in text
    assert [watch.text for watch in room.product.watches.list("111")] == ["RTX 4090 <=0.40"]


async def test_free_text_that_is_no_rule_gets_a_hint(room: Parlour) -> None:
    assert "/help lists the commands" in await room.asks("good morning")
    assert "other currencies" in await room.asks("4090 R$ 2")


async def test_a_past_last_day_is_told_by_the_calendar_of_the_chat(room: Parlour) -> None:
    room.clock.pass_time(14 * 3600)  # 02:00 UTC on the 2nd is 23:00 on the 1st in São Paulo
    assert "👁 Watching" in await room.asks("/watch 4090 until:2026-12-01")
    assert "this date has passed" in await room.asks("/watch 4090 until:2026-11-30")


async def test_a_market_that_is_switched_off_is_named(tmp_path: Path) -> None:
    async with parlour(tmp_path, marketplaces={"runpod": {"enabled": False}}) as room:
        text = await room.asks("/watch 4090 <=0.80")
    assert "Excluded: RunPod (switched off here)." in text
    assert "disk" not in text


async def test_the_reply_says_what_the_rule_costs_in_a_line_a_market(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.90) for each in range(1, 51)])
    text = await room.asks("/watch 4090 <=0.40")
    assert "Vast.ai: about 2,400 rows a day, asked every 7 s while scarce." in text
    assert "RunPod: asked every 2 s while scarce." in text


async def test_rows_that_are_not_known_yet_are_said_to_be_unknown(room: Parlour) -> None:
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert "the first full picture will tell what rows it costs" in text


async def test_rows_for_what_matches_are_told_apart(room: Parlour) -> None:
    await room.answered(vast(1, 0.35), *[vast(each, 0.90) for each in range(2, 52)])
    text = await room.asks("/watch 4090 <=0.40 vast")
    assert "about 3,800 rows a day (1,400 to look again at what matches)" in text


async def test_rules_that_are_too_many_are_said_with_a_remedy(tmp_path: Path) -> None:
    marketplaces: Any = {"vast": {"requests_per_minute": 1}}
    async with parlour(tmp_path, marketplaces=marketplaces) as room:
        text = await room.asks("/watch 4090 <=0.40 x1+ vast")
        assert "⚠️ Vast.ai: 5 questions take turns, so that each is asked only every 5 min." in text
        assert "x1 instead of x1+" in text
        assert "marketplaces.vast.requests_per_minute" in text
        text = await room.asks("/edit 1 4090 <=0.40 vast")
        assert "⚠️" not in text
        portuguese = Speaker(chat="112", user="112", language="pt")
        text = await room.asks("/vigiar 4090 <=0.40 x1+ vast", speaker=portuguese)
        assert "5 consultas se revezam, então cada uma só é feita a cada 5 min." in text


async def test_an_edited_rule_says_its_new_cost(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.90) for each in range(1, 51)])
    await room.asks("/watch 4090 <=0.40 x1+ vast")
    text = await room.asks("/edit 1 4090 <=0.40 vast")
    assert "Vast.ai: about 2,400 rows a day, asked every 7 s while scarce." in text

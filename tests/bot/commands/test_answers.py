"""/now, /history, /why, /status and /test: what they say, how old it is, and that they never ask a marketplace."""

from __future__ import annotations

from tests.bot.commands.parlour import SECURE, Parlour, runpod, vast


def prices(text: str) -> list[str]:
    return [line.split(" per GPU-hour")[0] for line in text.split("\n") if line.startswith("US$")]


async def test_now_shows_every_match_once_in_order_over_as_many_pages_as_it_takes(room: Parlour) -> None:
    await room.answered(*[vast(each, 0.2 + each / 1000) for each in range(150)])
    text = await room.asks("/now 4090 <=0.40 vast")
    assert "150 offers match" in text
    assert "Vast.ai answered 0 s ago" in text
    seen = prices(text)
    while any("▶️" in label for label in room.labels()):
        data = next(key.data or "" for row in room.said[-1].keys for key in row if "▶️" in key.label)
        text, _ = await room.presses_data(data)
        assert room.said[-1].edits
        seen += prices(text)
    assert seen == [f"US$ 0.{each}0" for each in range(200, 350)]
    text, _ = await room.presses("◀️")
    assert prices(text)[0] == "US$ 0.3200"


async def test_now_warns_when_the_last_good_answer_is_old(room: Parlour) -> None:
    await room.answered(vast())
    room.clock.pass_time(40 * 60)
    await room.failed()
    text = await room.asks("/now 4090 vast")
    assert "⚠️ Vast.ai last answered 40 min ago: this may be out of date" in text
    assert "seen 40 min ago" in text


async def test_now_says_whether_nothing_matches_or_nothing_is_known(room: Parlour) -> None:
    assert "No marketplace has answered yet" in await room.asks("/now 4090")
    await room.answered(vast(price=0.90))
    assert "Nothing matches at present." in await room.asks("/now 4090 <=0.10 vast")
    assert "1 offer matches" in await room.asks("/now")


async def test_now_takes_a_rule_of_the_chat_by_its_number(room: Parlour) -> None:
    await room.answered(vast(1, 0.35), vast(2, 0.55))
    await room.asks("/watch 4090 <=0.40 vast")
    assert prices(await room.asks("/now #1")) == ["US$ 0.3500"]


async def test_the_offers_that_a_reply_only_counts_are_shown_by_its_button_in_a_message_of_their_own(
    room: Parlour,
) -> None:
    await room.answered(*[vast(each, 0.3 + each / 1000) for each in range(1, 11)])
    await room.asks("/watch 4090 <=0.40 vast")
    text, _ = await room.presses("Show all")
    assert len(prices(text)) == 10
    assert not room.said[-1].edits


async def test_history_tells_now_range_share_samples_gaps_and_age(room: Parlour) -> None:
    for price in (0.50, 0.30, 0.40):
        for _ in range(6):
            await room.answered(vast(1, price), vast(2, price + 0.10))
            room.clock.pass_time(1800)
    for _ in range(6):
        await room.answered()
        room.clock.pass_time(1800)
    text = await room.asks("/history rtx4090")
    assert "RTX 4090, the last 7 d" in text
    assert "On offer 75.0 % of the time that was watched" in text
    assert "none on offer" in text
    assert "cheapest: US$ 0.3000 to US$ 0.5000" in text
    assert "24 answers, one about every 30 min · nothing known for 6 d 12 h in 1 gap" in text
    assert "Vast.ai last answered 30 min ago" in text


async def test_history_now_gives_best_median_and_supply(room: Parlour) -> None:
    await room.answered(vast(1, 0.30), vast(2, 0.40), vast(3, 0.90, count=2))
    await room.answered(runpod(0.69), coverage=SECURE)
    room.clock.pass_time(5)
    text = await room.asks("/history 4090")
    assert "now: US$ 0.3000 per GPU-hour · median US$ 0.4000 · 3 offers · 4 GPUs" in text
    assert "now: US$ 0.6900 per GPU-hour · stock reported low" in text


async def test_history_of_what_was_never_recorded_says_so(room: Parlour) -> None:
    assert "Nothing is recorded of this card" in await room.asks("/history H100")
    await room.asks("/history 4091")
    assert "RTX 4090" in room.labels()
    text, _ = await room.presses("RTX 4090")
    assert "RTX 4090, the last 7 d" in text


async def test_history_without_a_card_offers_those_of_the_rules(room: Parlour) -> None:
    await room.asks("/watch 3090, 4090 <=0.20")
    await room.asks("/history")
    assert room.labels() == ["RTX 3090", "RTX 4090"]
    text, _ = await room.presses("RTX 3090")
    assert "RTX 3090, the last 7 d" in text


async def test_why_names_the_nearest_offers_and_what_each_misses(room: Parlour) -> None:
    await room.answered(
        vast(1, 0.60), vast(2, 0.45), vast(3, 0.39, reliability_ppm=930_000, verified=False), vast(4, 0.95, count=2)
    )
    await room.asks("/watch 4090 <=0.40 vast in:BR")
    text = await room.asks("/why 1")
    nearest = text[text.index("What comes nearest") :]
    assert "→ price US$ 0.4500 per GPU-hour, wanted at most US$ 0.4000 · country PT, wanted BR" in nearest
    assert nearest.index("0.4500") < nearest.index("0.6000")
    assert "reliability 93.0 %, wanted >95 %" in nearest


async def test_why_says_when_it_last_told_and_how_its_questions_go(room: Parlour) -> None:
    await room.answered(vast(1, 0.35))
    await room.asks("/watch 4090 <=0.40 vast")
    (probe,) = room.product.markets["vast"].probes(room.product.watches.list()[0].rule)
    room.clock.pass_time(60)
    await room.answered(vast(1, 0.35), coverage=probe)
    room.clock.pass_time(30)
    await room.failed(coverage=probe)
    text = await room.asks("/why")
    assert "answered 2 questions for this rule in the last hour, the latest 30 s ago" in text
    assert "failing now: no route" in text
    assert "It last told something 90 s ago" in text
    assert "1 offer matches now" in text


async def test_why_tells_a_first_check_that_is_not_over_and_a_pause(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40 vast")
    text = await room.asks("/why")
    assert "its first check is not over" in text
    assert "No offer of such a card is known at present." in text
    assert "It has not told anything yet." in text
    await room.asks("/pause 1")
    assert "It is paused: nothing is looked for. /resume 1 ends that." in await room.asks("/why")


async def test_why_among_several_rules_asks_which(room: Parlour) -> None:
    await room.asks("/watch 4090 <=0.40 name:lora")
    await room.asks("/watch 3090 <=0.20")
    await room.asks("/why")
    text, _ = await room.presses("1 lora")
    assert "🟢 Rule 1" in text


async def test_status_has_a_light_for_each_market_and_says_what_it_costs(room: Parlour) -> None:
    await room.answered(vast(1), vast(2))
    await room.answered(runpod(), coverage=SECURE)
    room.clock.pass_time(60)
    await room.failed(coverage=SECURE)
    text = await room.asks("/status")
    assert "🟡 RunPod: last good answer 60 s ago" in text
    assert "1 failure in a row: no route" in text
    assert "🟢 Vast.ai: last good answer 60 s ago" in text
    assert "2 of 20,000 rows · afresh at 21:00 (São Paulo)" in text
    assert "Nothing waits to be sent." in text
    room.clock.pass_time(3600)
    assert "🔴 Vast.ai: last good answer 1 h 1 min ago" in await room.asks("/status")


async def test_the_sample_alert_says_that_it_is_a_test_makes_a_sound_and_can_not_be_rented(room: Parlour) -> None:
    text = await room.asks("/test")
    assert text.startswith("🔔 TEST: this offer is made up, there is nothing to rent.")
    assert "Available: 1× RTX 4090" in text
    assert not room.said[-1].silent
    assert room.seen().links == ()
    assert "vastai create" not in text
    assert room.alerts() == []

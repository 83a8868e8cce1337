"""What the chat shows of alerts and offers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.language import Speech, speech_for
from bot.render.chat.aftermath import Back, Dearer, Fates, Gone, aftermath_html, gone_html
from bot.render.chat.alert import SIGNS, alert_html
from bot.render.chat.offers import Listing, offer_row, offers_html
from market.alert import AlertKind, Part
from market.offer import Offer
from tests.bot.samples import LINKS, NOW, RUNPOD, VAST, alert, hostile, offers_of, part, parts_of, terms_of
from tests.bot.telegram_markup import Seen, read

ZONE = ZoneInfo("America/Sao_Paulo")
EN, PT = speech_for("en"), speech_for("pt")
speeches = st.sampled_from([EN, PT])


def context(speech: Speech = EN, number: int = 12) -> dict[str, Any]:
    return {"number": number, "now": NOW, "speech": speech, "zone": ZONE, "links": LINKS}


def shown(*parts: Part, speech: Speech = EN, kind: AlertKind = "available", seen_s: float = 3) -> Seen:
    return read(alert_html(alert(*parts, kind=kind, seen_s=seen_s), **context(speech)))


def listing(*offers: Offer, answered_s: float | None = 4, **changes: Any) -> Listing:
    at = None if answered_s is None else NOW - timedelta(seconds=answered_s)
    fields = {"offers": [(offer, NOW) for offer in offers], "answered": {"vast": at}, "stale_after_s": 900.0}
    return Listing(**{**fields, **changes})


def test_an_alert_says_all_one_needs_to_decide_and_to_act() -> None:
    text = shown(part(VAST, name="treino_lora", count=4)).text
    assert text.split("\n") == [
        "🟢 Available: 1× RTX 4090 · alert 12",
        "seen 3 s ago",
        "",
        "US$ 0.3500 per GPU-hour · on demand",
        "1× RTX 4090, 24 GB · US$ 0.3500 an hour in total, with 8 GB of disk",
        "Vast.ai, community host · reliability 97.0 % · verified host · São Paulo, BR",
        "vastai create instance 70001 --image … --disk 8",
        "Open on Vast.ai",
        "",
        "rule treino_lora: RTX 4090 <=0.40",
        "and 3 more offers",
    ]


def test_an_alert_speaks_portuguese() -> None:
    text = shown(part(RUNPOD), speech=PT).text
    assert text.split("\n") == [
        "🟢 Disponível: 2× RTX 4090 · aviso 12",
        "visto há 3 s",
        "",
        "US$ 0,6900 por GPU-hora · sob demanda",
        "2× RTX 4090, 24 GB cada · US$ 1,38 por hora no total, disco não incluído",
        (
            "RunPod, Secure Cloud · confiabilidade não publicada · XX-ONE-1, XX-TWO-1, XX-TRI-1 e mais 1 · "
            "estoque informado como baixo, pode acabar antes de você chegar"
        ),
        "Abrir na RunPod",
        "",
        "regra 7: RTX 4090 <=0.40",
    ]


def test_the_command_is_copied_by_a_tap_and_the_link_is_the_market_s() -> None:
    markup = alert_html(alert(), **context())
    assert "<code>vastai create instance 70001 --image … --disk 8</code>" in markup
    assert read(markup).links == ("https://cloud.example/create/?gpu=1&order=price",)


@pytest.mark.parametrize("offer_id", ["1; rm -rf ~", "$(reboot)", "70001\nreboot", "٧", "", "-1"])
def test_nothing_but_a_plain_number_gets_into_a_line_that_people_paste_into_a_shell(offer_id: str) -> None:
    text = shown(part(VAST._replace(offer_id=offer_id))).text
    assert "vastai create" not in text
    assert "Open on Vast.ai" in text


def test_an_interruptible_offer_carries_its_bid_and_warns_when_it_saves_nothing() -> None:
    dear = VAST._replace(interruptible_price=360_000)
    text = shown(part(dear, terms="interruptible")).text
    assert "interruptible is no cheaper here: US$ 0.3500 an hour on demand" in text
    assert "without --bid_price it is rented on demand" in text
    assert "--disk 8 --bid_price 0.36" in text
    level = VAST._replace(price=120_000 + 1_600, storage_price=144_000)  # eight GB cost 1,600 an hour
    assert "no cheaper" in shown(part(level, terms="interruptible")).text
    assert "no cheaper" not in shown(part(VAST, terms="interruptible")).text
    assert "--bid_price" not in shown(part(VAST)).text


@pytest.mark.parametrize(("left_s", "said"), [(7200, True), (24 * 3600, True), (24 * 3600 + 1, False), (-5, True)])
def test_an_offer_that_ends_within_a_day_says_so(left_s: int, said: bool) -> None:
    offer = VAST._replace(ends_at=int(NOW.timestamp()) + left_s)
    assert ("ends soon" in shown(part(offer)).text) is said


def test_an_unverified_host_is_called_so() -> None:
    assert "unverified host" in shown(part(VAST._replace(verified=False))).text


def test_an_alert_that_was_held_names_the_time_and_its_zone() -> None:
    assert shown(seen_s=10_800).text.split("\n")[1] == "seen 3 h ago · 06:00 (São Paulo)"


def test_an_offer_that_several_rules_want_is_shown_once_under_all_their_names() -> None:
    text = shown(part(VAST, watch_id=1, name="one", count=3), part(VAST, watch_id=2, name="two")).text
    assert text.count("US$ 0.3500 per GPU-hour") == 1
    assert "rule one: RTX 4090 <=0.40\nand 2 more offers\nrule two: RTX 4090 <=0.40" in text


def test_the_cheapest_per_gpu_heads_the_message_by_its_unrounded_price() -> None:
    cheap = VAST._replace(key="vast:9:8", gpu="RTX 3090", gpu_count=3, price=1_000_000)
    dear = VAST._replace(key="vast:8:1", price=333_334)
    assert shown(part(dear, cheap)).text.startswith("🟢 Available: 3× RTX 3090")


def test_nothing_is_dropped_silently_when_there_is_too_much_to_show() -> None:
    parts = [
        part(
            *(VAST._replace(key=f"vast:{n}:{i}", place="W" * 60) for i in range(3)),
            watch_id=n,
            name=f"rule {n}",
            count=5,
        )
        for n in range(12)
    ]
    text = shown(*parts).text
    assert "and 4 more rules" in text
    assert "rule rule 0: RTX 4090 <=0.40\nand 2 more offers" in text
    assert "rule rule 7: RTX 4090 <=0.40\nand 5 more offers" in text


@pytest.mark.parametrize("kind", sorted(SIGNS))
@pytest.mark.parametrize("speech", [EN, PT])
def test_every_kind_of_alert_has_a_title_even_without_an_offer(kind: AlertKind, speech: Speech) -> None:
    title = shown(part(offers=(), count=0), kind=kind, speech=speech).text.split("\n")[0]
    assert title.endswith(f": RTX 4090 <=0.40 · {speech.text('alert {number}', number=12)}")
    assert title.startswith(SIGNS[kind])


def test_notes_are_shown_as_they_are_given() -> None:
    markup = alert_html(alert(), **context(), notes=["fewer than usual: 3 GPUs < 12 & falling"])
    assert "fewer than usual: 3 GPUs < 12 & falling" in read(markup).text


def test_a_gone_offer_is_struck_through_and_says_after_how_long() -> None:
    markup = gone_html(alert(), 720, **context(PT))
    assert read(markup).text.startswith("⚪ Sumiu após 12 min: 1× RTX 4090 · aviso 12")
    assert "<s><b>US$ 0,3500 por GPU-hora</b>" in markup
    assert "</s> · sumiu após 12 min" in markup


def test_when_all_have_gone_the_head_tells_how_long_the_last_one_stayed() -> None:
    both = alert(part(VAST, RUNPOD))
    fates: Fates = {(VAST.key, "on_demand"): Gone(after_s=60), (RUNPOD.key, "on_demand"): Gone(after_s=720)}
    text = read(aftermath_html(both, fates, **context())).text
    assert text.startswith("⚪ Gone after 12 min: 1× RTX 4090")
    assert "gone after 60 s" in text


def test_each_offer_of_an_alert_has_its_own_fate() -> None:
    both = alert(part(VAST, RUNPOD), part(VAST, terms="interruptible", watch_id=8))
    fates: Fates = {
        (VAST.key, "on_demand"): Dearer(price=450_000, after_s=95 * 60),
        (RUNPOD.key, "on_demand"): Back(since=NOW - timedelta(hours=1)),
    }
    text = read(aftermath_html(both, fates, **context())).text
    assert text.startswith("🟢 Available")
    assert text.count("rose to US$ 0.4500 per GPU-hour after 1 h 35 min") == 1
    assert "back since 08:00 (São Paulo)" in text


def test_a_list_says_how_old_it_is_and_what_the_prices_include() -> None:
    (page,) = offers_html(listing(VAST, RUNPOD), now=NOW, speech=EN, links=LINKS)
    lines = read(page).text.split("\n")
    assert lines[:2] == ["2 offers match", "Vast.ai answered 4 s ago"]
    assert lines[2].startswith("US$ 0.3500 per GPU-hour · 1× RTX 4090 · Vast.ai, community host")
    assert lines[-2:] == ["Vast.ai prices include 8 GB of disk.", "RunPod prices do not include disk."]


@pytest.mark.parametrize(
    ("answered_s", "said"), [(900, "Vast.ai answered 15 min ago"), (901, "⚠️ Vast.ai last answered 15 min ago")]
)
def test_a_list_from_an_old_answer_carries_a_warning(answered_s: float, said: str) -> None:
    (page,) = offers_html(listing(VAST, answered_s=answered_s), now=NOW, speech=EN, links=LINKS)
    assert said in read(page).text


def test_an_empty_list_tells_nothing_matches_apart_from_nothing_known() -> None:
    (nothing,) = offers_html(listing(), now=NOW, speech=EN, links=LINKS)
    (unknown,) = offers_html(listing(answered_s=None), now=NOW, speech=EN, links=LINKS)
    assert read(nothing).text == "Nothing matches at present.\nVast.ai answered 4 s ago"
    assert read(unknown).text.startswith("No marketplace has answered yet.")


def test_a_hundred_and_fifty_offers_are_all_there_once_and_in_order() -> None:
    offers = [VAST._replace(key=f"vast:{n}:1", price=350_000 + n * 1000, place=f"<place> & {n}.") for n in range(150)]
    texts = [read(page).text for page in offers_html(listing(*offers), now=NOW, speech=PT, links=LINKS)]
    rows = [line for text in texts for line in text.split("\n") if "GPU-hora" in line]
    assert len(texts) > 1
    assert [row.split("<place> & ")[1].split(".")[0] for row in rows] == [str(n) for n in range(150)]


def test_a_row_shows_a_label_with_an_underscore_as_typed() -> None:
    row = offer_row(VAST._replace(place="US_East", gpu="RTX_4090"), speech=EN, links={}, now=NOW)
    assert "1× RTX_4090" in read(row).text
    assert "US_East" in read(row).text


@settings(max_examples=25)
@given(st.lists(parts_of(), min_size=1, max_size=5), speeches, st.sampled_from(sorted(SIGNS)), hostile)
def test_any_alert_is_taken_whatever_a_market_or_a_person_wrote(
    parts: list[Part], speech: Speech, kind: AlertKind, address: str
) -> None:
    made = alert(*parts, kind=kind)
    told = {**context(speech), "links": {"vast": lambda _: f"https://{address}", "runpod": lambda _: address}}
    for markup in (alert_html(made, **told), gone_html(made, 60, **told)):
        seen = read(markup)
        assert speech.text("alert {number}", number=12) in seen.text
        assert all(line.isprintable() for line in seen.text.split("\n"))


@settings(max_examples=25)
@given(st.lists(offers_of, max_size=10), terms_of, speeches, st.none() | st.floats(0, 1e9))
def test_any_list_is_taken_and_holds_every_offer(
    offers: list[Offer], terms: Any, speech: Speech, age: float | None
) -> None:
    texts = [
        read(page).text
        for page in offers_html(listing(*offers, answered_s=age, terms=terms), now=NOW, speech=speech, links=LINKS)
    ]
    assert sum(text.count(f" · {speech.text('seen {age}', age=speech.ago(0))}") for text in texts) == len(offers)

"""The answers of the command line to programs: one document, every key always there, unknown is null and never 0."""

from __future__ import annotations

from typing import Any, Final

import pytest

from scanners.simulator.exchange import Answer
from scanners.simulator.faults import Delivery, Drop, Refuse
from tests.end_to_end.house import SEARCH, House, Said

RTX_4090 = "NVIDIA GeForce RTX 4090"

OFFER: Final = {
    "market": str,
    "key": str,
    "offer_id": str,
    "gpu": str,
    "gpu_count": int,
    "vram_gb": int,
    "terms": str,
    "tier": str,
    "usd_per_gpu_hour": float,
    "usd_per_hour": float,
    "interruptible_usd_per_hour": float | None,
    "disk_gb_included": int,
    "reliability": float | None,
    "verified": bool | None,
    "stock": str | None,
    "country": str | None,
    "place": str | None,
    "seen_at": str,
    "age_s": int,
    "url": str,
}
MARKET: Final = {"ok": bool, "complete": bool | None, "error": str | None, "rows": int, "age_s": int | None}
OFFERS: Final = {"taken_at": str, "markets": dict, "offers": list}
POINT: Final = {
    "at": str,
    "market": str,
    "tier": str,
    "terms": str,
    "best_usd_per_gpu_hour": float | None,
    "median_usd_per_gpu_hour": float | None,
    "gpus": int | None,
    "offers": int | None,
    "stock": str | None,
}
HISTORY: Final = {
    "gpu": str,
    "from": str,
    "to": str,
    "samples": int,
    "gaps": list,
    "available_share": float | None,
    "series": list,
}
WATCH: Final = {"id": int, "chat": str, "name": str | None, "rule": str, "state": str, "matching": int}
ALERT: Final = {
    "id": int,
    "watch_ids": list,
    "chat": str,
    "kind": str,
    "gpu": str | None,
    "market": str | None,
    "key": str | None,
    "usd_per_gpu_hour": float | None,
    "seen_at": str,
    "queued_at": str,
    "sent_at": str | None,
    "state": str,
    "reason": str,
}
MARKET_STATUS: Final = {
    "last_ok_at": str | None,
    "age_s": int | None,
    "failures_in_a_row": int,
    "error": str | None,
    "requests_today": int,
    "rows_today": int,
    "rows_limit": int | None,
    "resets_at": str | None,
    "next_poll_in_s": int | None,
    "pace_reason": str | None,
}
STATUS: Final = {"markets": dict, "outbox": dict, "database": dict}
OUTBOX: Final = {"queued": int, "oldest_s": int | None}
CHECK: Final = {"name": str, "ok": bool, "detail": str, "remedy": str | None}
QUESTIONS: Final[dict[str, dict[str, Any]]] = {
    "scan": OFFERS,
    "now": OFFERS,
    "history": HISTORY,
    "watch list": {"watches": list},
    "alerts": {"alerts": list},
    "status": STATUS,
    "health": {"healthy": bool, "problems": list},
    "doctor": {"checks": list},
}


def has_shape(record: dict[str, Any], shape: dict[str, Any]) -> None:
    """Every key of the shape is there, and holds what it may hold. A whole number may stand for a fraction."""
    missing = shape.keys() - record.keys()
    assert not missing, missing
    for key, kind in shape.items():
        value = record[key]
        fits = isinstance(value, kind) and (not isinstance(value, bool) or kind in (bool, bool | None))
        assert fits or (isinstance(value, int) and kind in (float, float | None)), (key, value)


class Untouched:
    """No fault at all: the ones that wait behind it meet later requests."""

    async def deliver(self, genuine: Answer) -> Delivery:
        """The answer as it is."""
        return Delivery(answer=genuine)


async def ask(house: House, question: str) -> Said:
    """The answer to one of the questions."""
    if question == "scan":
        return await house.scan("--json")
    words = [*question.split(), *(["RTX 4090"] if question == "history" else [])]
    return await house.ask(*words, "--json")


@pytest.mark.parametrize("question", QUESTIONS)
async def test_before_anything_is_known_the_answers_have_their_whole_shape(house: House, question: str) -> None:
    said = await ask(house, question)
    assert said.code == (1 if question == "health" else 0), said.err
    assert said.out.count("\n") == 1
    has_shape(said.json, QUESTIONS[question])


async def test_nothing_known_is_null_and_never_nought(house: House) -> None:
    status = (await ask(house, "status")).json
    for market in status["markets"].values():
        has_shape(market, MARKET_STATUS)
        assert (market["last_ok_at"], market["age_s"], market["next_poll_in_s"]) == (None, None, None)
    assert status["markets"]["vast"]["rows_limit"] == 20_000
    assert status["markets"]["runpod"]["rows_limit"] is None
    assert status["markets"]["runpod"]["resets_at"] is None
    assert status["outbox"] == {"queued": 0, "oldest_s": None}
    history = (await ask(house, "history")).json
    assert (history["available_share"], history["samples"], history["series"]) == (None, 0, [])
    now = (await ask(house, "now")).json
    assert {market["age_s"] for market in now["markets"].values()} == {None}
    assert {market["complete"] for market in now["markets"].values()} == {None}


async def test_every_record_has_its_whole_shape(house: House) -> None:
    house.market.vast.add_machine("RTX 4090", place=None)
    house.market.vast.add_machine("RTX 4090", datacenter=True, price=0.5)
    house.market.runpod.set_stock(RTX_4090, "secure", "LOW", 1)
    await house.watch("RTX 4090 <=0.40 vast")
    await house.watch("H100")
    async with house.running() as life:
        await life.passes(minutes=3)
        answers = {question: (await ask(house, question)).json for question in QUESTIONS}
        interruptible = await house.offers("RTX 4090 vast spot")
    for question, shape in QUESTIONS.items():
        has_shape(answers[question], shape)
    offers = [*answers["now"]["offers"], *interruptible, *answers["scan"]["offers"]]
    assert {(offer["market"], offer["tier"], offer["terms"]) for offer in offers} == {
        ("vast", "community", "on_demand"),
        ("vast", "datacenter", "on_demand"),
        ("vast", "community", "interruptible"),
        ("vast", "datacenter", "interruptible"),
        ("runpod", "secure", "on_demand"),
    }
    for offer in offers:
        has_shape(offer, OFFER)
        unknown = {name for name in ("reliability", "verified") if offer[name] is None}
        assert unknown == ({"reliability", "verified"} if offer["market"] == "runpod" else set())
        assert (offer["stock"] is None) is (offer["market"] == "vast")
    prices = [(offer["usd_per_gpu_hour"], offer["key"]) for offer in answers["now"]["offers"]]
    assert prices == sorted(prices)
    for name in ("scan", "now"):
        for market in answers[name]["markets"].values():
            has_shape(market, MARKET)
            assert market["ok"]
    for point in answers["history"]["series"]:
        has_shape(point, POINT)
    (alert,) = answers["alerts"]["alerts"]
    has_shape(alert, ALERT)
    assert alert["kind"] == "available"
    assert alert["state"] == "sent"
    for watch in answers["watch list"]["watches"]:
        has_shape(watch, WATCH)
    assert [watch["matching"] for watch in answers["watch list"]["watches"]] == [1, 0]
    for market in answers["status"]["markets"].values():
        has_shape(market, MARKET_STATUS)
    has_shape(answers["status"]["outbox"], OUTBOX)
    assert answers["status"]["database"]["bytes"] > 0
    assert answers["health"] == {"healthy": True, "problems": []}
    for check in answers["doctor"]["checks"]:
        has_shape(check, CHECK)
        assert check["ok"]
    assert {"config", "database", "vast", "runpod", "token", "clock", "zone"} <= {
        check["name"] for check in answers["doctor"]["checks"]
    }


async def test_a_scan_says_first_what_it_will_cost_and_spends_from_the_same_quota(house: House) -> None:
    for _ in range(3):
        house.market.vast.add_machine()
    said = await house.scan("--market", "vast", "--json")
    assert "vast: 1 query" in said.err
    assert "of the 20000 left today" in said.err
    assert said.json["markets"].keys() == {"vast"}
    assert said.json["markets"]["vast"]["rows"] == 3
    status = (await house.ask("status", "--json")).json["markets"]["vast"]
    assert (status["rows_today"], status["requests_today"]) == (3, 1)
    assert "of the 19997 left today" in (await house.scan("--market", "vast")).err


async def test_a_scan_fails_when_every_market_did_and_not_before(house: House) -> None:
    house.market.vast.add_machine()
    house.server.faults.add(Drop(), times=10, path="/v2/")
    half = await house.scan("--json")
    assert half.code == 0
    assert [half.json["markets"][name]["ok"] for name in ("vast", "runpod")] == [True, False]
    assert len(half.json["offers"]) == 1
    house.server.faults.add(Drop(), times=100)
    failed = await house.scan("--json")
    assert failed.code == 1
    assert "Traceback" not in failed.err
    assert failed.json["markets"]["vast"]["error"]


async def test_a_market_has_failed_when_every_question_to_it_did(house: House) -> None:
    house.market.vast.add_machine("RTX 4090")
    await house.watch("RTX 4090 vast")
    await house.watch("H100 SXM vast")
    house.server.faults.add(Refuse(500, "oops"), times=1, path=SEARCH)
    half = await house.scan("--market", "vast", "--json")
    told = half.json["markets"]["vast"]
    assert half.code == 0
    assert (told["ok"], told["complete"]) == (True, False)
    assert "500" in told["error"]
    whole = await house.scan("--market", "vast", "--json")
    assert (whole.code, whole.json["markets"]["vast"]["complete"], whole.json["markets"]["vast"]["error"]) == (
        0,
        True,
        None,
    )
    house.server.faults.add(Refuse(500, "oops"), times=1000, path=SEARCH)
    none = await house.scan("--market", "vast", "--json")
    told = none.json["markets"]["vast"]
    assert (none.code, told["ok"], told["complete"], told["rows"]) == (1, False, False, 0)
    assert told["error"]


async def test_a_last_question_that_fails_is_not_the_whole_scan(house: House) -> None:
    house.market.vast.add_machine("RTX 4090")
    await house.watch("RTX 4090 vast")
    await house.watch("H100 SXM vast")
    assert "vast: 2 queries" in (await house.scan("--market", "vast")).err
    house.server.faults.add(Untouched(), times=1, path=SEARCH)
    house.server.faults.add(Refuse(500, "oops"), times=1000, path=SEARCH)
    said = await house.scan("--market", "vast", "--json")
    told = said.json["markets"]["vast"]
    assert (said.code, told["ok"], told["complete"]) == (0, True, False)
    assert told["error"]


async def test_what_is_stored_is_complete_when_every_late_question_was_answered_in_full(house: House) -> None:
    house.market.vast.add_machine("RTX 4090")
    await house.watch("RTX 4090 vast")
    await house.watch("H100 SXM vast")
    house.server.faults.add(Refuse(500, "oops"), times=1, path=SEARCH)
    await house.scan("--market", "vast")
    now = (await house.ask("now", "--json")).json["markets"]["vast"]
    assert (now["ok"], now["complete"], now["error"]) == (True, False, None)
    await house.scan("--market", "vast")
    now = (await house.ask("now", "--json")).json["markets"]["vast"]
    assert (now["ok"], now["complete"], now["error"]) == (True, True, None)


async def test_health_turns_bad_after_three_gaps_without_a_good_answer(house: House) -> None:
    await house.watch("RTX 4090 <=0.40")
    async with house.running() as life:
        await life.passes(minutes=2)
    house.clock.move(minutes=14)
    assert (await house.ask("health")).code == 0
    house.clock.move(minutes=2)
    said = await house.ask("health")
    assert said.code == 1
    assert "vast: the last good answer is" in said.out


async def test_old_answers_are_told_with_their_age_and_a_warning(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running() as life:
        await life.passes(minutes=1)
        told = len(house.alerts())
    house.clock.move(minutes=40)
    said = await house.ask("now", "RTX 4090")
    assert "40 min" in said.out
    assert "WARNING: old data" in said.out
    assert (await house.offers())[0]["age_s"] >= 40 * 60
    assert len(house.alerts()) == told

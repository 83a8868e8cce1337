"""What a rule costs and how the budget stands, on the command line, with and without a run on the database."""

from __future__ import annotations

from tests.end_to_end.house import House


async def test_a_new_rule_says_its_cost_in_a_line_a_market(house: House) -> None:
    said = await house.ask("watch", "add", "RTX 4090 <=0.40")
    assert said.code == 0, said.err
    assert "cost on RunPod: asked every 16 s while scarce." in said.out
    assert "cost on Vast.ai: asked every " in said.out


async def test_its_cost_is_a_record_with_all_keys(house: House) -> None:
    said = await house.ask("watch", "add", "RTX 4090 <=0.40", "--json")
    effort = said.json["effort"]
    assert effort["runpod"] == {"asked_every_s": 16.0, "rows_per_day": None, "warnings": []}
    assert effort["vast"].keys() == {"asked_every_s", "rows_per_day", "warnings"}
    assert effort["vast"]["rows_per_day"] is None


async def test_what_a_scan_has_shown_makes_the_rows_known(house: House) -> None:
    for _ in range(3):
        house.market.vast.add_machine(price=0.90)
    await house.watch("RTX 4090 <=0.10 vast")
    await house.scan("--market", "vast")
    await house.ask("watch", "remove", "1")
    said = await house.ask("watch", "add", "RTX 4090 <=0.40 vast", "--json")
    assert said.json["effort"]["vast"]["rows_per_day"] > 0


async def test_rules_that_are_too_many_are_said_with_a_remedy_in_the_record_and_in_the_text(house: House) -> None:
    house.configure(per_minute=1)
    plain = await house.ask("watch", "add", "RTX 4090 <=0.40 x1+ vast")
    assert "too much on Vast.ai: 5 questions take turns" in plain.out
    assert "marketplaces.vast.requests_per_minute" in plain.out
    record = await house.ask("watch", "add", "RTX 4090 <=0.41 x1+ vast", "--json")
    (warning,) = record.json["effort"]["vast"]["warnings"]
    assert warning in plain.out


async def test_before_anything_was_asked_status_knows_the_budget_and_no_pace(house: House) -> None:
    markets = (await house.ask("status", "--json")).json["markets"]
    vast, runpod = markets["vast"], markets["runpod"]
    assert (vast["rows_reserved"], vast["rows_left"]) == (0, 20_000)
    assert vast["rows_per_hour"] > 0
    assert (vast["census_pace_s"], vast["probe_round_s"]) == (None, None)
    assert [runpod[key] for key in ("rows_reserved", "rows_left", "rows_per_hour")] == [None, None, None]


async def test_status_tells_the_real_paces_of_a_run_and_what_is_left(house: House) -> None:
    await house.watch("RTX 4090 <=0.40 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=2)
        vast = (await house.ask("status", "--json")).json["markets"]["vast"]
        assert (vast["census_pace_s"], vast["probe_round_s"]) == (1800.0, 15.0)
        assert vast["rows_left"] == 20_000 - vast["rows_today"] - vast["rows_reserved"]

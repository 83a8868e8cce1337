"""Markets that cannot be watched for a while, through the whole product: who is told, once, whatever restarts."""

from __future__ import annotations

import pytest

from scanners.simulator.faults import BrokenGzip, Drop, Fault, PartialErrors, Refuse, WebPage
from scanners.simulator.server import VAST_KEY
from storage.heartbeat import beat
from storage.store import open_store
from storage.times import to_ms
from tests.end_to_end.house import SEARCH, BuildHouse, House

DOWN = Refuse(503, "down", "text/plain")
RULE = "RTX 4090 <=0.40 vast"


@pytest.fixture
async def house(build_house: BuildHouse) -> House:
    """One in which markets are asked once a minute: the days here are long."""
    house = await build_house()
    house.configure(per_minute=1)
    return house


def blindnesses(house: House) -> list[str]:
    """What people were told of blind times."""
    return [line for line in house.terminal.getvalue().splitlines() if "could not be watched" in line]


def breaks(house: House, fault: Fault = DOWN, path: str = SEARCH) -> None:
    """A market fails until it is mended."""
    house.server.faults.add(fault, times=10_000, path=path)


async def test_an_outage_is_told_to_the_owner_while_it_lasts_and_to_people_when_it_is_over(house: House) -> None:
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
        breaks(house)
        await life.passes(minutes=10)
        assert house.notices == []
        await life.passes(minutes=36)
        (broken,) = house.notices
        assert broken.startswith("Vast.ai does not answer: ")
        assert "The last good answer was at 12:0" in broken
        assert blindnesses(house) == []
        house.server.faults.clear()
        await life.passes(minutes=30)
    assert len(house.notices) == 2
    assert house.notices[1].startswith("Vast.ai answers again, after ")
    (told,) = blindnesses(house)
    assert told.startswith("Vast.ai could not be watched from 12:04 (UTC) to 12:5")
    assert await house.log() == []


@pytest.mark.parametrize(
    "fault",
    [WebPage(), BrokenGzip(), Drop(), Refuse(429, "too frequent", "text/plain"), Refuse(500, "oops")],
    ids=lambda fault: type(fault).__name__,
)
async def test_whatever_the_failure_the_owner_is_told_once_and_the_market_is_asked_seldom_and_steadily(
    house: House, fault: Fault
) -> None:
    async with house.running("vast") as life:
        await life.passes(minutes=1)
        house.server.journal.clear()
        breaks(house, fault)
        await life.passes(minutes=60)
    assert len(house.notices) == 1
    assert 6 <= len(house.asked("vast")) <= 20


async def test_short_outages_are_told_to_nobody(house: House) -> None:
    await house.watch(RULE)
    async with house.running("vast") as life:
        for _ in range(3):
            await life.passes(minutes=5)
            breaks(house)
            await life.passes(minutes=6)
            house.server.faults.clear()
    assert (house.notices, blindnesses(house)) == ([], [])


async def test_markets_that_fail_together_are_told_apart_and_each_to_those_whom_it_concerns(house: House) -> None:
    await house.watch(RULE)
    async with house.running() as life:
        await life.passes(minutes=5)
        breaks(house)
        breaks(house, path="/v2/catalog/gpus")
        await life.passes(minutes=60)
        house.server.faults.clear()
        await life.passes(minutes=30)
    said = [notice.split(" ", 1)[0] for notice in house.notices]
    assert sorted(said) == ["RunPod", "RunPod", "Vast.ai", "Vast.ai"]
    assert len(blindnesses(house)) == 1  # nobody watches the other one


async def test_restarts_in_the_middle_repeat_nothing_and_forget_nothing(house: House) -> None:
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
        breaks(house)
        await life.passes(minutes=40)
    for _ in range(3):
        async with house.running("vast") as life:
            await life.passes(minutes=5)
    assert len(house.notices) == 1
    house.server.faults.clear()
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    assert len(house.notices) == 2
    assert len(blindnesses(house)) == 1


async def test_time_in_which_nothing_ran_is_told_at_the_next_start_to_whose_rules_were_there(house: House) -> None:
    house.market.vast.add_machine()
    await house.watch(RULE, chat="1")
    await house.watch("RTX 4090 <=1 runpod", chat="2")
    async with house.running() as life:
        await life.passes(minutes=5)
    house.clock.move(hours=3)
    await house.watch(RULE, chat="3")  # too late to have missed anything
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    assert len(blindnesses(house)) == 1
    assert "3 h" in blindnesses(house)[0]
    assert house.notices == []


async def test_a_rule_made_during_an_outage_was_blind_only_since_then(house: House) -> None:
    async with house.running("vast") as life:
        await life.passes(minutes=5)
        breaks(house)
        await life.passes(minutes=60)
        await house.watch(RULE)
        await life.passes(minutes=60)
        house.server.faults.clear()
        await life.passes(minutes=10)
    (told,) = blindnesses(house)
    assert "from 13:05" in told


async def test_a_short_restart_is_no_blindness(house: House) -> None:
    await house.watch(RULE)
    for _ in range(5):
        async with house.running("vast") as life:
            await life.passes(minutes=2)
        house.clock.move(minutes=4)
    assert blindnesses(house) == []


async def test_who_is_killed_between_an_answer_and_its_judgement_tells_after_the_next_start(house: House) -> None:
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    house.clock.move(hours=2)
    store = open_store(f"sqlite:///{house.folder}/atalaia.db", now=house.clock.now())
    with store.write() as connection:  # the answer was stored, and then nothing more
        beat(connection, market="vast", coverage_id=1, at=to_ms(house.clock.now()), status=0)
    store.close()
    house.clock.move(seconds=20)
    for _ in range(2):
        async with house.running("vast") as life:
            await life.passes(minutes=2)
    assert len(blindnesses(house)) == 1


async def test_a_blindness_that_could_not_be_sent_is_sent_after_the_next_start(house: House) -> None:
    await house.watch(RULE)
    async with house.running("vast") as life:
        await life.passes(minutes=5)
    house.clock.move(hours=2)
    async with house.running("vast") as life:
        poller = life._running.pollers["vast"]
        await life._running._turn_of("vast", poller)()  # killed before anything is delivered
    assert blindnesses(house) == []
    async with house.running("vast") as life:
        await life.passes(minutes=1)
    assert len(blindnesses(house)) == 1


async def test_a_used_up_quota_is_told_at_once_with_the_time_of_its_end(house: House) -> None:
    text = house.config.read_text("utf-8").replace("[marketplaces.vast]", "[marketplaces.vast]\nrows_per_day = 3")
    house.config.write_text(text, encoding="utf-8")
    for _ in range(3):
        house.market.vast.add_machine()
    await house.watch("RTX 4090 vast")
    async with house.running("vast") as life:
        await life.passes(minutes=30)
        (notice,) = house.notices
        assert "the day's rows are used up" in notice
        assert "It is asked again at" in notice
        await life.passes(minutes=60 * 12)
    assert len(house.notices) == 2  # the next day has no more rows than this one
    assert len(blindnesses(house)) == 1


async def test_a_scanner_that_hangs_is_noticed_by_owner_and_supervisor_and_status_says_since_when(
    house: House,
) -> None:
    await house.watch(RULE)
    async with house.running() as life:
        await life.passes(minutes=5)
        assert (await house.ask("health")).code == 0
        lookout = life._running._lookout
        other = life._running.pollers["runpod"]
        for second in range(10, 1200, 10):  # only one scanner goes on
            house.clock.move(seconds=10)
            if second % 60 == 0:
                await life._running._turn_of("runpod", other)()
            await lookout.look()
        health = await house.ask("health", "--json")
        status = (await house.ask("status", "--json")).json["markets"]["vast"]
    assert len(house.notices) == 1
    assert house.notices[0].startswith("Vast.ai is not asked any more")
    assert health.code == 1
    assert [problem.partition(":")[0] for problem in health.json["problems"]] == ["vast"]
    assert status["age_s"] >= 1190
    assert status["last_ok_at"] < "2027-01-10T12:06"


async def test_no_key_is_in_any_notice(house: House) -> None:
    breaks(house, PartialErrors(), path="/v2/catalog/gpus")
    breaks(house, Refuse(404, f'{{"error":"auth_error","msg":"bad key {VAST_KEY}"}}', "application/json"))
    async with house.running() as life:
        await life.passes(minutes=60)
    assert house.notices
    assert not any(VAST_KEY in notice for notice in house.notices)

"""How long RunPod's account is left alone, by what its answers say of the quota."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from market.gpu import CATALOGUE
from scanners.errors import OddAnswer, RateLimited
from scanners.markets import runpod
from scanners.markets.runpod.quota import Quota, Window, windows
from scanners.simulator.clock import ManualClock
from scanners.simulator.limits import Window as Limit
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.runpod import RunPodPolicy
from scanners.simulator.server import RUNPOD_KEY, SimulatorServer
from tests.scanners.pods import answer, rest_type
from tests.scanners.stage import http, sends, stage

START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
POLICY = '"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400'


class Watch:
    """A quota on a clock that moves only when told."""

    def __init__(self, gap_s: float = 2.0) -> None:
        self.at = START
        self.quota = Quota(gap_s, lambda: self.at)

    def rest_after(self, *, status: int = 200, **headers: str) -> float:
        self.quota.note(answer({}, status=status, **headers))
        return self.quota.rest_s()

    def later(self, seconds: float) -> float:
        self.at += timedelta(seconds=seconds)
        return self.quota.rest_s()


@pytest.mark.parametrize("status", [200, 400, 403, 404, 429, 500])
def test_an_exhausted_window_holds_the_next_question_back_whatever_the_answer(status: int) -> None:
    rest = Watch().rest_after(status=status, RateLimit='"minute";r=0;t=12, "hour";r=2800;t=1812')
    assert 12 <= rest <= 14


def test_the_longest_of_several_exhausted_windows_and_of_the_named_wait_counts() -> None:
    several = '"minute";r=0;t=12, "hour";r=0;t=1812, "day";r=49500;t=45012'
    assert 1812 <= Watch().rest_after(RateLimit=several, Retry_After="12") <= 1814
    assert 90 <= Watch().rest_after(RateLimit='"minute";r=0;t=12', Retry_After="90") <= 92
    assert 120 <= Watch().rest_after(status=503, Retry_After="120") <= 122


def test_a_rest_runs_down_and_ends() -> None:
    watch = Watch()
    whole = watch.rest_after(RateLimit='"minute";r=0;t=12')
    assert watch.later(5) == whole - 5
    assert watch.later(9) == 0


def test_a_clock_that_is_set_back_makes_no_rest_longer() -> None:
    watch = Watch()
    whole = watch.rest_after(RateLimit='"minute";r=0;t=12')
    assert watch.later(-3600) == whole


@pytest.mark.parametrize(
    ("live", "rest"),
    [
        ('"minute";r=58;t=60', 0),  # one a second is less than what is asked anyway
        ('"minute";r=30;t=60', 0),  # exactly the pace
        ('"minute";r=20;t=60', 3),
        ('"minute";r=1;t=60', 60),
        ('"minute";r=20;t=60, "hour";r=360;t=3600', 10),
        ('"hour";r=2;t=3600', 300),  # as seldom as a market with something left is looked at
    ],
)
def test_what_is_left_is_spread_evenly_where_the_pace_would_use_it_up(live: str, rest: float) -> None:
    assert Watch(gap_s=2.0).rest_after(RateLimit=live) == rest


def test_without_headers_the_account_is_exempt() -> None:
    assert Watch().rest_after() == 0


def test_the_last_answer_counts() -> None:
    watch = Watch()
    watch.rest_after(RateLimit='"minute";r=0;t=50')
    assert watch.rest_after(RateLimit='"minute";r=60;t=60') == 0
    watch.rest_after(RateLimit='"minute";r=0;t=50')
    assert watch.rest_after() == 0


def test_a_page_from_something_on_the_way_opens_no_window() -> None:
    watch = Watch()
    whole = watch.rest_after(RateLimit='"minute";r=0;t=50')
    assert watch.rest_after(status=502) == watch.rest_after(status=403) == whole


@pytest.mark.parametrize("wait", [None, "0", "-3", "soon", "nan", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_refusal_that_names_no_time_is_waited_out_for_the_shortest_window(wait: str | None) -> None:
    headers = {} if wait is None else {"Retry_After": wait}
    assert 60 <= Watch().rest_after(status=429, **headers) <= 62


@pytest.mark.parametrize(
    "odd",
    [
        "nonsense, ;;r=;t=, r=0",
        '"minute"',
        '"minute";r=0',
        '"minute";t=12',
        '"minute";r=-1;t=12',
        '"minute";r=0;t=-12',
        '"minute";r=none;t=12',
        '"minute";r=0.5;t=12',
        '"minute";r=0;t=1e9',
        '"minute";r=0;t=999999999',
        '"minute";r=0;t=' + "9" * 5_000,
        '"minute";r=' + "9" * 5_000 + ";t=12",
        '"minute";r=0x0;t=12',
        ",,,;;;===\x7f",
        "60",
    ],
)
def test_odd_values_are_passed_over(odd: str) -> None:
    assert Watch().rest_after(RateLimit=odd) == 0
    assert Watch().rest_after(RateLimit=odd, RateLimit_Policy=POLICY) == 0
    assert Watch().rest_after(RateLimit="60", RateLimit_Policy=odd) == 0


def test_a_window_is_closed_no_longer_than_it_is_long() -> None:
    assert Watch().rest_after(RateLimit='"minute";r=0;t=7000', RateLimit_Policy=POLICY) == 0


def test_an_odd_window_does_not_hide_the_others() -> None:
    assert 12 <= Watch().rest_after(RateLimit='"day";r=?;t=5, "minute";r=0;t=12') <= 14


def test_a_window_that_starts_afresh_at_once_is_left_alone_for_the_rest_of_the_second() -> None:
    assert 0 < Watch().rest_after(RateLimit='"minute";r=0;t=0') <= 2


def test_a_small_quota_is_known_by_its_policy_alone() -> None:
    assert windows({"ratelimit-policy": '"minute";q=6;w=60'}) == (Window(left=6, resets_s=60),)
    assert Watch().rest_after(RateLimit_Policy='"minute";q=6;w=60') == 10


def test_the_headers_may_come_in_several_lines_and_any_case() -> None:
    lines = [("RATELIMIT", '"minute";r=9;t=9'), ("ratelimit", '"hour";r=0;t=77')]
    assert Window(left=0, resets_s=77) in windows(httpx.Headers(lines))


def test_a_further_question_is_asked_after_a_turn_that_was_left_out() -> None:
    watch = Watch(gap_s=2.0)
    watch.quota.asking()
    assert watch.quota.has_turn()
    watch.later(2)
    watch.quota.asking()
    assert not watch.quota.has_turn()
    watch.quota.save_turn()
    assert watch.quota.rest_s() == 4
    watch.later(4)
    watch.quota.asking()
    assert watch.quota.has_turn()
    watch.quota.asking()
    assert not watch.quota.has_turn()


def test_a_turn_left_out_shortens_no_rest() -> None:
    watch = Watch()
    watch.rest_after(RateLimit='"minute";r=0;t=30')
    watch.quota.save_turn()
    assert watch.quota.rest_s() >= 30


def test_a_further_question_is_asked_only_where_there_is_enough_left() -> None:
    watch = Watch()
    assert watch.quota.has_spare()
    for live, spare in {'"minute";r=9;t=50': True, '"minute";r=9;t=50, "day";r=1;t=900': False}.items():
        watch.rest_after(RateLimit=live)
        assert watch.quota.has_spare() is spare
    watch.rest_after(status=429)
    assert not watch.quota.has_spare()


async def test_rests_are_told_after_good_answers_odd_ones_and_refusals(client: httpx.AsyncClient) -> None:
    live = [("RateLimit", '"minute";r=0;t=12'), ("RateLimit-Policy", POLICY)]
    async with stage(sends()) as server:
        settings = runpod.Settings(url=server.url, api_key="a-key")
        market = runpod.build(settings, client, CATALOGUE, lambda: START)
        assert market.rest_s() == 0
        server.play = sends(http({"gpus": [rest_type()]}, headers=live))
        await market.scan(market.heartbeat())
        assert 12 <= market.rest_s() <= 14
        server.play = sends(http({"gpus": [rest_type()]}))
        await market.scan(market.heartbeat())
        assert market.rest_s() == 0
        server.play = sends(http({"gpus": None}, headers=live))
        with pytest.raises(OddAnswer):
            await market.scan(market.heartbeat())
        assert 12 <= market.rest_s() <= 14
        server.play = sends(http({}, status=429, headers=[*live, ("Retry-After", "40")]))
        with pytest.raises(RateLimited):
            await market.scan(market.heartbeat())
        assert 40 <= market.rest_s() <= 42


async def test_without_a_key_nothing_is_read_from_headers(client: httpx.AsyncClient) -> None:
    page = http("<html>slow</html>", status=429, content_type="text/html", headers=[("RateLimit", '"minute";r=0;t=12')])
    async with stage(sends(page)) as server:
        market = runpod.build(runpod.Settings(url=server.url), client, CATALOGUE, lambda: START)
        with pytest.raises(RateLimited):
            await market.scan(market.heartbeat())
        assert market.rest_s() == 0


@pytest.mark.parametrize("per_minute", [60.0, 600.0])
async def test_who_keeps_the_rests_never_meets_a_refusal_and_uses_what_there_is(
    per_minute: float, client: httpx.AsyncClient
) -> None:
    clock = ManualClock(START)
    quota = (Limit(name="minute", quota=5, seconds=60), Limit(name="hour", quota=20, seconds=1800))
    async with SimulatorServer(
        SimulatedMarket.empty(START), clock, runpod_policy=RunPodPolicy(windows=quota)
    ) as server:
        settings = runpod.Settings(url=server.url, api_key=RUNPOD_KEY, requests_per_minute=per_minute)
        market = runpod.build(settings, client, CATALOGUE, clock.now)
        asked = 0
        while clock.now() < START + timedelta(minutes=30):
            await market.scan(market.heartbeat())
            asked += 1
            clock.move(seconds=max(market.rest_s(), 60 / per_minute))
    assert 18 <= asked <= 20

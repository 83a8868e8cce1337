"""An offer matches a rule, or every reason why not is told; unknown never passes where it matters."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.gpu import CATALOGUE
from market.grammar import read_rule
from market.offer import Offer, Terms
from market.rule import DEFAULT_PLACES, EVERY_PLACE, CardChoice, Rule
from market.verdict import Miss, judge, matches, unsatisfiable

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

VAST = Offer(
    key="vast:555:1",
    market="vast",
    machine="555",
    gpu="RTX 4090",
    spelling="RTX 4090",
    gpu_count=1,
    vram_gb=24,
    tier="community",
    price=350_000,
    offer_id="70001",
    disk_gb=8,
    storage_price=150_000,
    interruptible_price=180_000,
    reliability_ppm=991_000,
    verified=True,
    country="PT",
    place="Lisboa, PT",
    disk_space_gb=500,
    down_mbps=800,
    ram_gb=64,
    cuda=12_008,
    ends_at=int((NOW + timedelta(days=10)).timestamp()),
)
RUNPOD = Offer(
    key="runpod:NVIDIA GeForce RTX 4090:secure:1",
    market="runpod",
    machine="NVIDIA GeForce RTX 4090",
    gpu="RTX 4090",
    spelling="NVIDIA GeForce RTX 4090",
    gpu_count=1,
    vram_gb=24,
    tier="secure",
    price=690_000,
    offer_id="NVIDIA GeForce RTX 4090",
    stock="low",
    data_centers=("EU-RO-1", "US-KS-2"),
)


def rule(text: str) -> Rule:
    return read_rule(text, catalogue=CATALOGUE, today=NOW.date())


def reasons(text: str, offer: Offer) -> set[str]:
    verdict = judge(rule(text), offer, NOW)
    assert verdict.passes is matches(rule(text), offer, NOW)
    return {miss.what for miss in verdict.misses}


def passes(text: str, offer: Offer) -> bool:
    return not reasons(text, offer)


@pytest.mark.parametrize(
    ("text", "offer", "misses"),
    [
        ("4090", VAST, set()),
        ("3090", VAST, {"card"}),
        ("H100, 4090", VAST, set()),
        ("4090 24GB", VAST, set()),
        ("4090 48GB", VAST, {"vram"}),
        ("4090 48GB, 4090 24GB", VAST, set()),
        ("any vram>=24", VAST, set()),
        ("any vram>=48", VAST, {"vram"}),
        ("4090 x2", VAST, {"count"}),
        ("4090 x1-4", VAST._replace(gpu_count=4), set()),
        ("4090 x1-4", VAST._replace(gpu_count=5), {"count"}),
        ("4090 x4+", VAST._replace(gpu_count=14), set()),
        ("4090 x4+", VAST._replace(gpu_count=3), {"count"}),
        ("4090 runpod", VAST, {"market"}),
        ("4090 datacenter", VAST, {"tier"}),
        ("4090", RUNPOD._replace(tier="community"), {"tier"}),
        ("4090 community", RUNPOD._replace(tier="community"), set()),
        ("4090", VAST._replace(verified=False), {"unverified"}),
        ("4090", VAST._replace(verified=None), {"unverified"}),
        ("4090 unverified", VAST._replace(verified=False), set()),
        ("4090", RUNPOD, set()),
        ("4090 disk:500", VAST, set()),
        ("4090 disk:501", VAST, {"disk"}),
        ("4090 disk:100", VAST._replace(disk_space_gb=None), {"disk"}),
        ("4090 disk:500", RUNPOD, set()),
        ("4090 down>=800", VAST, set()),
        ("4090 down>=801", VAST, {"down"}),
        ("4090 down>=1", VAST._replace(down_mbps=None), {"down"}),
        ("4090 ram>=64", VAST, set()),
        ("4090 ram>=65", VAST, {"ram"}),
        ("4090 ram>=1", RUNPOD, {"ram"}),
        ("4090 cuda>=12.8", VAST, set()),
        ("4090 cuda>=12.10", VAST, {"cuda"}),
        ("4090 cuda>=12.8", VAST._replace(cuda=None), {"cuda"}),
        ("4090 dur>=10d", VAST, set()),
        ("4090 dur>10d", VAST, {"duration"}),
        ("4090 dur>=1h", VAST._replace(ends_at=None), {"duration"}),
        ("4090 spot", VAST._replace(interruptible_price=None), {"terms"}),
        ("3090 x2 <=0.10 in:BR dur>=30d", VAST, {"card", "count", "price", "country", "duration"}),
    ],
)  # fmt: skip
def test_every_filter_that_fails_is_named_and_no_other(text: str, offer: Offer, misses: set[str]) -> None:
    assert reasons(text, offer) == misses


def test_the_ceiling_is_per_gpu_unless_it_is_a_total() -> None:
    four = VAST._replace(gpu_count=4, price=1_400_000)
    assert passes("4090 x4 <=0.36", four)
    assert not passes("4090 x4 <=0.36 total", four)
    assert passes("4090 x4 <=1.40 total", four)
    two = RUNPOD._replace(gpu_count=2, price=1_380_000)
    assert passes("4090 x2 <=0.69", two)
    assert not passes("4090 x2 <=0.69 total", two)


def test_an_equal_price_passes_and_a_millionth_more_does_not() -> None:
    assert passes("4090 <=0.35", VAST)
    assert not passes("4090 <=0.349999", VAST)
    third = VAST._replace(gpu_count=3, price=1_000_000)
    assert passes("4090 x3 <=0.333334", third)
    assert not passes("4090 x3 <=0.333333", third)


def test_the_disk_asked_for_is_inside_a_vast_price() -> None:
    offer = VAST._replace(price=301_667)  # 0.30 and 8 GB at 0.15 a month
    assert passes("4090 <=0.31", offer)
    assert not passes("4090 <=0.31 disk:100", offer)
    assert passes("4090 <=0.33 disk:100", offer)
    assert passes("4090 <=0.69 disk:1000", RUNPOD)


def test_a_disk_moves_the_price_by_less_than_a_rounding_would_show() -> None:
    offer = VAST._replace(price=350_000, storage_price=1)
    assert passes("4090 <=0.35 disk:8", offer)
    assert not passes("4090 <=0.35 disk:9", offer)


def test_interruptible_compares_the_bid_floor_and_never_the_on_demand_price() -> None:
    offer = VAST._replace(price=240_000, interruptible_price=120_000)
    assert not passes("4090 <=0.15", offer)
    assert passes("4090 <=0.15 spot", offer)
    assert not passes("4090 <=0.12 spot", offer)  # the disk comes on top


@pytest.mark.parametrize(
    ("ppm", "fits"),
    [(970_000, True), (950_100, True), (950_001, True), (950_000, False), (949_900, False), (None, False)],
)
def test_above_95_per_cent_means_strictly_above_and_known(ppm: int | None, fits: bool) -> None:
    assert passes("4090", VAST._replace(reliability_ppm=ppm)) is fits


def test_at_least_98_per_cent_includes_98() -> None:
    assert passes("4090 rel>=98", VAST._replace(reliability_ppm=980_000))
    assert not passes("4090 rel>=98", VAST._replace(reliability_ppm=979_999))
    assert passes("4090 rel>=98", RUNPOD)


@pytest.mark.parametrize(
    ("text", "offer", "fits"),
    [
        ("4090 in:PT", VAST, True),
        ("4090 in:BR", VAST, False),
        ("4090 not:PT", VAST, False),
        ("4090 not:CN", VAST, True),
        ("4090 in:BR", VAST._replace(country=None), False),
        ("4090 not:BR", VAST._replace(country=None), True),
        ("4090 in:RO", RUNPOD, True),
        ("4090 in:BR", RUNPOD, False),
        ("4090 not:US", RUNPOD, True),
        ("4090 not:US,RO", RUNPOD, False),
        ("4090 in:US not:RO", RUNPOD, True),
        ("4090 in:RO", RUNPOD._replace(data_centers=()), False),
        ("4090 not:RO", RUNPOD._replace(data_centers=()), True),
        ("4090 in:IS", RUNPOD._replace(data_centers=("EUR-IS-1",)), True),
        ("4090 dc:EU-RO-1", RUNPOD, True),
        ("4090 dc:EU-RO-1,CA-MTL-1", RUNPOD, True),
        ("4090 dc:CA-MTL-1", RUNPOD, False),
        ("4090 dc:CA-MTL-1", RUNPOD._replace(data_centers=()), False),
        ("4090 dc:US-KS-2,CA-MTL-1 in:CA", RUNPOD, False),
    ],
)
def test_a_place_passes_when_one_that_is_offered_does(text: str, offer: Offer, fits: bool) -> None:
    assert passes(text, offer) is fits


def test_a_reason_says_what_was_wanted_and_what_was_found() -> None:
    verdict = judge(rule("4090 x2-4 <=0.30 rel>=98 cuda>=12.10"), VAST._replace(reliability_ppm=None), NOW)
    assert [str(miss) for miss in verdict.misses] == [
        "count: 1, wanted x2-4",
        "reliability: unknown, wanted >=98",
        "price: 0.35, wanted 0.3",
        "cuda: 12.8, wanted 12.10",
    ]
    assert (
        Miss(what="country", wanted=("BR", "US"), found=None)
        in judge(rule("4090 in:BR,US"), VAST._replace(country=None), NOW).misses
    )


def test_a_market_that_can_never_satisfy_a_filter_is_named() -> None:
    assert unsatisfiable(rule("4090 cuda>=12.4 disk:100 in:BR vram>=24")) == {}
    for text in ("4090 down>=500", "4090 ram>=64", "4090 dur>=3d"):
        assert set(unsatisfiable(rule(text))) == {"runpod"}
        assert unsatisfiable(rule(f"{text} vast")) == {}
    assert set(unsatisfiable(rule("4090 community in:BR"))) == {"runpod community"}


def test_what_is_named_as_unsatisfiable_indeed_never_matches() -> None:
    for text in ("4090 down>=1 any tier", "4090 ram>=1 any tier", "4090 dur>=1h any tier"):
        assert unsatisfiable(rule(text))
        assert not passes(text, RUNPOD)
        assert not passes(text, RUNPOD._replace(tier="community"))
    assert not passes("4090 community in:US", RUNPOD._replace(tier="community", data_centers=()))


OFFERS = st.builds(
    VAST._replace,
    market=st.sampled_from(("vast", "runpod")),
    gpu=st.sampled_from(("RTX 4090", "H100 SXM", "C500 SXM9")),
    gpu_count=st.integers(1, 4),
    vram_gb=st.sampled_from((24, 48, 80)),
    tier=st.sampled_from(("datacenter", "secure", "community")),
    price=st.integers(1, 1_000_000),
    storage_price=st.none() | st.integers(0, 200_000),
    interruptible_price=st.none() | st.integers(1, 1_000_000),
    reliability_ppm=st.none() | st.integers(940_000, 1_000_000),
    verified=st.sampled_from((True, False, None)),
    country=st.sampled_from(("BR", "US", None)),
    data_centers=st.sampled_from(((), ("EU-RO-1",), ("US-KS-2", "EU-RO-1"), ("??",))),
    disk_space_gb=st.none() | st.integers(0, 200),
    down_mbps=st.none() | st.integers(0, 1000),
    ram_gb=st.none() | st.integers(0, 128),
    cuda=st.none() | st.integers(12_000, 12_010),
    ends_at=st.none() | st.integers(int(NOW.timestamp()), int(NOW.timestamp()) + 1000),
)
CHOICES = (
    CardChoice(name="RTX 4090", cards=frozenset({"RTX 4090"})),
    CardChoice(name="H100", cards=frozenset({"H100 SXM", "H100 NVL"}), vram_gb=80),
)
ON_TERMS: tuple[Terms, ...] = ("on_demand", "interruptible")
RULES = st.builds(
    Rule,
    choices=st.lists(st.sampled_from(CHOICES), max_size=2).map(tuple),
    ceiling=st.none() | st.integers(1, 1_000_000),
    ceiling_is_total=st.booleans(),
    counts=st.sampled_from(((1, 1), (2, 4), (1, None))),
    reliability_above=st.integers(940_000, 999_999),
    places=st.sampled_from((EVERY_PLACE, DEFAULT_PLACES)),
    terms=st.sampled_from(ON_TERMS),
    countries=st.sampled_from((frozenset[str](), frozenset({"BR", "RO"}))),
    not_countries=st.sampled_from((frozenset[str](), frozenset({"US"}))),
    data_centers=st.sampled_from((frozenset[str](), frozenset({"EU-RO-1"}))),
    disk_gb=st.sampled_from((8, 100)),
    min_down_mbps=st.none() | st.integers(1, 1000),
    min_ram_gb=st.none() | st.integers(1, 128),
    min_cuda=st.none() | st.integers(12_000, 12_010),
    min_vram_gb=st.none() | st.sampled_from((24, 48)),
    min_duration_s=st.none() | st.integers(1, 1000),
    unverified=st.booleans(),
    until=st.none() | st.just(date(2026, 12, 24)),
)


@given(RULES, OFFERS)
@settings(deadline=None, max_examples=100)
def test_the_fast_decision_is_the_explained_one(a_rule: Rule, offer: Offer) -> None:
    verdict = judge(a_rule, offer, NOW)
    assert matches(a_rule, offer, NOW) is verdict.passes
    assert all(str(miss) for miss in verdict.misses)

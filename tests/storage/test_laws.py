"""What holds whatever the answers are: checked on random markets, gaps and restarts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from market.alert import price_per_gpu
from market.changes import reliability_class
from market.offer import Offer
from storage.book import Book
from storage.history import history
from storage.rates import TERMS
from tests.storage.stage import CENSUS, PROBE, START, Stage, vast

offers = st.builds(
    vast,
    machine=st.integers(1, 4),
    count=st.sampled_from([1, 2]),
    price=st.sampled_from([0.2, 0.35, 0.5]),
    tier=st.sampled_from(["community", "community", "datacenter"]),
    reliability_ppm=st.sampled_from([None, 940_000, 960_000, 990_000]),
    verified=st.sampled_from([True, True, False]),
    offer_id=st.sampled_from(["1", "2"]),
    interruptible_price=st.sampled_from([None, 100_000, 200_000]),
)
answers = st.lists(offers, max_size=6, unique_by=lambda offer: offer.key)
steps = st.lists(
    st.tuples(
        st.sampled_from(["census", "probe", "cut", "failed", "restart"]),
        answers,
        st.sampled_from([0.4, 5.0, 60.0, 3600.0, 700_000.0, -30.0, -4000.0]),
    ),
    max_size=12,
)


@contextmanager
def staged(blank: Path) -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        path.write_bytes(blank.read_bytes())
        stage = Stage(path)
        yield stage
        stage.store.close()


def play(stage: Stage, kind: str, shown: list[Offer], wait: float) -> None:
    if kind == "restart":
        stage.reopen()
    elif kind == "failed":
        stage.fail(wait=wait)
    else:
        coverage = PROBE if kind == "probe" else replace(CENSUS, verified_only=False)
        stage.scan(*shown, coverage=coverage, complete=kind != "cut", wait=wait)


def mirror(stage: Stage) -> Book:
    return stage.recorder._mirror.book


def reloaded(stage: Stage) -> Book:
    with stage.store.read() as connection:
        return Book.load(connection)


@settings(max_examples=20, deadline=None)
@given(steps=steps)
def test_spans_of_an_offer_never_overlap(blank: Path, steps: list[tuple[str, list[Offer], float]]) -> None:
    with staged(blank) as stage:
        for kind, shown, wait in steps:
            play(stage, kind, shown, wait)
        spans: dict[str, list[tuple[int, float]]] = {}
        closed = "SELECT o.key, s.t1 - s.dur, s.t1 FROM span s JOIN offer o USING (offer_id)"
        for key, start, end in stage.rows(closed):
            spans.setdefault(key, []).append((start, end))
        for key, start in stage.rows("SELECT o.key, c.t0 FROM cur c JOIN offer o USING (offer_id)"):
            spans.setdefault(key, []).append((start, float("inf")))
        for parts in spans.values():
            assert all(one[1] <= other[0] for one, other in pairwise(sorted(parts)))
        assert stage.rows("PRAGMA foreign_key_check") == []


@settings(max_examples=20, deadline=None)
@given(steps=steps)
def test_what_is_held_in_memory_is_what_would_be_read_again(
    blank: Path, steps: list[tuple[str, list[Offer], float]]
) -> None:
    with staged(blank) as stage:
        for kind, shown, wait in steps:
            play(stage, kind, shown, wait)
            if kind == "restart":
                continue
            kept, read = mirror(stage), reloaded(stage)
            assert {m: o for m, o in kept.known.items() if o} == {m: o for m, o in read.known.items() if o}
            assert {key: _place(kept, key) for key in kept.stays} == {key: _place(read, key) for key in read.stays}
            assert {id_: shelf.keys() for id_, shelf in kept.shelves.items()} == {
                id_: shelf.keys() for id_, shelf in read.shelves.items()
            }
            assert {key: stay.rates for key, stay in kept.stays.items()} == {
                key: stay.rates for key, stay in read.stays.items()
            }
            assert kept.machines == read.machines
            assert kept.market_ids == read.market_ids
            assert {text: (a.coverage_id, a.last_at, a.members) for text, a in kept.asked.items()} == {
                text: (a.coverage_id, a.last_at, a.members) for text, a in read.asked.items()
            }
            assert {place: price for place, price in kept.floors.items() if price is not None} == {
                place: price for place, price in read.floors.items() if price is not None
            }
            assert kept.latest == read.latest


def _place(book: Book, key: str) -> tuple[object, ...]:
    stay = book.stays[key]
    return stay.offer_id, stay.market_id, stay.since, stay.t0, stay.coverage_id, book.seen_ms(key)


@settings(max_examples=20, deadline=None)
@given(steps=steps)
def test_the_floor_is_the_cheapest_open_offer(blank: Path, steps: list[tuple[str, list[Offer], float]]) -> None:
    with staged(blank) as stage:
        for kind, shown, wait in steps:
            play(stage, kind, shown, wait)
        book = reloaded(stage)
        for market_id, shelf in book.shelves.items():
            for number, terms in enumerate(TERMS):
                for grade in (0, 95):
                    prices = [
                        price_per_gpu(offer, terms, 8)
                        for offer in map(book.open_in("vast").__getitem__, shelf)
                        if offer.verified is not False
                        and (terms == "on_demand" or offer.interruptible_price is not None)
                        and reliability_class(offer.reliability_ppm) >= grade
                    ]
                    assert book.floors.get((market_id, number, grade)) == min(prices, default=None)


@settings(max_examples=20, deadline=None)
@given(
    kinds=st.lists(
        st.tuples(st.sampled_from(["census", "census", "cut", "failed"]), st.sampled_from([10.0, 60.0, 200.0])),
        min_size=1,
        max_size=15,
    ),
    gap=st.sampled_from([20.0, 60.0]),
)
def test_an_answer_holds_until_the_next_one_and_two_gaps_at_most(
    blank: Path, kinds: list[tuple[str, float]], gap: float
) -> None:
    with staged(blank) as stage:
        expected = []
        for kind, wait in kinds:
            if kind == "census":
                expected.append((stage.now, stage.now + timedelta(seconds=min(wait, 2 * gap))))
            if kind == "failed":
                stage.fail(wait=wait)
            else:
                stage.scan(complete=kind == "census", wait=wait)
        told = history(
            stage.store,
            cards=frozenset({"RTX 4090"}),
            start=START,
            end=stage.now,
            gap_s={},
            contact_s=gap,
            market="vast",
        )
        joined: list[tuple[datetime, datetime]] = []
        for start, end in expected:
            if joined and joined[-1][1] == start:
                joined[-1] = (joined[-1][0], end)
            else:
                joined.append((start, end))
        assert list(told.known) == joined
        assert told.samples == sum(kind != "failed" for kind, _ in kinds)


@settings(max_examples=20, deadline=None)
@given(first=answers, shown=answers, kind=st.sampled_from(["failed", "cut", "probe"]))
def test_an_answer_that_is_not_whole_closes_no_stay(
    blank: Path, first: list[Offer], shown: list[Offer], kind: str
) -> None:
    with staged(blank) as stage:
        play(stage, "census", first, 60)
        before = set(reloaded(stage).stays)
        play(stage, kind, shown, 60)
        assert before <= set(reloaded(stage).stays)

"""Laws of the rule language that hold for every text and every rule, tried on random ones."""

from __future__ import annotations

import contextlib
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from market.gpu import CATALOGUE
from market.grammar import read_card, read_rule, write_rule
from market.grammar.places import NAMEABLE, words_for
from market.names import seen_name
from market.place import COUNTRIES
from market.rule import CardChoice, Place, Rule, RuleError

TODAY = date(2026, 12, 1)
SEEN = CATALOGUE.with_seen(["C500 SXM9", "Gaudi 2", "Zeta, the (new) card", "Läufer X-1"])
NAMES = sorted({choice.name for choice in SEEN.typed.values()})
CODES = st.frozensets(st.sampled_from(sorted(COUNTRIES)), max_size=4)
PIECES = (
    "4090", "RTX", "A100 80GB", "H100", "6000", "any", "tier", "vast", "runpod", "secure", "community", "datacenter",
    "spot", "on-demand", "x4", "4x", "x2-4", "x4+", "rel>95", "rel>=98%", "<=0.40", "max", "0.40", "0,40", "total",
    "$", "US$", "R$ 2,00", "in:BR,US", "not:CN", "dc:EU-RO-1", "disk:100", "down>=500", "vram>=48", "cuda>=12.4",
    "dur>=3d", "drop:10%", "low:30d", "shortage", "once", "until:2026-12-24", 'name:"a b"', "name:'", ",", ":", ">=",
    "GB", "nan", "-1", "\\", '"', "²", "\x00", "\ud800", "İ", "ß", "x", "×", "-", "_",
)  # fmt: skip


def _words(places: frozenset[Place]) -> tuple[str, ...]:
    return words_for(places, spot=False)


def outcome(text: str) -> Rule | RuleError:
    try:
        return read_rule(text, catalogue=SEEN, today=TODAY)
    except RuleError as error:
        return error


@st.composite
def choices(draw: st.DrawFn) -> CardChoice:
    name = draw(st.sampled_from(NAMES))
    known = read_card(name, catalogue=SEEN)
    sizes = SEEN.sizes(known.cards)
    size = draw(st.none() | st.sampled_from(sizes)) if sizes else None
    return known if size is None else read_card(f"{name} {size}GB", catalogue=SEEN)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    places: frozenset[Place] = draw(st.sampled_from(sorted(NAMEABLE, key=_words)))
    on_vast = all(market == "vast" for market, _ in places)
    low = draw(st.integers(1, 16))
    countries = draw(CODES)
    return Rule(
        choices=tuple(dict.fromkeys(draw(st.lists(choices(), max_size=3)))),
        ceiling=(ceiling := draw(st.none() | st.integers(1, 50_000_000))),
        ceiling_is_total=ceiling is not None and draw(st.booleans()),
        counts=(low, draw(st.none() | st.integers(low, 32))),
        reliability_above=draw(st.integers(9_999, 999_999)),
        places=places,
        terms="interruptible" if on_vast and draw(st.booleans()) else "on_demand",
        countries=countries,
        not_countries=draw(CODES) - countries,
        data_centers=frozenset(draw(st.sampled_from([(), ("ZZ-QQ-1",)])))
        if places == {("runpod", "secure")} and not countries
        else frozenset(),
        disk_gb=draw(st.integers(1, 5000)),
        min_down_mbps=draw(st.none() | st.integers(1, 100_000)),
        min_ram_gb=draw(st.none() | st.integers(1, 4096)),
        min_cuda=draw(st.none() | st.builds(lambda a, b: a * 1000 + b, st.integers(1, 20), st.integers(0, 20))),
        min_vram_gb=draw(st.none() | st.integers(1, 2)),  # what every card has: nothing to contradict
        min_duration_s=draw(st.none() | st.integers(1, 10_000_000)),
        unverified=draw(st.booleans()),
        drop_ppm=draw(st.none() | st.integers(1, 999_999)),
        low_days=draw(st.none() | st.integers(1, 365)),
        shortage=draw(st.booleans()),
        once=draw(st.booleans()),
        until=draw(st.none() | st.dates(TODAY)),
        name=draw(
            st.none()
            | st.text(
                st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")) | st.sampled_from("\"\\“”„‘’', <≤×"),
                min_size=1,
                max_size=40,
            )
            .map(seen_name)
            .filter(lambda name: 0 < len(name) <= 40)
        ),
    )


@given(rules())
@settings(deadline=None, max_examples=30)
def test_the_canonical_text_of_a_rule_gives_the_same_rule(rule: Rule) -> None:
    text = write_rule(rule, catalogue=SEEN)
    assert read_rule(text, catalogue=SEEN, today=TODAY) == rule


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(PIECES), max_size=8).flatmap(
        lambda pieces: st.sampled_from([" ", "", ", "]).map(lambda glue: glue.join(pieces))
    )
)
@settings(deadline=None, max_examples=80)
def test_any_text_gives_a_rule_that_can_be_sent_back_or_a_refusal(text: str) -> None:
    found = outcome(text)
    if isinstance(found, RuleError):
        assert found.problem
        assert len(found.word) <= 100
        assert found.word.isprintable()
        assert str(found).isprintable()
    else:
        said = write_rule(found, catalogue=SEEN)
        assert outcome(said) == found


@given(st.text(max_size=80))
@settings(deadline=None, max_examples=40)
def test_any_text_gives_a_card_or_a_refusal(text: str) -> None:
    with contextlib.suppress(RuleError):
        assert read_card(text, catalogue=SEEN).cards


EVERYDAY = (
    "4090 <=0.40 x2 rel>98 vast",
    "H100 80GB, A100 SXM 40GB 2.50 any tier",
    "L4 0,40 4x in:BR",
    "RTX 6000 Ada max 1 total",
    "any vram>=48 spot",
)


@given(st.lists(st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join), max_size=4))
@settings(deadline=None, max_examples=30)
def test_no_name_seen_in_an_answer_changes_what_rules_mean(names: list[str]) -> None:
    larger = CATALOGUE.with_seen(names)
    for text in EVERYDAY:
        before = read_rule(text, catalogue=CATALOGUE, today=TODAY)
        after = read_rule(text, catalogue=larger, today=TODAY)
        assert write_rule(after, catalogue=larger) == write_rule(before, catalogue=CATALOGUE)


def test_every_nameable_set_of_places_has_words_of_its_own() -> None:
    written = [_words(places) for places in NAMEABLE]
    assert len(written) == len(set(written)) == 12

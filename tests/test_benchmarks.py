"""The benchmarks work: each gives plausible figures at small sizes. How fast anything is, is not a matter for tests."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchmarks import idling, judging, matching, parsing, report, storing
from benchmarks.__main__ import BENCHMARKS, PAGE, main
from benchmarks.figure import Figure, Result, Skipped
from benchmarks.listing import Listing
from benchmarks.size import QUICK
from benchmarks.wishes import wishes
from market.gpu import CATALOGUE
from market.grammar import read_rule, write_rule


def figures(results: list[Result]) -> list[Figure]:
    return [result for result in results if isinstance(result, Figure)]


def test_reading_is_measured() -> None:
    (figure,) = figures(parsing.measure(QUICK))
    assert 0 < figure.measured < 10_000
    assert "400 offers read" in figure.detail


def test_without_its_rival_reading_is_measured_alone_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    figure, skipped = parsing.measure(QUICK)
    assert isinstance(figure, Figure)
    assert figure.baseline is None
    assert isinstance(skipped, Skipped)
    assert "not installed" in skipped.reason


def test_judging_a_scan_is_measured_to_the_outbox() -> None:
    (figure,) = figures(judging.measure(QUICK))
    assert 0 < figure.measured < 10_000
    assert "400 rules" in figure.detail


def test_storing_a_scan_writes_the_same_rows_as_the_orm() -> None:
    (figure,) = figures(storing.measure(QUICK))
    assert figure.baseline is not None
    assert 0 < figure.measured < figure.baseline < 10_000


def test_matching_finds_what_judging_each_pair_finds() -> None:
    (figure,) = figures(matching.measure(QUICK))
    assert figure.ratio is not None
    assert figure.ratio > 1


@pytest.mark.long
def test_the_idle_product_is_weighed_as_a_process_that_asks_the_market() -> None:
    results = idling.measure(QUICK)
    if isinstance(results[0], Skipped):
        pytest.skip(results[0].reason)
    (figure,) = figures(results)
    assert 20 < figure.measured < 1_000


def test_a_scan_moves_one_per_cent_each_way_and_keeps_the_size_of_the_book() -> None:
    listing = Listing(400)
    before = {offer.key: offer for offer in listing.snapshot().offers}
    listing.move_on()
    after = {offer.key: offer for offer in listing.snapshot().offers}
    assert len(before) == len(after) == 400
    assert len(before.keys() - after.keys()) == len(after.keys() - before.keys()) == 4
    assert sum(before[key].price != after[key].price for key in before.keys() & after.keys()) == 4


def test_the_rules_are_canonical_and_the_same_on_every_run() -> None:
    offers = Listing(400).snapshot().offers
    texts = wishes(offers, 200)
    catalogue = CATALOGUE.with_seen({offer.gpu for offer in offers})
    assert texts == wishes(offers, 200)
    rules = [read_rule(text, catalogue=catalogue, today=date.min) for text in texts]
    assert [write_rule(rule, catalogue=catalogue) for rule in rules] == texts


def test_a_figure_holds_only_if_both_its_bounds_do() -> None:
    assert Figure(claim="a", measured=2.0, baseline=20.0, times_better=10, at_most=2).ok
    assert not Figure(claim="a", measured=2.0, baseline=19.9, times_better=10).ok
    assert not Figure(claim="a", measured=2.1, baseline=90.0, times_better=10, at_most=2).ok
    assert not Figure(claim="a", measured=2.0, times_better=10).ok


def test_the_table_replaces_only_what_was_measured_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", encoding="utf-8")
    results: list[Result] = [
        Figure(claim="fast", measured=1.0, baseline=12.0, against="a rival", times_better=10, detail="ten of them"),
        Skipped(claim="faster", reason="no rival here"),
    ]
    report.write(page, results, "the command")
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{report.BEGIN}\n")
    assert text.endswith(f"{report.END}\nafter\n")
    assert "old" not in text
    assert "| fast | 1 ms | 12 ms | 12.0 times | at least 10 times better | yes |" in text
    assert "- faster: no rival here" in text


def test_a_page_without_its_marks_is_refused_and_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("something else\n", encoding="utf-8")
    with pytest.raises(ValueError, match="lacks the lines"):
        report.write(page, [], "the command")
    assert page.read_text(encoding="utf-8") == "something else\n"


def test_the_page_of_the_documentation_has_a_place_for_the_table_and_names_every_claim() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert report.BEGIN in text
    assert report.END in text
    for claim in (parsing.CLAIM, judging.CLAIM, storing.CLAIM, idling.CLAIM, matching.CLAIM):
        assert claim in text


def test_the_command_runs_what_is_named_and_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "matching"]) == 0
    assert matching.CLAIM in capsys.readouterr().out
    for wrong in (["speed"], ["--quick", "--write"], ["--write", *list(BENCHMARKS)[:1]]):
        with pytest.raises(SystemExit) as stop:
            main(wrong)
        assert stop.value.code == 2

"""A rule is understood as people write it, said back in one form, and refused by its offending word."""

from __future__ import annotations

from datetime import date

import pytest

from market.gpu import CATALOGUE
from market.grammar import problems, read_card, read_rule, write_rule
from market.rule import Rule, RuleError

TODAY = date(2026, 12, 1)
SEEN = CATALOGUE.with_seen(["C500 SXM9", "RTX 4090 x8", "Gaudi 2"])


def read(text: str) -> Rule:
    return read_rule(text, catalogue=SEEN, today=TODAY)


def canonical(text: str) -> str:
    return write_rule(read(text), catalogue=SEEN)


def refused(text: str) -> RuleError:
    with pytest.raises(RuleError) as caught:
        read(text)
    return caught.value


@pytest.mark.parametrize(
    "text",
    ["4090", "rtx4090", "RTX_4090", "rtx 4090", "NVIDIA GeForce RTX 4090", " RTX  4090 ", "RTX-4090", "GeForce 4090",
     "RTX\u00a04090", "rtx\n4090"],
)  # fmt: skip
def test_every_spelling_of_a_card_is_the_card(text: str) -> None:
    assert canonical(text) == "RTX 4090"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("4090", "RTX 4090 D"),
        ("4090", "RTX 4090 Laptop GPU"),
        ("3080", "RTX 3080 Ti"),
        ("L4", "L40S"),
        ("L4", "L40"),
        ("A10", "A100 PCIE"),
        ("A100", "RTX A1000"),
        ("4070", "RTX 4070S Ti"),
        ("A4000", "RTX 4000Ada"),
    ],
)
def test_a_card_is_not_another_one_whose_name_contains_it(typed: str, offered: str) -> None:
    names = read(typed).card_names()
    assert names is not None
    assert SEEN.card_of("vast", offered) not in names


def test_a_family_is_all_its_cards_and_a_variant_only_itself() -> None:
    assert read("H100").card_names() == frozenset({"H100 SXM", "H100 PCIe", "H100 NVL"})
    assert read("H100 NVL").card_names() == frozenset({"H100 NVL"})
    assert "Tesla V100" in (read("V100").card_names() or ())
    workstation = frozenset({"RTX PRO 6000", "RTX PRO 6000 WS", "RTX PRO 6000 SE", "RTX PRO 6000 Max-Q"})
    assert read("RTX PRO 6000").card_names() == workstation


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RTX_4090 max 0.40 x2-4 rel>=98 vast", "RTX 4090 <=0.40 x2-4 rel>=98 vast"),
        ("vast x4 <=1 total 4090", "RTX 4090 <=1.00 total x4 vast"),
        ("4090 <=1.60total x4", "RTX 4090 <=1.60 total x4"),
        ("4090 x4 1,60total", "RTX 4090 <=1.60 total x4"),
        ("4090 x4 max $1.60TOTAL", "RTX 4090 <=1.60 total x4"),
        ("B300 x8 100total, vast", "B300 <=100.00 total x8 vast"),
        ("4090, 3090 0,35", "RTX 4090, RTX 3090 <=0.35"),
        ("4090,3090", "RTX 4090, RTX 3090"),
        ("4090, RTX 4090", "RTX 4090"),
        ("A10 0,40", "A10 <=0.40"),
        ("L4 0.40", "L4 <=0.40"),
        ("4090D", "RTX 4090 D"),
        ("4090 d x2", "RTX 4090 D x2"),
        ("4070 ti super", "RTX 4070 Ti Super"),
        ("A100 80GB", "A100 80GB"),
        ("A100-80 GB x8", "A100 80GB x8"),
        ("A100 SXM 40GB", "A100 SXM 40GB"),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"),
        ("PRO 6000 MIG 24GB", "RTX PRO 6000 MIG 24GB"),
        ("any vram>=48", "any vram>=48"),
        ("vram>=48 GB 0.40", "any <=0.40 vram>=48"),
        ("C500 SXM9 <=5", "C500 SXM9 <=5.00"),
        ("gaudi 2 <=3", "Gaudi 2 <=3.00"),
        ("RTX 4090 x8", "RTX 4090 x8"),
        ("4090≤0.40", "RTX 4090 <=0.40"),
        ("4090 ‹ 0.40", "RTX 4090 <=0.40"),
        ("4090 <=US$ 0.345 / h", "RTX 4090 <=0.345"),
        ("4090 $0.40/hr", "RTX 4090 <=0.40"),
        ("4090 0.40 USD", "RTX 4090 <=0.40"),
        ("B300 x8 100 total", "B300 <=100.00 total x8"),
        ("4090 ×4", "RTX 4090 x4"),
        ("4090 4x", "RTX 4090 x4"),
        ("4090 x2–4", "RTX 4090 x2-4"),
        ("4090 x4+", "RTX 4090 x4+"),
        ("4090 x4-4", "RTX 4090 x4"),
        ("4090 x1 rel>95 on-demand disk:8", "RTX 4090"),
        ("4090 rel > 99,5 %", "RTX 4090 rel>99.5"),
        ("4090 REL≥98", "RTX 4090 rel>=98"),
        ("4090 rel:98", "RTX 4090 rel>=98"),
        ("4090 rel>=100", "RTX 4090 rel>=100"),
        ("4090 rel>1", "RTX 4090 rel>1"),
        ("4090 rel>=1", "RTX 4090 rel>=1"),
        ("4090 runpod", "RTX 4090 runpod secure"),
        ("4090 secure", "RTX 4090 runpod secure"),
        ("4090 datacenter", "RTX 4090 vast datacenter"),
        ("4090 community", "RTX 4090 community"),
        ("4090 vast runpod", "RTX 4090"),
        ("4090 any tier", "RTX 4090 any tier"),
        ("4090 runpod any tier", "RTX 4090 runpod any tier"),
        ("4090 runpod secure community", "RTX 4090 runpod any tier"),
        ("4090 spot", "RTX 4090 vast spot"),
        ("4090 community spot", "RTX 4090 vast community spot"),
        ("4090 in:br, us not:cn", "RTX 4090 in:BR,US not:CN"),
        ("4090 dc:eu-ro-1", "RTX 4090 runpod secure dc:EU-RO-1"),
        ("4090 disk:100GB down>=500 Mbit/s ram>=64 GB", "RTX 4090 disk:100 down>=500 ram>=64"),
        ("4090 down>=1Gbit/s", "RTX 4090 down>=1000"),
        ("4090 cuda>=12.10", "RTX 4090 cuda>=12.10"),
        ("4090 cuda>12,4 unverified", "RTX 4090 cuda>=12.5 unverified"),
        ("4090 dur>=72h", "RTX 4090 dur>=3d"),
        ("4090 dur>=1.5 days", "RTX 4090 dur>=36h"),
        ("4090 drop:10% low:30d shortage once", "RTX 4090 drop:10% low:30d shortage once"),
        ("4090 until:2026-12-01 name:lora", "RTX 4090 until:2026-12-01 name:lora"),
        ("4090 name:'night run'", 'RTX 4090 name:"night run"'),
        ('4090 name:"a \\"b\\" \\\\ <c>"', 'RTX 4090 name:"a \\"b\\" \\\\ <c>"'),
        ("4090 name:“à noite” x2", 'RTX 4090 x2 name:"à noite"'),
    ],
)  # fmt: skip
def test_what_was_understood_is_said_in_canonical_form(text: str, said: str) -> None:
    rule = read(text)
    assert write_rule(rule, catalogue=SEEN) == said
    assert read(said) == rule


@pytest.mark.parametrize(
    ("text", "word", "problem"),
    [
        ("", "", problems.EMPTY),
        ("  ", "", problems.EMPTY),
        ("x4 <=1", "x4 <=1", problems.NO_CARD),
        ("6000", "6000", problems.AMBIGUOUS),
        ("RTX 6000 <=1", "RTX 6000", problems.AMBIGUOUS),
        ("4090, 4000", "4000", problems.AMBIGUOUS),
        ("RTX 5091 <=1", "RTX 5091", problems.UNKNOWN_WORD),
        ("4090 please", "please", problems.UNKNOWN_WORD),
        ("4090q", "4090q", problems.UNKNOWN_WORD),
        ("4090 total", "total", problems.UNKNOWN_WORD),
        ("4090 x2 3090", "3090", problems.CARDS_APART),
        ("any, 4090", "4090", problems.ANY_AND_CARDS),
        ("4090 any", "any", problems.ANY_AND_CARDS),
        ("4090,", ",", problems.DANGLING_COMMA),
        (", 4090", ",", problems.DANGLING_COMMA),
        ("4090,, 3090", ",", problems.DANGLING_COMMA),
        ("A100 24GB", "A100 24GB", problems.UNKNOWN_SIZE),
        ("4090 0GB", "4090 0GB", problems.UNKNOWN_SIZE),
        ("24GB", "24GB", problems.SIZE_WITHOUT_CARD),
        ("A100 40GB vram>=80", "vram>=80", problems.MEMORY_CONTRADICTION),
        ("4090 100", "100", problems.AMBIGUOUS),
        ("4090 150", "150", problems.BARE_NUMBER),
        ("0.40 4090", "0.40", problems.BARE_NUMBER),
        ("4090 <=0", "0", problems.PRICE_ZERO),
        ("L4 0", "0", problems.PRICE_ZERO),
        ("4090 <=-1", "-1", problems.PRICE_ZERO),
        ("4090 <=nan", "nan", problems.NOT_A_PRICE),
        ("4090 inf", "inf", problems.NOT_A_PRICE),
        ("4090 <=1e999", "1e999", problems.NOT_A_PRICE),
        ("4090 <=٤", "٤", problems.NOT_A_PRICE),
        ("4090 <=9999999999", "9999999999", problems.PRICE_TOO_HIGH),
        ("4090 <=0.1234567", "0.1234567", problems.PRICE_TOO_FINE),
        ("4090 <=1.234,50", "1.234,50", problems.TWO_SEPARATORS),
        ("4090 R$ 2,00", "R$", problems.OTHER_CURRENCY),
        ("4090 <=R$2,00", "R$2,00", problems.OTHER_CURRENCY),
        ("4090 2 EUR", "2 EUR", problems.OTHER_CURRENCY),
        ("4090 <=2 reais", "2 reais", problems.OTHER_CURRENCY),
        ("4090 €2", "€2", problems.OTHER_CURRENCY),
        ("4090 >0.40", ">0.40", problems.FLOOR_PRICE),
        ("4090 <=0.40 <=0.50", "<=0.50", problems.TWICE),
        ("4090 <=0.40 max 0.50", "max 0.50", problems.TWICE),
        ("4090 x1 x2", "x2", problems.TWICE),
        ("4090 rel>95 rel>98", "rel", problems.TWICE),
        ("4090 spot on-demand", "on-demand", problems.TWICE),
        ("4090 once once", "once", problems.TWICE),
        ("4090 x0", "x0", problems.COUNT_ZERO),
        ("4090 x4-2", "x4-2", problems.COUNT_REVERSED),
        ("4090 x9999999", "x9999999", problems.OUT_OF_RANGE),
        ("4090 rel>0.95", "0.95", problems.FRACTION),
        ("4090 rel>99.99999", "99.99999", problems.PERCENT_TOO_FINE),
        ("4090 rel>101", "101", problems.FRACTION),
        ("4090 rel>100", "100", problems.ABOVE_HUNDRED),
        ("4090 rel<95", "rel<95", problems.WRONG_COMPARISON),
        ("4090 rel>", "rel>", problems.MISSING_VALUE),
        ("4090 rel", "rel", problems.MISSING_VALUE),
        ("4090 rel>abc", "abc", problems.NOT_A_NUMBER),
        ("4090 disk:100.5", "100.5", problems.NOT_WHOLE),
        ("4090 disk:0", "0", problems.OUT_OF_RANGE),
        ("4090 disk:5TB", "5TB", problems.UNKNOWN_UNIT),
        ("4090 cuda>=12.4.1", "12.4.1", problems.NOT_A_VERSION),
        ("4090 dur>=3", "3", problems.DURATION_UNIT),
        ("4090 vast secure", "vast secure", problems.NO_MARKET_LEFT),
        ("4090 runpod datacenter", "runpod datacenter", problems.NO_MARKET_LEFT),
        ("4090 runpod spot", "runpod spot", problems.SPOT_ON_RUNPOD),
        ("4090 spot secure", "secure spot", problems.SPOT_ON_RUNPOD),
        ("4090 dc:EU-RO-1 vast", "dc:EU-RO-1", problems.DATA_CENTER_ELSEWHERE),
        ("4090 community dc:EU-RO-1", "dc:EU-RO-1", problems.DATA_CENTER_ELSEWHERE),
        ("4090 dc:EU-RO-1 spot", "dc:EU-RO-1", problems.DATA_CENTER_ELSEWHERE),
        ("4090 dc:mars", "mars", problems.NOT_A_DATA_CENTER),
        ("4090 dc:EU-RO-1 in:BR", "dc:EU-RO-1", problems.NO_PLACE_LEFT),
        ("4090 in:BR not:BR", "not:BR", problems.NO_PLACE_LEFT),
        ("4090 in:UK", "UK", problems.NOT_A_COUNTRY),
        ("4090 in:BR, x4", "x4", problems.NOT_A_COUNTRY),
        ("4090 drop:100%", "100%", problems.OUT_OF_RANGE),
        ("4090 low:0d", "0d", problems.OUT_OF_RANGE),
        ("4090 until:2026-11-30", "2026-11-30", problems.PAST_DATE),
        ("4090 until:2026-02-30", "2026-02-30", problems.NOT_A_DATE),
        ("4090 until:24/12/2026", "24/12/2026", problems.NOT_A_DATE),
        ("4090 name:my run", "run", problems.UNKNOWN_WORD),
        ("4090 name:", "name:", problems.MISSING_VALUE),
        ('4090 name:""', "name:", problems.NAME_EMPTY),
        ('4090 name:"abc', '"abc', problems.NAME_UNCLOSED),
        (f"4090 name:{'n' * 41}", "n" * 40 + "…", problems.NAME_TOO_LONG),
        ('4090 name:"a\x07b"', "a\ufffdb", problems.NAME_UNSEEN),
        ("x" * 10_000, "x" * 40 + "…", problems.TOO_LONG),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_word(text: str, word: str, problem: str) -> None:
    error = refused(text)
    assert (error.word, error.problem) == (word, problem)
    assert error.example


def test_a_refusal_is_one_line_with_the_word_the_choices_and_an_example() -> None:
    text = str(refused("rtx\n6000"))
    assert "\n" not in text
    assert "Quadro RTX 6000" in text
    assert "Example:" in text


def test_a_wrong_name_is_answered_with_the_nearest_ones() -> None:
    assert "RTX 5090" in refused("RTX 5091").choices
    assert refused("A100 24GB").choices == ("A100 40GB", "A100 80GB")
    assert refused("4090 rel>0.98").example == "rel>98"
    assert refused("4090 rell>98").example == "rel>95"


@pytest.mark.parametrize("text", ["6000", "RTX 5091", "4090 2 EUR", "4090 rell>98", "4090 rel>0.98", "4090 x4-2"])
def test_an_example_in_a_refusal_can_be_read(text: str) -> None:
    example = refused(text).example
    read(example if SEEN.nearest(example.split(" <")[0]) else f"4090 {example}")


def test_a_stored_number_is_exact() -> None:
    rule = read("4090 <=0.345678 rel>=98 drop:12.5% dur>=3d")
    assert rule.ceiling == 345_678
    assert rule.reliability_above == 979_999
    assert rule.drop_ppm == 125_000
    assert rule.min_duration_s == 259_200


def test_one_card_is_read_for_a_question_about_it() -> None:
    assert read_card(" h100 ", catalogue=SEEN).name == "H100"
    assert read_card("A100 80GB", catalogue=SEEN).vram_gb == 80
    for text in ("", "6000", "4090 3090", "RTX 5091", "4090 <=1", "x" * 5000):
        with pytest.raises(RuleError):
            read_card(text, catalogue=SEEN)


def test_a_rule_with_a_card_nobody_knows_is_not_written() -> None:
    with pytest.raises(ValueError, match="C500"):
        write_rule(read("C500 SXM9"), catalogue=CATALOGUE)

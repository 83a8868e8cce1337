"""What can be wrong with a rule, said in the language of who wrote it.

The core words its problems as plain English sentences; here each of them is a message that can be translated.
"""

from __future__ import annotations

from typing import Final

from bot.language import Speech
from market.grammar import problems

_REASONS: Final = (
    "RunPod publishes no download speed",
    "RunPod publishes no memory of the machine",
    "RunPod publishes no end of an offer",
    "RunPod tells no place for Community Cloud",
)
_UNSUPPORTED: Final = "this kind of rule is not watched by this version yet; use a ceiling instead"


def problem_text(problem: str, speech: Speech) -> str:
    """A problem of a rule in this language, which may be that no marketplace can satisfy it; one that is not known here
    stays in English."""
    return _problems(speech).get(problem) or reason_text(problem, speech)


def reason_text(reason: str, speech: Speech) -> str:
    """Why a marketplace cannot satisfy a rule, in this language; one that is not known here stays in English."""
    reasons = (
        speech.text("RunPod publishes no download speed"),
        speech.text("RunPod publishes no memory of the machine"),
        speech.text("RunPod publishes no end of an offer"),
        speech.text("RunPod tells no place for Community Cloud"),
    )
    return dict(zip(_REASONS, reasons, strict=True)).get(reason, reason)


def _problems(speech: Speech) -> dict[str, str]:
    return {
        _UNSUPPORTED: speech.text("this kind of rule is not watched by this version yet; use a ceiling instead"),
        problems.EMPTY: speech.text("the rule is empty"),
        problems.TOO_LONG: speech.text("the rule is too long; make two of it"),
        problems.NO_CARD: speech.text("the rule names no card; name one, or write any"),
        problems.UNKNOWN_WORD: speech.text("this is neither a known card nor an option"),
        problems.UNKNOWN_CARD: speech.text("this is not a known card"),
        problems.AMBIGUOUS: speech.text("several cards bear this name; say which one"),
        problems.CARDS_APART: speech.text("the cards have to stand together, separated by commas"),
        problems.ANY_AND_CARDS: speech.text("any stands for every card; leave it out or the names"),
        problems.DANGLING_COMMA: speech.text("a comma separates two things; here one is missing"),
        problems.ONE_CARD: speech.text("one card is enough here"),
        problems.UNKNOWN_SIZE: speech.text("this card does not come with that much memory"),
        problems.SIZE_WITHOUT_CARD: speech.text("a memory size stands right after a card; for any card write vram>=24"),
        problems.SIZE_TWICE: speech.text("this name already says the memory"),
        problems.TWICE: speech.text("this is given twice"),
        problems.WRONG_COMPARISON: speech.text("this option is not compared like that"),
        problems.MISSING_VALUE: speech.text("a value is missing here"),
        problems.NOT_A_PRICE: speech.text("this is not a price in US dollars"),
        problems.PRICE_ZERO: speech.text("a price has to be above zero"),
        problems.PRICE_TOO_FINE: speech.text("a price has at most six decimals"),
        problems.PRICE_TOO_HIGH: speech.text("no offer costs that much"),
        problems.OTHER_CURRENCY: speech.text("prices are in US dollars here; other currencies are not converted"),
        problems.TWO_SEPARATORS: speech.text("a number has one decimal separator and none for thousands"),
        problems.FLOOR_PRICE: speech.text("a price can only be a ceiling"),
        problems.BARE_NUMBER: speech.text("this could be a card or a price; write a price with <="),
        problems.NOT_A_NUMBER: speech.text("this is not a number"),
        problems.NOT_WHOLE: speech.text("this has to be a whole number"),
        problems.OUT_OF_RANGE: speech.text("this number is out of range"),
        problems.UNKNOWN_UNIT: speech.text("this unit is not known here"),
        problems.COUNT_ZERO: speech.text("an offer has at least one GPU"),
        problems.COUNT_REVERSED: speech.text("the range is reversed"),
        problems.PERCENT_TOO_FINE: speech.text("a per cent has at most four decimals"),
        problems.FRACTION: speech.text("reliability is given in per cent, from 1 to 100"),
        problems.ABOVE_HUNDRED: speech.text("nothing is more reliable than 100 %"),
        problems.NOT_A_VERSION: speech.text("a CUDA version is two numbers with a dot"),
        problems.DURATION_UNIT: speech.text("a duration needs its unit: h for hours or d for days"),
        problems.NOT_A_COUNTRY: speech.text("this is not an ISO country code of two letters"),
        problems.NOT_A_DATA_CENTER: speech.text("this is not a RunPod data centre"),
        problems.NO_PLACE_LEFT: speech.text("these conditions on the place exclude each other"),
        problems.NO_MARKET_LEFT: speech.text("no marketplace has that tier"),
        problems.SPOT_ON_RUNPOD: speech.text("RunPod has no interruptible offers any more; only Vast.ai has"),
        problems.DATA_CENTER_ELSEWHERE: speech.text("only RunPod Secure Cloud has data centres to choose from"),
        problems.MEMORY_CONTRADICTION: speech.text(
            "the memory of the card and the memory asked for exclude each other"
        ),
        problems.NOT_A_DATE: speech.text("this is not a date; write year-month-day"),
        problems.PAST_DATE: speech.text("this date has passed"),
        problems.NAME_EMPTY: speech.text("the name is empty"),
        problems.NAME_TOO_LONG: speech.text("a name has at most 40 characters"),
        problems.NAME_UNSEEN: speech.text("a name cannot hold control characters"),
        problems.NAME_UNCLOSED: speech.text("the closing quotation mark is missing"),
        problems.NAME_NEEDS_QUOTES: speech.text(
            "a name with spaces, commas or quotation marks stands in quotation marks"
        ),
    }

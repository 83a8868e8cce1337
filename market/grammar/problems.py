"""What can be wrong with a rule, in plain sentences without variable parts, so that they can be translated.

The variable part of a refusal, the offending word and the choices, stands beside the problem in `RuleError`.
"""

from __future__ import annotations

from typing import Final

EMPTY: Final = "the rule is empty"
TOO_LONG: Final = "the rule is too long; make two of it"
NO_CARD: Final = "the rule names no card; name one, or write any"
UNKNOWN_WORD: Final = "this is neither a known card nor an option"
UNKNOWN_CARD: Final = "this is not a known card"
AMBIGUOUS: Final = "several cards bear this name; say which one"
CARDS_APART: Final = "the cards have to stand together, separated by commas"
ANY_AND_CARDS: Final = "any stands for every card; leave it out or the names"
DANGLING_COMMA: Final = "a comma separates two things; here one is missing"
ONE_CARD: Final = "one card is enough here"
UNKNOWN_SIZE: Final = "this card does not come with that much memory"
SIZE_WITHOUT_CARD: Final = "a memory size stands right after a card; for any card write vram>=24"
SIZE_TWICE: Final = "this name already says the memory"
TWICE: Final = "this is given twice"
WRONG_COMPARISON: Final = "this option is not compared like that"
MISSING_VALUE: Final = "a value is missing here"

NOT_A_PRICE: Final = "this is not a price in US dollars"
PRICE_ZERO: Final = "a price has to be above zero"
PRICE_TOO_FINE: Final = "a price has at most six decimals"
PRICE_TOO_HIGH: Final = "no offer costs that much"
OTHER_CURRENCY: Final = "prices are in US dollars here; other currencies are not converted"
TWO_SEPARATORS: Final = "a number has one decimal separator and none for thousands"
FLOOR_PRICE: Final = "a price can only be a ceiling"
BARE_NUMBER: Final = "this could be a card or a price; write a price with <="

NOT_A_NUMBER: Final = "this is not a number"
NOT_WHOLE: Final = "this has to be a whole number"
OUT_OF_RANGE: Final = "this number is out of range"
UNKNOWN_UNIT: Final = "this unit is not known here"
COUNT_ZERO: Final = "an offer has at least one GPU"
COUNT_REVERSED: Final = "the range is reversed"
PERCENT_TOO_FINE: Final = "a per cent has at most four decimals"
FRACTION: Final = "reliability is given in per cent, from 1 to 100"
ABOVE_HUNDRED: Final = "nothing is more reliable than 100 %"
NOT_A_VERSION: Final = "a CUDA version is two numbers with a dot"
DURATION_UNIT: Final = "a duration needs its unit: h for hours or d for days"

NOT_A_COUNTRY: Final = "this is not an ISO country code of two letters"
NOT_A_DATA_CENTER: Final = "this is not a RunPod data centre"
NO_PLACE_LEFT: Final = "these conditions on the place exclude each other"
NO_MARKET_LEFT: Final = "no marketplace has that tier"
SPOT_ON_RUNPOD: Final = "RunPod has no interruptible offers any more; only Vast.ai has"
DATA_CENTER_ELSEWHERE: Final = "only RunPod Secure Cloud has data centres to choose from"
MEMORY_CONTRADICTION: Final = "the memory of the card and the memory asked for exclude each other"

NOT_A_DATE: Final = "this is not a date; write year-month-day"
PAST_DATE: Final = "this date has passed"
NAME_EMPTY: Final = "the name is empty"
NAME_TOO_LONG: Final = "a name has at most 40 characters"
NAME_UNSEEN: Final = "a name cannot hold control characters"
NAME_UNCLOSED: Final = "the closing quotation mark is missing"
NAME_NEEDS_QUOTES: Final = "a name with spaces, commas or quotation marks stands in quotation marks"

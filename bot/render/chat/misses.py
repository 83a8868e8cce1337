"""Why an offer does not match a rule, in a few words for each reason, what was found before what was wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.language import Speech
from bot.render.clean import clean
from bot.render.facts import NAME_UNITS, market_name
from bot.render.html import Html, escape, joined
from market.money import MICRO
from market.verdict import Miss, Value, What

_DAY_S: Final = 86_400
_PERCENT: Final = 10_000


def misses_row(misses: Sequence[Miss], speech: Speech, *, total: bool = False) -> Html:
    """The reasons on one line; `total` where the rule's ceiling is for the whole offer."""
    return joined([escape(miss_text(miss, speech, total=total)) for miss in misses], " · ")


def miss_text(miss: Miss, speech: Speech, *, total: bool = False) -> str:
    """One reason: `price US$ 0.4500 per GPU-hour, wanted at most US$ 0.4000`."""
    if miss.what == "price":
        return _price(miss, speech, total)
    if miss.what == "terms":
        return speech.text("not offered as interruptible")
    found = speech.text("unknown") if miss.found is None else _value(miss.what, miss.found, speech)
    wanted = _value(miss.what, miss.wanted, speech)
    return speech.text("{what} {found}, wanted {wanted}", what=_labels(speech)[miss.what], found=found, wanted=wanted)


def _price(miss: Miss, speech: Speech, total: bool) -> str:
    found, wanted = (speech.usd(round(float(str(each)) * MICRO)) for each in (miss.found, miss.wanted))
    if total:
        return speech.text("price {found} an hour in total, wanted at most {wanted}", found=found, wanted=wanted)
    return speech.text("price {found} per GPU-hour, wanted at most {wanted}", found=found, wanted=wanted)


def _value(what: What, value: Value, speech: Speech) -> str:
    if isinstance(value, tuple):
        return " / ".join(_value(what, each, speech) for each in value)
    if isinstance(value, str):
        return _word(what, value, speech)
    if value is None:
        return speech.text("unknown")
    if what == "reliability":
        return speech.percent(round(value * _PERCENT))
    if what == "duration":
        return speech.span(value * _DAY_S)
    unit = {"vram": " GB", "disk": " GB", "ram": " GB", "down": " Mbit/s"}.get(what, "")
    return f"{speech.count(round(value))}{unit}"


def _word(what: What, value: str, speech: Speech) -> str:
    if what == "market":
        return market_name(value)
    if what == "reliability":
        return f"{value} %"
    words = {
        "verified": speech.text("verified host"),
        "unverified": speech.text("unverified host"),
        "datacenter": speech.text("data centre"),
        "secure": "Secure Cloud",
        "community": speech.text("community"),
    }
    return words.get(value, clean(value, NAME_UNITS)) if what in ("tier", "unverified") else clean(value, NAME_UNITS)


def _labels(speech: Speech) -> dict[What, str]:
    return {
        "card": speech.text("card"),
        "vram": speech.text("memory"),
        "count": speech.text("number of GPUs"),
        "market": speech.text("marketplace"),
        "tier": speech.text("tier"),
        "reliability": speech.text("reliability"),
        "unverified": speech.text("verification"),
        "country": speech.text("country"),
        "data_center": speech.text("data centre"),
        "disk": speech.text("disk"),
        "down": speech.text("download"),
        "ram": speech.text("memory of the machine"),
        "cuda": "CUDA",
        "duration": speech.text("time left"),
    }

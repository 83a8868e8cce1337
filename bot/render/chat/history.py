"""The history of a card as a chat message: now, the range, how often it was there, a line drawn with letters.

What is not known is said to be not known: gaps are no zeros, and a card that nobody recorded has no history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from bot.language import Speech
from bot.render.chat.offers import Age, age_row
from bot.render.clean import clean
from bot.render.facts import NAME_UNITS, market_name
from bot.render.html import BLANK, Html, bold, code, fitted, joined, phrase, phrases
from storage.history import History
from storage.series import Point

COLUMNS: Final = 28
BARS: Final = "▁▂▃▄▅▆▇█"
UNKNOWN, NONE = "·", "×"
RECENT_S: Final = 900.0
"""A latest point older than this says how old it is."""
LEAST_GAP: Final = 0.01
"""The share of the time shown from which on a gap is worth a word."""


def history_html(name: str, found: History, *, ages: Sequence[Age], now: datetime, speech: Speech) -> Html:
    """The message; `ages` tells how old the answers of each market are."""
    card = bold(clean(name, NAME_UNITS))
    span = speech.span((found.end - found.start).total_seconds())
    head = [phrase(speech, "{card}, the last {span}", card=card, span=span)]
    if found.samples == 0:
        nothing = phrase(
            speech, "Nothing is recorded of this card in that time. It is recorded while a rule watches it."
        )
        return joined([*head, nothing, *(age_row(age, now, speech) for age in ages)])
    head.append(_share(found, speech))
    lines = _by_place(found.series)
    rows = [_place(place, points, found, now, speech) for place, points in lines.items()]
    tail = [
        BLANK,
        phrase(speech, "{unknown} not known · {none} none on offer", unknown=UNKNOWN, none=NONE) if rows else Html(),
        _samples(found, speech),
        *(age_row(age, now, speech) for age in ages),
    ]
    return fitted(head, rows, lambda shown: tail)


def _share(found: History, speech: Speech) -> Html:
    if found.available_share is None:
        return phrase(speech, "Whether it was on offer is not known.")
    share = speech.percent(round(found.available_share * 1_000_000))
    return phrase(speech, "On offer {share} of the time that was watched", share=share)


def _samples(found: History, speech: Speech) -> Html:
    answers = phrases(speech, "{n} answer", "{n} answers", found.samples)
    if found.every_s is not None:
        # what came and went between two answers was not seen: the share is no more exact than that
        every = phrase(speech, "one about every {span}", span=speech.span(found.every_s))
        answers = joined([answers, every], ", ")
    least = (found.end - found.start) * LEAST_GAP
    lengths = [end - start for start, end in found.gaps if end - start >= least]
    if not lengths:
        return answers
    unknown = sum(length.total_seconds() for length in lengths)
    gaps = phrases(
        speech,
        "nothing known for {span} in {n} gap",
        "nothing known for {span} in {n} gaps",
        len(lengths),
        span=speech.span(unknown),
    )
    return joined([answers, gaps], " · ")


def _by_place(series: Sequence[Point]) -> Mapping[tuple[str, str], list[Point]]:
    places: dict[tuple[str, str], list[Point]] = {}
    for point in series:
        if point.terms == "on_demand":
            places.setdefault((point.market, point.tier), []).append(point)
    return dict(sorted(places.items()))


def _place(place: tuple[str, str], points: Sequence[Point], found: History, now: datetime, speech: Speech) -> Html:
    market, tier = place
    prices = [point.best for point in points if point.best is not None]
    rows = [BLANK, bold(f"{market_name(market)}, {_tier(market, tier, speech)}"), _latest(points[-1], now, speech)]
    if prices:
        rows.append(_range(speech.usd(min(prices)), speech.usd(max(prices)), speech))
        rows.append(code(sparkline(points, found.start, found.end)))
    return joined(rows)


def _range(low: str, high: str, speech: Speech) -> Html:
    if low == high:
        return phrase(speech, "cheapest: always {price}", price=low)
    return phrase(speech, "cheapest: {low} to {high}", low=low, high=high)


def _latest(point: Point, now: datetime, speech: Speech) -> Html:
    age = (now - point.at).total_seconds()
    when = speech.text("now") if age < RECENT_S else speech.ago(age)
    if point.best is None:
        return phrase(speech, "{when}: none on offer", when=when)
    said = [phrase(speech, "{when}: {price} per GPU-hour", when=when, price=speech.usd(point.best))]
    if point.median is not None and point.median != point.best:
        said.append(phrase(speech, "median {price}", price=speech.usd(point.median)))
    if point.offers is not None and point.stock is None:
        said.append(phrases(speech, "{n} offer", "{n} offers", point.offers))
    if point.gpus is not None:
        said.append(phrases(speech, "{n} GPU", "{n} GPUs", point.gpus))
    if point.stock is not None:
        said.append(_stock(point.stock, speech))
    return joined(said, " · ")


def _stock(stock: str, speech: Speech) -> Html:
    if stock == "low":
        return phrase(speech, "stock reported low")
    return phrase(speech, "stock reported medium") if stock == "medium" else phrase(speech, "stock reported high")


def _tier(market: str, tier: str, speech: Speech) -> str:
    if market == "runpod":
        return "Secure Cloud" if tier == "secure" else "Community Cloud"
    return speech.text("data centre") if tier == "datacenter" else speech.text("community host")


def sparkline(points: Sequence[Point], start: datetime, end: datetime, columns: int = COLUMNS) -> str:
    """The cheapest price over time, low to high; apart from it, time without data and time without offers."""
    cells: list[list[Point]] = [[] for _ in range(columns)]
    width = (end - start).total_seconds() / columns
    for point in points:
        index = int((point.at - start).total_seconds() / width) if width > 0 else 0
        cells[min(max(index, 0), columns - 1)].append(point)
    lows = [min((point.best for point in cell if point.best is not None), default=None) for cell in cells]
    known = [low for low in lows if low is not None]
    bottom, top = min(known, default=0), max(known, default=0)
    return "".join(_sign(cell, low, bottom, top) for cell, low in zip(cells, lows, strict=True))


def _sign(cell: Sequence[Point], low: int | None, bottom: int, top: int) -> str:
    if low is None:
        return NONE if cell else UNKNOWN
    if top == bottom:
        return BARS[3]
    return BARS[round((low - bottom) * (len(BARS) - 1) / (top - bottom))]

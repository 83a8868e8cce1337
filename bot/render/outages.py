"""What is said about a market that cannot be watched: to the owner while it lasts, to people with rules afterwards."""

from __future__ import annotations

from datetime import datetime, tzinfo

from bot.language import Speech
from bot.outages import Breakdown, Recovery
from bot.render.facts import market_name
from bot.render.pace_reasons import reason_said
from market.blindness import Blindness


def blindness_text(blindness: Blindness, *, speech: Speech, zone: tzinfo, now: datetime) -> str:
    """For which time a market could not be watched."""
    return speech.text(
        "{market} could not be watched from {since} to {until} ({span}): what came and went then was not seen.",
        market=market_name(blindness.market),
        since=speech.when(blindness.since, zone, now=now),
        until=speech.when(blindness.until, zone, now=now),
        span=speech.span(blindness.seconds),
    )


def notice_text(notice: Breakdown | Recovery, *, speech: Speech, zone: tzinfo, now: datetime) -> str:
    """The word to the owner."""
    market = market_name(notice.market)
    if isinstance(notice, Recovery):
        return speech.text("{market} answers again, after {span}.", market=market, span=speech.span(notice.after_s))
    said = _cause(notice, market, speech)
    if notice.since is not None:
        since = speech.when(notice.since, zone, now=now)
        said += " " + speech.text("The last good answer was at {time}.", time=since)
    if notice.until is not None:
        said += " " + speech.text("It is asked again at {time}.", time=speech.when(notice.until, zone, now=now))
    return said


def _cause(notice: Breakdown, market: str, speech: Speech) -> str:
    problem = reason_said(notice.problem, speech)
    match notice.cause:
        case "key":
            return speech.text(
                "{market} cannot be watched until its API key is mended: {problem}.",
                market=market,
                problem=problem,
            )
        case "retired":
            return speech.text(
                "{market}: what is asked there was shut down ({problem}). A newer release of atalaia is needed.",
                market=market,
                problem=problem,
            )
        case "resting":
            return speech.text("{market} rests for long: {problem}.", market=market, problem=problem)
        case "hanging":
            return speech.text(
                "{market} is not asked any more although it should be: start atalaia again.", market=market
            )
        case "failing":
            return speech.text("{market} does not answer: {problem}.", market=market, problem=problem)

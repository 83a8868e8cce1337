"""How the product is doing, as a chat message: each market with a light, what it costs, what waits to be sent."""

from __future__ import annotations

from datetime import datetime, tzinfo

from bot.language import Speech
from bot.questions import MarketStatus, Status
from bot.render.facts import market_name
from bot.render.html import BLANK, Html, bold, joined, phrase, phrases
from bot.render.pace_reasons import reason_said
from bot.render.scan_problems import problem_said

GOOD, AILING, BAD = "🟢", "🟡", "🔴"


def status_html(state: Status, *, stale_after_s: float, speech: Speech, zone: tzinfo) -> Html:
    """The message. A market whose last good answer is older than `stale_after_s` is bad."""
    blocks = [_market(name, each, state.at, stale_after_s, speech, zone) for name, each in state.markets.items()]
    megabytes = speech.count(round(state.database_bytes / 1_000_000))
    return joined(
        [
            *(blocks or [phrase(speech, "Every marketplace is switched off.")]),
            BLANK,
            _outbox(state, speech),
            _resting(state, speech),
            phrase(speech, "database: {n} MB", n=megabytes),
        ]
    )


def light(market: MarketStatus, at: datetime, stale_after_s: float) -> str:
    """Green: well; yellow: failing, but not for long; red: nothing recent is known."""
    last = market.freshness.last_ok_at
    if last is None or (at - last).total_seconds() > stale_after_s:
        return BAD
    return AILING if market.freshness.failures_in_a_row else GOOD


def _market(name: str, market: MarketStatus, at: datetime, stale_after_s: float, speech: Speech, zone: tzinfo) -> Html:
    fresh = market.freshness
    if fresh.last_ok_at is None:
        answered = phrase(speech, "has not answered yet")
    else:
        age = speech.ago((at - fresh.last_ok_at).total_seconds())
        answered = phrase(speech, "last good answer {age}", age=age)
    rows = [joined([f"{light(market, at, stale_after_s)} ", bold(market_name(name)), ": ", answered], "")]
    if fresh.failures_in_a_row:
        rows.append(_failing(fresh.failures_in_a_row, fresh.error or "", speech))
    rows += [_next(market, at, speech), *_paces(market, at, speech)]
    rows += [_spending(market, at, speech, zone), _left(market, speech)]
    return joined(rows)


def _failing(failures: int, error: str, speech: Speech) -> Html:
    return phrases(
        speech,
        "{n} failure in a row: {error}",
        "{n} failures in a row: {error}",
        failures,
        error=problem_said(error, speech),
    )


def _next(market: MarketStatus, at: datetime, speech: Speech) -> Html:
    if market.pace is None:
        return phrase(speech, "no question planned yet")
    left = (market.pace.next_at - at).total_seconds()
    if not market.is_asked(at):
        return phrase(
            speech, "⚠️ nobody is scanning: the next question has been due for {span}", span=speech.span(-left)
        )
    reason = reason_said(market.pace.reason, speech)
    return phrase(speech, "next question in {span}: {reason}", span=speech.span(left), reason=reason)


def _paces(market: MarketStatus, at: datetime, speech: Speech) -> list[Html]:
    """How long a round of probes takes, and how far apart full pictures are."""
    pace = market.pace
    if pace is None or not market.is_asked(at):
        return []
    rows = []
    if pace.round_s is not None:
        rows.append(phrase(speech, "every scarce card is asked for within {span}", span=speech.span(pace.round_s)))
    if pace.census_s is not None:
        every, wanted = speech.span(pace.census_s), market.picture_s
        if wanted is not None and pace.census_s > wanted:
            said = phrase(
                speech,
                "full picture of each card every {span} instead of {wanted}: they take half of the rows at most",
                span=every,
                wanted=speech.span(wanted),
            )
        else:
            said = phrase(speech, "full picture of each card every {span}", span=every)
        rows.append(said)
    return rows


def _left(market: MarketStatus, speech: Speech) -> Html:
    """The rows that may still be spent."""
    if market.rows_left is None or market.rows_per_hour is None:
        return Html()
    rate = speech.count(round(market.rows_per_hour))
    said = [phrases(speech, "{n} row left", "{n} rows left", market.rows_left)]
    said.append(phrase(speech, "now about {rate} an hour", rate=rate))
    if market.rows_reserved:
        said.append(phrases(speech, "{n} row set aside", "{n} rows set aside", market.rows_reserved))
    return joined(said, " · ")


def _spending(market: MarketStatus, at: datetime, speech: Speech, zone: tzinfo) -> Html:
    said = [phrases(speech, "{n} question today", "{n} questions today", market.requests_today)]
    if market.rows_limit is not None:
        rows, limit = speech.count(market.rows_today), speech.count(market.rows_limit)
        said.append(phrase(speech, "{rows} of {limit} rows", rows=rows, limit=limit))
    if market.resets_at is not None:
        said.append(phrase(speech, "afresh at {time}", time=speech.when(market.resets_at, zone, now=at)))
    return joined(said, " · ")


def _resting(state: Status, speech: Speech) -> Html:
    rules = sum(state.resting.values())
    if not rules:
        return Html()
    return phrases(
        speech,
        "{n} rule rests: no longer allowed, its chat is not on the bot's list.",
        "{n} rules rest: no longer allowed, their chats are not on the bot's list.",
        rules,
    )


def _outbox(state: Status, speech: Speech) -> Html:
    held = phrases(speech, "{n} alert is held back", "{n} alerts are held back", state.held) if state.held else Html()
    if not state.queued:
        return joined([phrase(speech, "Nothing waits to be sent."), held], " ")
    waiting = phrases(speech, "{n} alert waits to be sent", "{n} alerts wait to be sent", state.queued)
    if state.oldest_at is None:
        return joined([waiting, held], ", ")
    span = speech.span((state.at - state.oldest_at).total_seconds())
    return joined([waiting, phrase(speech, "the oldest for {span}", span=span), held], ", ")

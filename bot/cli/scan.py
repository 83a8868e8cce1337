"""`atalaia scan`: one complete scan of what is watched and recorded, stored, within the account's quota."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated

import typer

from bot.cli.now import offers_json, offers_table
from bot.cli.session import Failure, Session, Usage
from bot.clock import Clock, SystemClock
from bot.filerules import sync_file_rules
from bot.product import Product, assembled
from bot.questions import offers_now
from bot.render.numbers import span
from bot.render.records import age_s, market_record
from bot.scribe import Scribe
from market.coverage import Coverage
from market.gpu import CATALOGUE
from market.snapshot import Snapshot
from scanners.agenda import Agenda, NotYet
from scanners.errors import KeyRejected, QuotaExhausted, RateLimited, ScanError
from scanners.poller import Poller

LONGEST_WAIT_S = 120.0
"""A person at the command line does not wait longer for one question."""


@dataclass(kw_only=True, slots=True)
class Outcome:
    """How the queries of one market went."""

    queries: int
    answered: int = 0
    whole: int = 0
    """Answered in full."""
    rows: int = 0
    error: str | None = None
    """Of the last query that was not answered."""

    @property
    def failed(self) -> bool:
        """Whether it was asked and answered nothing at all."""
        return self.queries > 0 and self.answered == 0

    @property
    def complete(self) -> bool | None:
        """Whether every query was answered in full; None when there was none."""
        return self.whole == self.queries if self.queries else None


def scan(
    context: typer.Context, market: Annotated[str | None, typer.Option(help="Only this one: vast or runpod.")] = None
) -> None:
    """Ask the marketplaces once, store and print the offers."""
    asyncio.run(_scan(context.obj, market))


async def _scan(session: Session, only: str | None) -> None:
    async with assembled(session.settings(), SystemClock()) as product:
        if only is not None and only not in product.markets:
            raise Usage(f"--market: {only!r} is none of the enabled marketplaces ({', '.join(product.markets)})")
        sync_file_rules(product)
        product.judge.take_up(product.watches.running().values())
        chosen = [only] if only is not None else list(product.markets)
        results = await asyncio.gather(*(_scan_market(session, product, name) for name in chosen))
        outcomes = dict(zip(chosen, results, strict=True))
        answer = offers_now(product, None)
        kept = {name: answer.freshness[name] for name in chosen}
        cards = set(product.judge.cards())
        shown = tuple(
            each for each in answer.offers if each.offer.market in chosen and (not cards or each.offer.gpu in cards)
        )
        answer = replace(answer, offers=shown, freshness=kept)
        markets = {
            name: market_record(
                ok=not outcome.failed,
                complete=outcome.complete,
                error=outcome.error,
                rows=outcome.rows,
                age=age_s(kept[name].last_ok_at, answer.taken_at),
            )
            for name, outcome in outcomes.items()
        }
        session.answer(offers_json(product, answer, markets), lambda: offers_table(product, answer))
        if all(outcome.failed for outcome in outcomes.values()):
            raise Failure("; ".join(f"{name}: {outcome.error}" for name, outcome in outcomes.items()))


async def _scan_market(session: Session, product: Product, name: str) -> Outcome:
    """Ask every query of one market at its pace. What is odd about answers is said by the log, once."""
    queries = queries_of(product, name)
    poller = _poller(product, name)
    session.note(cost_line(product, name, queries))
    outcome, number = Outcome(queries=len(queries)), 0
    while queries:
        query = queries.pop(0)
        if number:
            session.note(f"{name}: {number} of {outcome.queries} queries asked, {outcome.rows} rows so far")
        number += 1
        try:
            snapshot = await _asked(poller, query, product.clock)
        except ScanError as failure:
            outcome.error = failure.problem
            session.note(f"{name}: no answer: {failure.problem}")
            if isinstance(failure, KeyRejected | QuotaExhausted | RateLimited):
                break
            continue
        outcome.answered += 1
        outcome.whole += snapshot.complete
        parts = poller.plan.pictures.of((query,))
        if parts != (query,):  # it did not fit into one answer
            outcome.queries += len(parts) - 1
            outcome.answered -= 1
            queries[:0] = parts
        outcome.rows += snapshot.rows
    return outcome


async def _asked(poller: Poller, query: Coverage, clock: Clock) -> Snapshot:
    """Ask when it is this process's turn: a running `run` asks at the same pace. Raises ScanError."""
    while True:
        try:
            return await poller.ask(query)
        except NotYet as busy:
            if busy.wait_s > LONGEST_WAIT_S:
                problem = f"the service asked to be left alone for another {span(busy.wait_s)}"
                raise RateLimited(poller.market.name, problem, busy.wait_s) from busy
            await clock.wait(asyncio.Event(), busy.wait_s)


def queries_of(product: Product, name: str) -> list[Coverage]:
    """The full picture of the watched and recorded cards, and what rules need besides."""
    market, plan = product.markets[name], product.judge.plan
    cards = product.judge.cards()
    wanted = list(market.census(cards)) if cards or not plan.index.by_id else []
    for rule in dict.fromkeys(watch.rule for watch in plan.index.by_id.values()):
        if market.limits.rows_per_day is None or rule.unverified or not rule.choices:
            wanted.extend(market.probes(rule))
    return list(dict.fromkeys(wanted))


def cost_line(product: Product, name: str, queries: list[Coverage]) -> str:
    """What a scan will cost, said before it is paid."""
    limits = product.markets[name].limits
    seconds = max(len(queries) - 1, 0) * 60 / limits.requests_per_minute
    line = f"{name}: {len(queries)} quer{'y' if len(queries) == 1 else 'ies'}, about {seconds:.0f} s"
    if limits.rows_per_day is not None:
        most = len(queries) * (limits.rows_per_answer or 0)
        left = product.usage.left(name, product.clock.now())
        line += f", at most {most} rows of the {left} left today (of {limits.rows_per_day})"
    return line


def _poller(product: Product, name: str) -> Poller:
    async def agenda() -> Agenda:
        return Agenda()

    scribe = Scribe(recorder=product.recorder, judge=product.judge, catalogue=CATALOGUE, now=product.clock.now)
    return Poller(
        market=product.markets[name],
        ledger=product.usage,
        sink=scribe,
        agenda=agenda,
        now=product.clock.now,
        monotonic=product.clock.monotonic,
        chance=Random(0),  # noqa: S311 - never used by single queries
        slowest_s=product.settings.scan.slowest_seconds,
        census_s=0.0,
    )

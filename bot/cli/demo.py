"""`atalaia demo`: the whole product against the simulated market, with a chat in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import sys
import tempfile
from pathlib import Path

import typer

from bot import logs
from bot.cli.session import Failure, Session, Usage
from bot.commands import Commands
from bot.demo.stage import PAST, SPEED, Stage, staged
from bot.demo.stagehand import Stagehand
from bot.demo.tour import Tour, WatchedChannel
from bot.language import Speech, speech_for
from bot.notice import Notice
from bot.running import Running
from bot.terminal.chat import TerminalChat
from bot.terminal.screen import Screen

HELP_AFTER_S = 12.0
"""Real seconds after which the stagehand helps a rule of a person."""


def demo(context: typer.Context) -> int:
    """Try it on a simulated market, with no account.

    A chat in the terminal; nothing leaves this computer.
    """
    session: Session = context.obj
    logs.set_up(logs.Redactor(), level=logs.DEBUG if session.debug else logs.WARNING)
    return asyncio.run(_demo(_bound()))


def _bound() -> float | None:
    text = os.environ.get("DEMO_SECONDS", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise Usage(f"DEMO_SECONDS: {text!r} is not a number of seconds")
    return seconds


async def _demo(bound: float | None) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    speech = speech_for(os.environ.get("LANG"))
    screen = Screen(sys.stdout, speech=speech)
    screen.line(
        speech.text(
            "atalaia demo - THE MARKET IS SIMULATED: invented machines, prices and hosts; nothing can be rented."
        )
    )
    screen.line(
        speech.text(
            "One second here is {seconds} seconds there. Laying down {days} days of history …",
            seconds=speech.count(round(SPEED)),
            days=PAST.days,
        )
    )
    with tempfile.TemporaryDirectory(prefix="atalaia-demo-") as folder:
        try:
            async with (
                asyncio.timeout(bound),
                staged(Path(folder), language=speech.language, progress=_silent) as stage,
            ):
                return await _play(stage, screen, stop, speech)
        except TimeoutError:
            screen.line(speech.text("the time set by DEMO_SECONDS is over"))
            return 0


def _silent(share: float) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(f"\r{share:4.0%}" + ("\r    \r" if share >= 1 else ""))
        sys.stdout.flush()


async def _play(stage: Stage, screen: Screen, stop: asyncio.Event, speech: Speech) -> int:
    product = stage.product
    channel = WatchedChannel(screen, product.links, speech)

    def tell(notice: Notice) -> None:
        screen.line(notice(speech, product.zone))

    running = Running(product, channel_of=lambda chat: channel, notice=tell)
    chat = TerminalChat(Commands(product), screen, stage.clock.now, language=speech.language)
    stagehand = Stagehand(product, stage.market)
    serving = asyncio.create_task(running.serve(stop), name="product")
    try:
        if sys.stdin.isatty():
            screen.line(speech.text("Type /watch RTX 4090 <=0.40 or /help; a number presses a button; /quit ends."))
            helping = asyncio.create_task(_help_rules(stage, stagehand, screen, speech), name="stagehand")
            await chat.run(stop)
            helping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await helping
            return 0
        tour = Tour(product=product, chat=chat, screen=screen, channel=channel, stagehand=stagehand, speech=speech)
        playing = asyncio.create_task(tour.play(), name="tour")
        stopping = asyncio.create_task(stop.wait(), name="stop")
        await asyncio.wait({playing, stopping, serving}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not playing.done():
            playing.cancel()
            return 0
        await playing
        if not tour.finished:
            raise Failure("the tour could not be played to its end")
        screen.line(speech.text("That was the tour. In a terminal you can chat yourself: make demo"))
        return 0
    finally:
        stop.set()
        await serving


async def _help_rules(stage: Stage, stagehand: Stagehand, screen: Screen, speech: Speech) -> None:
    """Once for each rule of a person a machine comes up that is news for it, and it is said."""
    helped: set[tuple[int, str]] = set()
    while True:
        watches = await asyncio.to_thread(stage.product.watches.running)
        await asyncio.sleep(HELP_AFTER_S)
        told = await asyncio.to_thread(_told_prices, stage)
        for watch in watches.values():
            if (watch.id, watch.text) not in helped:
                helped.add((watch.id, watch.text))
                if stagehand.bring(watch.rule, told.get(watch.id)) is not None:
                    screen.line(speech.text("[simulator] a host puts on offer what rule {id} waits for", id=watch.id))


def _told_prices(stage: Stage) -> dict[int, int]:
    """The lowest price per GPU-hour that each rule's person was told, micro-dollars."""
    with stage.product.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT watch_id, min(told_price) FROM episode GROUP BY watch_id")
        return {watch_id: price for watch_id, price in rows if price is not None}

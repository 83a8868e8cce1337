"""`atalaia run`: the product until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys

import typer

from bot import logs
from bot.cli.session import Failure, Session
from bot.clock import SystemClock
from bot.filerules import sync_file_rules
from bot.fronts import Front, front_of
from bot.guard import sole_instance
from bot.metrics.exporter import metrics_served
from bot.product import Product, assembled
from bot.running import Running
from bot.version import product_version
from storage.engine import database_path


def run(context: typer.Context) -> None:
    """Watch the marketplaces and send alerts, until stopped."""
    session: Session = context.obj
    settings = session.settings(level=logs.INFO)
    if not any(market.enabled for _, market in settings.marketplaces):
        raise Failure("every marketplace is disabled in the configuration: there is nothing to watch")
    with sole_instance(database_path(settings.storage.url)):
        asyncio.run(_run(session))


async def _run(session: Session) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with assembled(session.settings(), SystemClock()) as product, metrics_served(product) as listening:
        await asyncio.to_thread(sync_file_rules, product)
        front = await asyncio.to_thread(front_of, product, sys.stdout)
        _introduce(product)
        if listening is not None:
            _say(f"metrics are served at http://{listening}/metrics")
        await serve(product, front, stop)
    _say("atalaia has stopped; nothing was left half done")


async def serve(product: Product, front: Front, stop: asyncio.Event) -> None:
    """Run the product and a front until `stop`. Scanning begins first and waits for nobody."""
    running = Running(product, channel_of=front.channel_of, notice=front.notice)
    serving = asyncio.create_task(running.serve(stop), name="product")
    try:
        await front.start(stop)
        await serving
    finally:
        stop.set()
        await serving
        await front.stop()


def _introduce(product: Product) -> None:
    watches = product.watches.list()
    _say(
        f"atalaia {product_version()} watches {' and '.join(product.markets)}; history is kept in {product.store.path}"
    )
    if product.settings.telegram.token is None:
        _say("no Telegram token: alerts are printed here")
    for market in product.markets.values():
        for remark in market.remarks():
            _say(remark)
    active = sum(watch.state == "active" for watch in watches)
    if active:
        _say(f"{active} rule{'s' if active > 1 else ''} to watch")
    else:
        _say('no rule yet: add one with  atalaia watch add "RTX 4090 <=0.40" --chat terminal')
    for lost in product.watches.unreadable():
        _say(f"rule {lost.id} cannot be read any more and is not watched: {lost.text}")


def _say(text: str) -> None:
    """A line for whoever reads; a closed terminal is no reason to stop watching."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

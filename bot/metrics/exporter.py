"""Metrics beside the running product: the port is taken before anything else begins, and let go at the end."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bot.logs import Redactor
from bot.metrics.address import ListenAddress, listen_address
from bot.product import Product
from bot.settings import ConfigError

log = logging.getLogger(__name__)

_REMEDIES: Final = {
    errno.EADDRINUSE: "another program listens there; stop it or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose one of its own, such as 127.0.0.1",
    errno.EAFNOSUPPORT: "this machine has no IPv6; choose 127.0.0.1",
    errno.EACCES: "that port may not be used; choose one from 1024 up",
}


@asynccontextmanager
async def metrics_served(product: Product) -> AsyncIterator[ListenAddress | None]:
    """Serve metrics while the block lasts, if the settings say where; that address. Raises ConfigError, StoreError."""
    listen = product.settings.metrics.listen
    if not listen:
        yield None
        return
    # imported here: who wants no metrics does not pay for their library
    from bot.metrics.app import MetricsApp
    from bot.metrics.reading import Reader
    from bot.metrics.server import MetricsServer

    address = listen_address(listen)
    reader = await asyncio.to_thread(Reader, product)
    app = MetricsApp(reader, Redactor(product.settings.secrets()))
    try:
        server = MetricsServer(address, app, product.clock.monotonic)
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or "it cannot be listened on")
        raise ConfigError(f"metrics.listen: {address}: {remedy}") from error
    server.start()
    if not address.is_loopback:
        log.warning("metrics.listen: %s can be reached from other machines, and asks nobody for a password", address)
    try:
        yield server.address
    finally:
        await asyncio.to_thread(server.stop)

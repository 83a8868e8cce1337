"""A running fake and the real client library talking to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from telegram import Bot
from telegram.request import HTTPXRequest

from tests.fakes.botapi import BotApi, ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def api(clock: ManualClock) -> AsyncIterator[BotApi]:
    async with BotApi(clock=clock) as running:
        yield running


@pytest.fixture
async def bot(api: BotApi) -> AsyncIterator[Bot]:
    requests = [HTTPXRequest(httpx_kwargs={"verify": False}) for _ in range(2)]  # certificates are slow to load
    ready = Bot(
        api.token,
        base_url=f"{api.url}/bot",
        base_file_url=f"{api.url}/file/bot",
        request=requests[0],
        get_updates_request=requests[1],
    )
    async with ready:
        yield ready

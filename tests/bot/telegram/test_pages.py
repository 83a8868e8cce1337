"""Answers that are not the Bot API's own: whatever their status, they are an outage, which ends nothing for good."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from bot.channels import DeliveryError, Outgoing
from market.alert import Alert
from storage.chats import Chat
from tests.bot.samples import NOW, VAST, alert, part
from tests.bot.telegram.cast import OWNER
from tests.bot.telegram.post import Post
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Page, Person

STATUSES = (200, 302, 400, 401, 403, 404, 407, 409, 413, 429, 451, 500, 502, 503, 511, 530)
PAGES = [Page(status=status, body="<html>Bot was blocked by the user: not found</html>") for status in STATUSES]
BODIES = {
    "a web page": Page(body="<html>Access denied by policy</html>"),
    "nothing": Page(body=""),
    "JSON of somebody else": Page(body=json.dumps({"error": "forbidden"}), content_type="application/json"),
    "a list": Page(body="[]", content_type="application/json"),
    "half an answer": Page(body='{"ok": false, "error_code": 403}', content_type="application/json"),
    "odd parameters": Page(
        body='{"ok": false, "error_code": 403, "description": "x", "parameters": [1]}', content_type="application/json"
    ),
}


@pytest.fixture
def ana(stage: Stage) -> Person:
    return stage.api.person(OWNER, "Ana")


def told(chat: int) -> Alert:
    return replace(alert(part(VAST)), chat=str(chat))


@pytest.mark.parametrize("page", PAGES, ids=STATUSES)
async def test_a_page_of_any_status_makes_an_alert_wait_and_never_ends_a_chat(
    stage: Stage, ana: Person, page: Page
) -> None:
    post = Post(stage)
    stage.chats.chats[str(OWNER)] = Chat(chat=str(OWNER))
    stage.api.inject("*", page, times=None)
    post.shelf.put(OWNER)
    await post.rounds(20)
    assert post.states == ["queued"]
    assert not stage.line.revoked
    stage.api.heal()
    await post.rounds(130)
    assert post.states == ["sent"]
    assert len(ana.chat.from_bot) == 1
    assert stage.chats.chats[str(OWNER)].state == "active"


@pytest.mark.parametrize("odd_403", BODIES.values(), ids=BODIES.keys())
async def test_words_that_are_not_the_apis_end_nothing(stage: Stage, ana: Person, odd_403: Page) -> None:
    stage.build()
    stage.api.inject("sendMessage", replace(odd_403, status=403))
    stage.api.inject("editMessageText", replace(odd_403, status=403))
    with pytest.raises(DeliveryError) as sending:
        await stage.channel.send(Outgoing(id=1, alert=told(OWNER), now=NOW))
    with pytest.raises(DeliveryError) as editing:
        await stage.channel.edit(str(OWNER), "5", "gone")
    assert not sending.value.permanent
    assert not editing.value.permanent
    assert "403" in str(sending.value)
    assert await stage.channel.send(Outgoing(id=1, alert=told(OWNER), now=NOW))


@pytest.mark.parametrize("page", PAGES, ids=STATUSES)
async def test_a_reply_that_meets_a_page_comes_later(playing: Stage, ana: Person, page: Page) -> None:
    playing.api.inject("sendMessage", page, times=2)
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"


@pytest.mark.parametrize("page", PAGES, ids=STATUSES)
async def test_polling_outlives_a_page_of_any_status(
    playing: Stage, ana: Person, page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    await playing.api.all_read()
    before = len(playing.api.calls("getUpdates"))
    playing.api.inject("getUpdates", page, times=3)
    playing.api.world.updates.wake()
    await playing.api.next_calls("getUpdates", before + 3)
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    assert not playing.line.revoked
    (trouble,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert f"({page.status})" in trouble
    assert "<" not in trouble


@pytest.mark.parametrize("page", PAGES, ids=STATUSES)
async def test_a_bot_that_starts_behind_a_page_waits_and_goes_on(stage: Stage, ana: Person, page: Page) -> None:
    stage.api.inject("*", page, times=4)
    await stage.play()
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    await stage.api.all_read()
    assert stage.bot.problem is None

"""The server on loopback, and the handle by which a test holds the whole fake.

async with BotApi() as api:
    owner = api.person(111, "Ana")
    owner.tells("/start")
    message = await owner.chat.next_message()
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.botapi import account, editing, refusals, sending
from tests.fakes.botapi.chats import WAIT
from tests.fakes.botapi.clock import Clock, ManualClock
from tests.fakes.botapi.faults import Answer, Done, Drop, Fault, FaultPlan, Page, Planned, Reply, When
from tests.fakes.botapi.groups import Channel, Group
from tests.fakes.botapi.limits import FloodLimits
from tests.fakes.botapi.params import Call, Upload, read_parameters
from tests.fakes.botapi.people import Person
from tests.fakes.botapi.refusals import Refusal
from tests.fakes.botapi.world import BOT_ID, World

Method = Callable[[World, Call], Any]

METHODS: dict[str, Method] = {
    "answerCallbackQuery": editing.answer_callback_query,
    "deleteMessage": editing.delete_message,
    "deleteMyCommands": account.delete_my_commands,
    "deleteWebhook": account.delete_webhook,
    "editMessageCaption": editing.edit_message_caption,
    "editMessageReplyMarkup": editing.edit_message_reply_markup,
    "editMessageText": editing.edit_message_text,
    "getChat": account.get_chat,
    "getChatMember": account.get_chat_member,
    "getFile": account.get_file,
    "getMe": account.get_me,
    "getMyCommands": account.get_my_commands,
    "getUpdates": account.get_updates,
    "getWebhookInfo": account.get_webhook_info,
    "sendChatAction": sending.send_chat_action,
    "sendDocument": sending.send_document,
    "sendMessage": sending.send_message,
    "sendPhoto": sending.send_photo,
    "setMyCommands": account.set_my_commands,
    "setWebhook": account.set_webhook,
}
LIMITED = {name for name in METHODS if name.startswith(("sendMessage", "sendPhoto", "sendDocument", "editMessage"))}
_BY_LOWER_NAME = {name.lower(): name for name in METHODS}
_WELL_FORMED = re.compile(r"\d+:[A-Za-z0-9_-]{30,}")
_LARGEST_BODY = 64 * 1024 * 1024


class BotApi:
    """A Bot API server with one bot, and the people and chats around it."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        username: str = "fake_watch_bot",
        privacy: bool = False,
        query_seconds: float = 15.0,
    ) -> None:
        """`clock` dates messages, ages taps and feeds the flood limits; without it, time stands still."""
        self.clock = clock or ManualClock()
        self.token = f"{BOT_ID}:{'A' * 35}"
        self.world = World(self.clock, username=username, privacy=privacy, query_seconds=query_seconds)
        self._calls: list[Call] = []
        self._faults = FaultPlan()
        self._accepts = True
        self._at_work: set[asyncio.Task[Reply]] = set()
        self._port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Root of the server, as for `telegram.api_url`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def limits(self) -> FloodLimits:
        """Flood limits, off until `limits.enabled = True`."""
        return self.world.limits

    @property
    def username(self) -> str:
        return self.world.username

    async def start(self) -> None:
        """Listen; after a `stop`, on the same port again."""
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_route("*", "/bot{token}/{method}", self._handle)
        app.router.add_get("/file/bot{token}/files/{file_id}", self._download)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True)
        await site.start()
        self._port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Close every connection and refuse new ones. What is known stays."""
        if self._runner is not None:
            self.world.updates.wake()
            for task in self._at_work:
                task.cancel()
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def person(self, number: int, name: str = "", *, language: str = "en", started: bool = True) -> Person:
        """Somebody who has talked to the bot before, unless `started` is False."""
        return Person(self.world, number, name or f"Person {number}", language, started=started)

    def group(self, number: int, title: str = "Group") -> Group:
        """A basic group with the bot in it."""
        return Group(self.world, number, "group", title, frozenset())

    def supergroup(self, number: int, title: str = "Supergroup", topics: tuple[int, ...] = ()) -> Group:
        """A supergroup with the bot in it; with topics it is a forum."""
        return Group(self.world, number, "supergroup", title, frozenset(topics))

    def channel(self, number: int, title: str = "Channel") -> Channel:
        return Channel(self.world, number, title)

    def push_update(self, update: dict[str, Any]) -> int:
        """Queue an update as it is, however wrong, allowed or not. Its id."""
        return self.world.updates.push_raw(update)

    def inject(
        self,
        method: str,
        fault: Fault | Refusal,
        times: int | None = 1,
        chat_id: int | str | None = None,
        when: When = "before",
    ) -> None:
        """Plan a fault for the next `times` calls (None: until `heal`) of `method` ("*": any), for one chat or all."""
        if method != "*" and method.lower() not in _BY_LOWER_NAME:
            raise ValueError(f"no method {method}")
        planned = Answer(fault) if isinstance(fault, Refusal) else fault
        self._faults.add(Planned(method, planned, when, times, chat_id))

    def heal(self) -> None:
        """Forget every planned fault."""
        self._faults.clear()

    def revoke_token(self) -> None:
        """From now on every call is unauthorized."""
        self._accepts = False

    def calls(self, method: str | None = None) -> list[Call]:
        """What was asked, oldest first, with failed calls too."""
        return [call for call in self._calls if method is None or call.method.lower() == method.lower()]

    async def next_calls(self, method: str, count: int, seconds: float = WAIT) -> list[Call]:
        """The calls of a method as soon as there are `count`. Raises NothingCame."""
        return await self.world.bell.until(
            lambda: self.calls(method) if len(self.calls(method)) >= count else None,
            seconds=seconds,
            waiting_for=f"{count} calls of {method}",
            instead=lambda: f"there were {len(self.calls(method))}",
        )

    async def all_read(self, seconds: float = WAIT) -> None:
        """Return when every update is confirmed and the bot waits for more. Raises NothingCame."""
        await self.world.bell.until(
            lambda: self.world.updates.read,
            seconds=seconds,
            waiting_for="bot that has read everything",
            instead=lambda: f"{len(self.world.updates)} updates unconfirmed",
        )

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        token, asked = request.match_info["token"], request.match_info["method"]
        method = _BY_LOWER_NAME.get(asked.lower(), asked)
        params: dict[str, Any] = {}
        files: dict[str, Upload] = {}
        broken: Refusal | None = None
        try:
            params, files = await read_parameters(request)
        except Refusal as refusal:
            broken = refusal
        call = Call(method, params, self.clock(), request.path.replace(token, "***"), files)
        self._calls.append(call)
        self.world.bell.ring()
        return _response(request, broken or await self._work(call, token))

    async def _work(self, call: Call, token: str) -> Reply:
        """The reply. A client that hangs up ends its long poll; anything else is done all the same."""
        if call.method == "getUpdates":
            return await self._reply(call, token)
        task = asyncio.create_task(self._reply(call, token))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        return await asyncio.shield(task)

    async def _reply(self, call: Call, token: str) -> Reply:
        planned = self._faults.due(call.method, call.chat_id)
        if planned is None:
            return await self._perform(call, token)
        if planned.when == "after":
            true = await self._perform(call, token)
            await planned.fault.hold()
            return planned.fault.reply or true
        await planned.fault.hold()
        if planned.when == "instead":
            return planned.fault.reply or Drop()
        return planned.fault.reply or await self._perform(call, token)

    async def _perform(self, call: Call, token: str) -> Reply:
        if not _WELL_FORMED.fullmatch(token):
            return refusals.not_found()
        if token != self.token or not self._accepts:
            return refusals.unauthorized()
        if call.method not in METHODS:
            return refusals.not_found("method not found")
        if (wait := self._flooded(call)) is not None:
            return refusals.too_many_requests(wait)
        try:
            result = METHODS[call.method](self.world, call)
            return Done(await result if isinstance(result, Awaitable) else result)
        except Refusal as refusal:
            return refusal

    def _flooded(self, call: Call) -> int | None:
        chat = self.world.chats.get(call.chat_id) if isinstance(call.chat_id, int) else None
        if chat is None or call.method not in LIMITED:
            return None
        return self.limits.admit(chat.number, group=chat.kind != "private")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        upload = self.world.files.get(request.match_info["file_id"])
        if upload is None or request.match_info["token"] != self.token:
            return _response(request, refusals.not_found())
        return web.Response(body=upload.content, content_type=upload.mime_type)


def _response(request: web.Request, reply: Reply) -> web.StreamResponse:
    match reply:
        case Done(result):
            return web.json_response({"ok": True, "result": result})
        case Refusal():
            return web.json_response(reply.as_json(), status=reply.code)
        case Page():
            return web.Response(status=reply.status, text=reply.body, content_type=reply.content_type)
        case Drop():
            if request.transport is not None:
                request.transport.abort()
            return web.Response()

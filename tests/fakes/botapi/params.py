"""One call of the API, whichever way its parameters were sent: query, urlencoded, JSON or multipart."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.botapi.refusals import bad_request

_NUMBERS = {"chat_id", "user_id", "message_id", "message_thread_id", "offset", "limit", "timeout", "max_connections"}
_FLAGS = {"disable_notification", "show_alert", "drop_pending_updates", "protect_content"}
_OBJECTS = {
    "allowed_updates",
    "caption_entities",
    "commands",
    "entities",
    "link_preview_options",
    "reply_markup",
    "reply_parameters",
    "scope",
}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent."""

    name: str
    content: bytes
    mime_type: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked of the API. It never holds the token: `path` shows it masked."""

    method: str
    params: dict[str, Any]
    at: float
    """Seconds since the epoch, by the fake's clock."""
    path: str = ""
    files: dict[str, Upload] = field(default_factory=dict)

    @property
    def chat_id(self) -> int | str | None:
        """The chat it is about: a number, or a string that is no number, as it came."""
        return self.params.get("chat_id")

    def number(self, name: str, default: int = 0) -> int:
        """An integer parameter. Raises Refusal when it is none."""
        value = self.params.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise bad_request(f'invalid parameter "{name}" specified')
        return value

    def text(self, name: str) -> str:
        return str(self.params.get(name, ""))

    def flag(self, name: str) -> bool:
        return self.params.get(name) is True


async def read_parameters(request: web.Request) -> tuple[dict[str, Any], dict[str, Upload]]:
    """Parameters with numbers, flags and nested objects decoded, and files. Raises Refusal for broken JSON."""
    params: dict[str, Any] = dict(request.query)
    files: dict[str, Upload] = {}
    if request.content_type == "application/json":
        body = _from_json("body", await request.text())
        if not isinstance(body, dict):
            raise bad_request("object expected")
        params.update(body)
    elif request.can_read_body:
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                files[name] = Upload(value.filename, value.file.read(), value.content_type)
            else:
                params[name] = value if isinstance(value, str) else bytes(value).decode()
    return {name: _decoded(name, value) for name, value in params.items() if value is not None}, files


def _decoded(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in _NUMBERS and value.removeprefix("-").isascii() and value.removeprefix("-").isdigit():
        return int(value)
    if name in _FLAGS:
        return value.lower() in ("true", "1", "yes")
    if name in _OBJECTS and value:
        return _from_json(name, value)
    return value


def _from_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object") from None

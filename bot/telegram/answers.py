"""Which answers are the Bot API's own: what a proxy, a captive portal or a firewall says in between is an outage.

The library goes by the HTTP status alone, so that any web page of status 403 would end a chat, and one of 401 the bot.
Here only the API's own words count: `{"ok": true, "result": …}` or `{"ok": false, "error_code": …, "description": …}`.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

from telegram.error import NetworkError
from telegram.request import HTTPXRequest

_MAYBE_DONE: Final = {408, 504, 520, 524}
"""What is between lost the answer of a server that may have worked; the last two are Cloudflare's."""


class NotFromApi(NetworkError):
    """An answer that is not the Bot API's."""

    maybe_done = True
    """Whether the request may have reached the API all the same."""

    def __init__(self, status: int) -> None:
        self.maybe_done = status < 300 or status in _MAYBE_DONE
        super().__init__(f"{_phrase(status)} ({status}), an answer that is not from the Bot API")


class ApiRequest(HTTPXRequest):
    """The library's HTTP client, with everything that is not an answer of the Bot API made an error."""

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """Status and body. Raises NotFromApi, and what the library raises."""
        status, body = await super().do_request(*args, **kwargs)
        if not _is_from_api(body, done=HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES):
            raise NotFromApi(status)
        return status, body


def _is_from_api(body: bytes, *, done: bool) -> bool:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(answer, dict):
        return False
    if done:
        return answer.get("ok") is True and "result" in answer
    code, text, more = answer.get("error_code"), answer.get("description"), answer.get("parameters", {})
    return answer.get("ok") is False and isinstance(code, int) and isinstance(text, str) and isinstance(more, dict)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "an unknown status"

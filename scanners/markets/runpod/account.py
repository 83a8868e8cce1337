"""Asking RunPod with a key: REST v2 and nothing else. It only ever reads.

Whatever the status of an answer, what it says of the quota is noted before anything else.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx
from pydantic import SecretStr

from scanners.client import DEADLINE_S, Response, fetch
from scanners.errors import KeyRejected, OddAnswer, RateLimited, Refused, Retired, ScanError
from scanners.markets.runpod.quota import Quota, closed_s
from scanners.markets.runpod.wire import NAME


class Account:
    """A key and its quota. `url` is the root of the service."""

    def __init__(self, client: httpx.AsyncClient, url: str, key: SecretStr, quota: Quota) -> None:
        self._client = client
        self._url = url
        self._key = key
        self.quota = quota

    async def get(self, path: str, params: Mapping[str, str | int], *, deadline_s: float = DEADLINE_S) -> Response:
        """A successful answer. Raises ScanError for every other, and for none."""
        self.quota.asking()
        answer = await fetch(
            self._client, NAME, "GET", self._url + path, key=self._key, params=params, deadline_s=deadline_s
        )
        self.quota.note(answer)
        if answer.status != 200:
            raise refusal(answer)
        return answer


def refusal(answer: Response) -> ScanError:
    """The error that an answer without success stands for."""
    status, said = answer.status, f"{answer.status} {answer.excerpt}".strip()
    problem = answer.content_type.endswith("json")
    if status == 429:
        return RateLimited(NAME, f"asked too often ({said})", closed_s(answer))
    if answer.is_html:
        return Refused(NAME, f"a web page came with status {status}")
    if status == 401:
        return KeyRejected(NAME, f"the key was rejected ({said})")
    if status == 403:
        if problem:
            return KeyRejected(NAME, f"the key has no permission for this ({said})")
        return Refused(NAME, f"blocked on the way to the service ({said})")
    if status in (404, 410):
        return Retired(NAME, f"the catalogue is not there any more ({said})")
    if status < 400:
        return OddAnswer(NAME, f"status {status} is no answer; is `url` right?")
    return Refused(NAME, f"refused ({said})")

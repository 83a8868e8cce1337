"""What Vast.ai means by an answer that is no list of offers, or an empty one with a complaint beside it.

The status alone does not tell: a rejected key has come as 404, a limit as plain text, a shut endpoint as an empty
success. So the words of the body decide first.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Final

from scanners.client import Response
from scanners.errors import KeyRejected, OddAnswer, QuotaExhausted, RateLimited, Refused, Retired, ScanError
from scanners.markets.vast.ask import NAME

_KEY_WORDS: Final = (
    "auth_error",
    "invalid user key",
    "invalid api key",
    "invalid api_key",
    "session expired",
    "unauthorized",
    "not authenticated",
    "not authorized",
)
_LONGEST_RESET: Final = timedelta(hours=48)


def refusal(answer: Response, now: datetime) -> ScanError:
    """The error that `answer` stands for."""
    words = answer.body[: 64 * 1024].decode("utf-8", "replace").lower()
    status, said = answer.status, f"{answer.status} {answer.excerpt}".strip()
    if "search_quota_exceeded" in words:
        return QuotaExhausted(NAME, "the day's quota of rows is used up", _reset(answer, now))
    if status == 429 or "too frequent" in words or "rate_limit_exceeded" in words:
        return RateLimited(NAME, f"asked too often ({said})", answer.retry_after)
    if status == 410 or "deprecated_endpoint" in words:
        return Retired(NAME, f"the endpoint was shut down ({said})")
    if answer.is_html:
        return Refused(NAME, f"a web page came with status {status}") if status >= 400 else _odd(answer)
    if status == 401 or (status != 200 and any(word in words for word in _KEY_WORDS)) or "auth_error" in words:
        return KeyRejected(NAME, f"{'the key was rejected' if answer.secret else 'an API key is needed'} ({said})")
    if status == 403 and words.lstrip().startswith("{"):
        return KeyRejected(NAME, f"the key lacks the permission `misc` ({said})")
    return Refused(NAME, f"refused ({said})") if status >= 400 else _odd(answer)


def hidden_refusal(answer: Response, now: datetime) -> ScanError | None:
    """The error that an answer with an empty list of offers stands for; None when the market is honestly empty."""
    error = refusal(answer, now)
    if type(error) is not OddAnswer:
        return error
    return Refused(NAME, f"refused ({answer.status} {answer.excerpt})") if _complains(answer.body) else None


def _complains(body: bytes) -> bool:
    """Whether the envelope says that the search failed: `success` is anything but true, or `error` holds something."""
    try:
        envelope = json.loads(body.decode("utf-8", "replace"), parse_int=float)  # an int may have too many digits
    except (ValueError, RecursionError):
        return True
    success = envelope.get("success")
    return not (success is None or success == 1 or str(success).lower() == "true") or bool(envelope.get("error"))


def _odd(answer: Response) -> OddAnswer:
    if 300 <= answer.status < 400:
        return OddAnswer(NAME, f"sent elsewhere with status {answer.status}; is `url` right?")
    if answer.is_html:
        return OddAnswer(NAME, "a web page came instead of offers")
    return OddAnswer(NAME, f"no list of offers in the answer ({answer.status} {answer.excerpt or 'empty'})")


def _reset(answer: Response, now: datetime) -> datetime:
    """When the quota starts anew: as the server says if that is believable, else at the next midnight UTC."""
    midnight = (now.astimezone(UTC) + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        told = datetime.fromtimestamp(float(answer.headers.get("x-ratelimit-reset", "")), UTC)
    except (ValueError, OverflowError, OSError):
        return midnight
    return told if now < told <= now + _LONGEST_RESET else midnight

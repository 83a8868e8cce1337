"""What went wrong with a marketplace, in the reader's language; the marketplace's own words short, and quoted as such.

The scanners say it in English, with what the server wrote in brackets behind it. Data that a server wrote (JSON) is
never shown: only the message in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from bot.language import Speech
from bot.render.clean import clean

QUOTED_UNITS: Final = 100
MESSAGES: Final = ("msg", "message", "detail", "title", "error", "errors")
"""Where servers put the sentence for people."""
_DETAIL = re.compile(r"(?P<lead>[^(]*?)(?: \((?P<detail>.*?)\)?)?", re.DOTALL)
_STATUS = re.compile(r"(?P<status>[1-5]\d\d)\b ?(?P<words>.*)", re.DOTALL)
_IN_JSON = re.compile(rf'"(?:{"|".join(MESSAGES)})"\s*:\s*"(?P<words>(?:[^"\\]|\\.)+)')


def problem_said(problem: str, speech: Speech) -> str:
    """A problem of a scan for people."""
    found = _DETAIL.fullmatch(problem)
    lead, detail = (found["lead"], found["detail"] or "") if found else (problem, "")
    said = _ours(lead, speech)
    if said is None:
        words = _words(problem)
        if words and speech.language == "en":
            return words  # the language of the scanners
        return speech.text("something went wrong: “{words}”", words=words) if words else speech.text("no reason given")
    return f"{said} ({quoted})" if (quoted := _detail(detail, speech)) else said


def _ours(lead: str, speech: Speech) -> str | None:
    """A sentence of the scanners in the reader's language; None for one that is none of theirs."""
    plain = _plain(speech).get(lead)
    if plain is not None:
        return plain
    for pattern, say in _filled(speech):
        if (found := re.fullmatch(pattern, lead)) is not None:
            return say(**{name: clean(text, QUOTED_UNITS) for name, text in found.groupdict().items()})
    return None


def _detail(detail: str, speech: Speech) -> str:
    """What stands in the brackets: a status and the server's words, quoted."""
    found = _STATUS.fullmatch(detail)
    status, rest = (found["status"], found["words"]) if found else ("", detail)
    words = speech.text("nothing in it") if rest == "empty" else _words(rest)
    quoted = words if rest == "empty" or not words else f"“{words}”"
    return ": ".join(each for each in (status, quoted) if each)


def _words(text: str) -> str:
    """A sentence for people out of what a server wrote; nothing where there is none."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return clean(text, QUOTED_UNITS)
    try:
        found = next(_sentences(json.loads(text[start:])), "")
    except (ValueError, RecursionError):  # cut off, most likely
        cut = _IN_JSON.search(text)
        found = cut["words"] if cut else ""
    return clean(found, QUOTED_UNITS)


def _sentences(value: Any, depth: int = 3) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list):
        for each in value:
            yield from _sentences(each, depth - 1)
    elif depth and isinstance(value, dict):
        for name in MESSAGES:
            yield from _sentences(value.get(name), depth - 1)


def _plain(speech: Speech) -> dict[str, str]:
    return {
        "the API key holds characters that no key has": speech.text("the API key holds characters that no key has"),
        "the answer is compressed in a way that was not asked for": speech.text(
            "the answer is compressed in a way that was not asked for"
        ),
        "the compressed answer is cut off": speech.text("the compressed answer is cut off"),
        "the answer's compression is broken": speech.text("the answer's compression is broken"),
        "the answer could not be read": speech.text("the answer could not be read"),
        "the address in `url` cannot be used": speech.text("the address in `url` cannot be used"),
        "refused": speech.text("refused"),
        "asked too often": speech.text("asked too often"),
        "the key was rejected": speech.text("the key was rejected"),
        "an API key is needed": speech.text("an API key is needed"),
        "the key has no permission for this": speech.text("the key has no permission for this"),
        "the key lacks the permission `misc`": speech.text("the key lacks the permission `misc`"),
        "blocked on the way to the service": speech.text("blocked on the way to the service"),
        "the catalogue is not there any more": speech.text("the catalogue is not there any more"),
        "the endpoint was shut down": speech.text("the endpoint was shut down"),
        "the public catalogue has changed; use a key for REST v2": speech.text(
            "the public catalogue has changed; use a key for REST v2"
        ),
        "the public catalogue asks for a key now; set one to use REST v2": speech.text(
            "the public catalogue asks for a key now; set one to use REST v2"
        ),
        "the public catalogue has been shut down; set a key to use REST v2": speech.text(
            "the public catalogue has been shut down; set a key to use REST v2"
        ),
        "no data centre tells its GPUs": speech.text("no data centre tells its GPUs"),
        "the catalogue tells no stock at all": speech.text("the catalogue tells no stock at all"),
        "a web page came instead of data": speech.text("a web page came instead of data"),
        "a web page came instead of offers": speech.text("a web page came instead of data"),
        "the answer is no JSON object": speech.text("the answer is not what was asked for"),
        "the answer is no JSON": speech.text("the answer is not what was asked for"),
        "not a list of offers": speech.text("the answer is not what was asked for"),
        "no list of offers in the answer": speech.text("the answer is not what was asked for"),
        "the day's quota of rows is used up": speech.text("the day's rows are used up"),
        "the day's rows are used up": speech.text("the day's rows are used up"),
    }


def _filled(speech: Speech) -> tuple[tuple[str, Callable[..., str]], ...]:
    """Sentences with something in them: what each looks like, and how it is said."""
    host = r"(?P<host>\S+|the server)"
    return (
        (rf"no connection to {host} in time", lambda **said: speech.text("no connection to {host} in time", **said)),
        (
            rf"no whole answer within (?P<seconds>\S+) s from {host}",
            lambda **said: speech.text("no whole answer within {seconds} s from {host}", **said),
        ),
        (
            rf"the connection to {host} was cut off or is not HTTP",
            lambda **said: speech.text("the connection to {host} was cut off or is not HTTP", **said),
        ),
        (rf"the connection to {host} failed", lambda **said: speech.text("the connection to {host} failed", **said)),
        (r"the server answered (?P<status>\d+)", lambda **said: speech.text("the server answered {status}", **said)),
        (
            r"a web page came with status (?P<status>\d+)",
            lambda **said: speech.text("a web page came with status {status}", **said),
        ),
        (
            r"the answer is larger than (?P<n>\d+) bytes",
            lambda **said: speech.text("the answer is larger than {n} bytes", **said),
        ),
        (
            r"(?:sent elsewhere with )?status (?P<status>\d+)(?: is no answer)?; is `url` right\?",
            lambda **said: speech.text("status {status} is no answer; is `url` right?", **said),
        ),
        (
            r"only (?P<n>\d+) GPU types came, less than half of the last list",
            lambda **said: speech.text("only {n} GPU types came, less than half of the last list", **said),
        ),
        (r"no list of .+ in the answer", lambda **said: speech.text("the answer is not what was asked for")),
        (
            r"not one of (?P<n>\d+) .+ could be read",
            lambda **said: speech.text("not one of {n} rows could be read", **said),
        ),
    )

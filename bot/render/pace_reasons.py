"""Why a market is asked when it is, in the reader's language."""

from __future__ import annotations

import re
from typing import Final

from bot.language import Speech
from bot.render.scan_problems import problem_said

_FAILURES: Final = re.compile(r"waiting longer after (\d{1,9}) failures in a row")


def reason_said(reason: str, speech: Speech) -> str:
    """The reason of a pace; what is none is taken for a problem of a scan."""
    failing = _FAILURES.fullmatch(reason)
    if failing:
        n = int(failing[1])
        return speech.plural("waiting longer after {n} failure", "waiting longer after {n} failures in a row", n)
    reasons = {
        "starting": speech.text("starting"),
        "as fast as the request limit allows": speech.text("as fast as the request limit allows"),
        "as slowly as the service asks for": speech.text("as slowly as the service asks for"),
        "the day's rows are used up": speech.text("the day's rows are used up"),
        "stretched so that the day's rows last until their reset": speech.text(
            "stretched so that the day's rows last until their reset"
        ),
        "the slowest pace allowed": speech.text("the slowest pace allowed"),
        "nothing is watched here; only checking that the market answers": speech.text(
            "nothing is watched here; only checking that the market answers"
        ),
        "a new rule is being asked for": speech.text("a new rule is being asked for"),
        "the quota is used up; waiting for its reset": speech.text("the quota is used up; waiting for its reset"),
        "the key was rejected": speech.text("the key was rejected"),
        "the endpoint was retired": speech.text("the endpoint was retired"),
    }
    return reasons.get(reason) or problem_said(reason, speech)

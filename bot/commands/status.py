"""/status: is it scanning, what does that cost, and does anything wait to be sent."""

from __future__ import annotations

from bot.commands.command import Command, Words
from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.language import Speech
from bot.questions import status
from bot.render.chat.status import status_html


def answer(visit: Visit, argument: str) -> Outcome:
    """The state of every marketplace, the outbox and the database."""
    html = status_html(status(visit.product), stale_after_s=visit.stale_after_s, speech=visit.speech, zone=visit.zone)
    return Outcome(replies=(Reply(html=html),))


def _words(speech: Speech) -> Words:
    return Words(
        usage="",
        summary=speech.text("how fresh the data is, what scanning costs, what waits to be sent"),
        details=speech.text("🟢 well · 🟡 failing for a moment · 🔴 nothing recent is known"),
    )


STATUS = Command(name="status", words=_words, example="", answer=answer)

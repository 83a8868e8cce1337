"""/test: an alert as it would look and sound, about an offer that does not exist and says so."""

from __future__ import annotations

from bot.commands.command import Command, Words
from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.language import Speech
from bot.render.chat.alert import alert_html
from bot.render.html import BLANK, bold, joined, phrase
from market.alert import Alert, Part
from market.offer import Offer


def answer(visit: Visit, argument: str) -> Outcome:
    """Send the sample, with a sound."""
    speech = visit.speech
    banner = bold(phrase(speech, "🔔 TEST: this offer is made up, there is nothing to rent."))
    note = phrase(speech, "If you can read this and heard it, alerts reach you.")
    sample = alert_html(_alert(visit), number=0, now=visit.now, speech=speech, zone=visit.zone, links={})
    return Outcome(replies=(Reply(html=joined([banner, note, BLANK, sample]), silent=False),))


def _alert(visit: Visit) -> Alert:
    made_up = visit.speech.text("made up")
    offer = Offer(
        key="test",
        market="vast",
        machine="test",
        gpu="RTX 4090",
        spelling="RTX 4090",
        gpu_count=1,
        vram_gb=24,
        tier="community",
        price=350_000,
        offer_id="test",  # no number, so that no line to rent it can be copied
        disk_gb=8,
        storage_price=144_000,
        reliability_ppm=991_000,
        verified=True,
        place=made_up,
    )
    part = Part(
        watch_id=0,
        name=visit.speech.text("test"),
        rule="RTX 4090 <=0.40",
        terms="on_demand",
        disk_gb=8,
        offers=(offer,),
        count=1,
    )
    return Alert(
        kind="available",
        chat=visit.chat,
        parts=(part,),
        seen_at=visit.now,
        dedup_key="test",
        reason="asked for as a test",
    )


def _words(speech: Speech) -> Words:
    return Words(
        usage="",
        summary=speech.text("send me a sample alert"),
        details=speech.text("Shows how an alert looks and sounds. The offer in it is made up."),
    )


TEST = Command(name="test", words=_words, example="", answer=answer)

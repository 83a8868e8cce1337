"""/start and /help: what the bot does, every command with an example, and how a rule is written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.commands.command import Command, Words
from bot.commands.names import known, slash, spoken
from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.language import Speech
from bot.render.html import BLANK, Html, bold, code, escape, joined, phrase

RULE_COMMANDS: Final = ("watch", "edit", "now")
"""Commands whose help explains how a rule is written."""


def start(visit: Visit, argument: str) -> Outcome:
    """Greet, and show the first step."""
    speech, now = visit.speech, f"{visit.slash('now')} 4090"
    said = [
        bold(phrase(speech, "atalaia watches Vast.ai and RunPod for the card you need.")),
        phrase(speech, "Tell me what you look for, and you hear from me the moment it can be had. For example:"),
        code(f"{visit.slash('watch')} RTX 4090 <=0.40"),
        BLANK,
        phrase(
            speech,
            "{now} shows what is on offer, {help} lists everything.",
            now=now,
            help=visit.slash("help"),
        ),
        phrase(speech, "I only look and tell: I never rent anything and spend nothing."),
    ]
    return Outcome(replies=(Reply(html=joined(said)),))


def overview(visit: Visit, commands: Sequence[Command]) -> Outcome:
    """Every command in a line."""
    speech, of_rules = visit.speech, help_on("watch", visit.speech)
    rows = [_line(command, speech) for command in commands]
    more = phrase(
        speech,
        "{command} and the name of a command tells more, with an example; {rule} explains how rules are written.",
        command=visit.slash("help"),
        rule=of_rules,
    )
    return Outcome(replies=(Reply(html=joined([bold(phrase(speech, "What I can do")), *rows, BLANK, more])),))


def detail(visit: Visit, command: Command) -> Outcome:
    """One command with its example and, where it takes a rule, how that is written."""
    speech, words = visit.speech, command.words(visit.speech)
    said = [
        _line(command, speech),
        escape(words.details),
        phrase(speech, "Example: {example}", example=code(example_of(command, speech))),
    ]
    if command.name in RULE_COMMANDS:
        said += [BLANK, *rule_parts(visit)]
    return Outcome(replies=(Reply(html=joined(said)),))


def example_of(command: Command, speech: Speech) -> str:
    """A command as it may be sent as it stands."""
    return f"{slash(command.name, speech)} {command.example}".strip()


def help_on(name: str, speech: Speech) -> str:
    """What one sends to read more of a command."""
    return f"{slash('help', speech)} {spoken(name, speech)}"


def named(argument: str) -> str | None:
    """The command that help is asked about."""
    words = argument.split()
    return known(words[0]) if words else None


def rule_parts(visit: Visit) -> list[Html]:
    """How a rule is written, part by part."""
    speech = visit.speech
    day = (visit.now + timedelta(days=30)).date().isoformat()
    parts = [
        (speech.text("card"), "4090 · H100 · A100 80GB · 4090, 3090 · any"),
        (speech.text("most per GPU-hour, in US$"), "<=0.40 · max 0.40"),
        (speech.text("most for the whole offer"), "<=1.60 total"),
        (speech.text("number of GPUs (one, if nothing is said)"), "x4 · x2-4 · x4+"),
        (speech.text("reliability (above 95 %, if nothing is said)"), "rel>=98"),
        (speech.text("marketplace and tier"), "vast · runpod · secure · community · datacenter · any tier"),
        (speech.text("interruptible, on Vast.ai"), "spot"),
        (speech.text("place"), "in:BR,US · not:CN · dc:EU-RO-1"),
        (speech.text("machine"), "disk:100 · down>=500 · ram>=64 · cuda>=12.4 · vram>=48 · dur>=3d · unverified"),
        (speech.text("life and name"), f"once · until:{day} · name:lora"),
    ]
    head = bold(phrase(speech, "How a rule is written: the cards, and what you care about in any order"))
    return [head, *(joined([f"{what}: ", code(example)], "") for what, example in parts)]


def _line(command: Command, speech: Speech) -> Html:
    words = command.words(speech)
    called = f"{slash(command.name, speech)} {words.usage}".strip()
    return joined([bold(called), escape(words.summary)], " · ")


def start_words(speech: Speech) -> Words:
    """Of /start."""
    return Words(
        usage="",
        summary=speech.text("what this is, and the first step"),
        details=speech.text("Says what the bot is for."),
    )


def help_words(speech: Speech) -> Words:
    """Of /help."""
    return Words(
        usage=speech.text("[COMMAND]"),
        summary=speech.text("every command, or one of them with an example"),
        details=speech.text("With the name of a command it tells more about that one."),
    )


START = Command(name="start", words=start_words, example="", answer=start)
